// SPDX-License-Identifier: BSD-3-Clause
// The programs of the last few calls.
#pragma once

#include <collectives/communicator/call_request.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/run/program.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace collectives::inline v0::detail {

/// The programs of the last 64 different calls.
class program_cache {
public:
    /// The program of an equal call before, else null. O(1) if that was the last call.
    [[gnu::always_inline]] shared_pointer<program> const* find(call_request const& r) {
        if (latest_ != nullptr && latest_->answers(key(r), r)) { return &latest_->made; }
        return find_older(r);
    }
    [[gnu::cold]] shared_pointer<program> const& add(call_request const& r,
                                                     shared_pointer<program>&& made) {
        constexpr std::size_t most = 64;
        keep(owned(new kept_program{key(r), op_type_of(r), r.shape.counts, r.shape.recv_counts,
                                    std::move(made)}));
        if (kept_.size() > most) { kept_.erase(kept_.begin()); }
        return latest_->made;
    }
    void clear() {
        kept_.clear();
        latest_ = nullptr;
    }

private:
    /// The key of a call on one communicator, without counts per rank. It has few words, because a
    /// small call costs little more than its instructions. The ranks are the same in all calls, and
    /// the type implies its size.
    struct key {
        std::uint64_t type, op, count, stated, segment, parts;
        any_algorithm asked;
        bool has_counts;
        static_assert(sizeof(collective) == 1 && sizeof(rank_t) == 4, "parts of one word");

        [[gnu::always_inline]] explicit key(call_request const& r)
            : type(r.type),
              op(r.op == nullptr ? 0 : r.op->fingerprint),
              count(r.shape.count),
              stated(r.reported_count),
              segment(r.how.segment),
              parts(static_cast<std::uint64_t>(r.shape.root) << 32 |
                    static_cast<std::uint64_t>(r.shape.what) << 24 |
                    static_cast<std::uint64_t>(r.reported_as) << 16 |
                    static_cast<std::uint64_t>(r.shape.in_place) << 2 |
                    static_cast<std::uint64_t>(r.shape.knows_all_blocks) << 1 |
                    static_cast<std::uint64_t>(r.how.reproducible)),
              asked(r.how.algorithm),
              has_counts(!r.shape.counts.empty() || !r.shape.recv_counts.empty()) {}
    };
    static std::uint64_t op_type_of(call_request const& r) {
        return r.op == nullptr ? 0 : r.op->op_type;
    }

    struct kept_program {
        key of;
        std::uint64_t op_type;
        lean_vector<std::size_t> counts, recv_counts;
        shared_pointer<program> made;

        [[gnu::always_inline]] bool answers(key const& k, call_request const& r) const {
            auto const differ = (of.type ^ k.type) | (of.op ^ k.op) | (of.count ^ k.count) |
                                (of.stated ^ k.stated) | (of.segment ^ k.segment) |
                                (of.parts ^ k.parts);
            return differ == 0 && of.asked == k.asked && of.has_counts == k.has_counts &&
                   (!k.has_counts || has_counts_of(r));
        }
        [[gnu::noinline]] bool has_counts_of(call_request const& r) const {
            return counts == r.shape.counts && recv_counts == r.shape.recv_counts;
        }
    };

    [[gnu::noinline]] shared_pointer<program> const* find_older(call_request const& r) {
        key const k(r);
        for (bool const exactly : {true, false}) {
            for (auto i = kept_.size(); i-- > 0;) {
                auto& one = *kept_[i];
                auto wanted = k;
                if (!exactly) {  // its operator may have had another state: another factor, say
                    if (one.op_type == 0 || one.op_type != op_type_of(r)) { continue; }
                    wanted.op = one.of.op;
                }
                if (!one.answers(wanted, r)) { continue; }
                if (!exactly) {
                    one.of.op = k.op;
                    one.made->set_op(k.op);
                }
                latest_ = kept_[i].release();
                for (; i + 1 < kept_.size(); ++i) { kept_[i].reset(kept_[i + 1].release()); }
                kept_.back().reset(latest_);
                return &latest_->made;
            }
        }
        return nullptr;
    }

    void keep(owned<kept_program> one) {
        kept_.push_back(std::move(one));
        latest_ = kept_.back().get();
    }

    lean_vector<owned<kept_program>> kept_;  // the latest last
    kept_program* latest_ = nullptr;
};

}  // namespace collectives::detail
