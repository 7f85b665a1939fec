// SPDX-License-Identifier: BSD-3-Clause
// A call made ready to run: its schedule bound to bytes, kept from call to call.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/executor/completion.hpp>
#include <collectives/executor/direct.hpp>
#include <collectives/executor/layout.hpp>
#include <collectives/executor/planner.hpp>
#include <collectives/schedule/any_algorithm.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace collectives {

/// Whether the vector of a collective is one piece on every rank, so that a slice of it is just a
/// shorter vector. The others consist of the ranks' blocks; a slice takes a part of each.
constexpr bool is_one_vector(collective what) {
    return what == collective::all_reduce || what == collective::broadcast ||
           what == collective::reduce;
}

/// A plan and, for the direct executor, where its receives lie at the peers.
struct bound_plan {
    plan steps;
    remote_places remote;
};

/// Everything about a call that does not change between calls of the same shape. Plans are made
/// when first asked for: O(steps), for direct ones O(steps of all ranks).
template <class = void>
class basic_program {
public:
    basic_program(call_shape shape, any_algorithm chosen, int slices, fingerprint const& call)
        : shape_(std::move(shape)),
          algorithm_(chosen),
          slices_(slices),
          call_(call),
          hash_(call.hash()),
          mine_(chosen.record(shape_.what, shape_.rank, shape_.size, shape_.root)) {
        if (reduces(shape_.what) && shape_.size > 1) {
            auto const all = chosen.record_all(shape_.what, shape_.size, shape_.root);
            completing_ = completing_reductions(all, shape_.rank);
        }
    }

    call_shape const& shape() const { return shape_; }
    any_algorithm algorithm() const { return algorithm_; }
    int slices() const { return slices_; }
    /// Whether ranks know the blocks of others only as far as they meet them.
    bool blocks_vary() const {
        return (shape_.what == collective::gather || shape_.what == collective::scatter) &&
               call_.counts == 0;
    }
    fingerprint const& call() const { return call_; }
    std::uint64_t hash() const { return hash_; }

    /// How far a slice's input and output lie behind the whole's, in bytes.
    std::size_t offset_of(int slice) const {
        return is_one_vector(shape_.what)
                   ? block(shape_.count, slices_, slice).first * shape_.elem_size
                   : 0;
    }
    bound_plan const& messages(int slice, bool consumes) {
        return at(kept(consumes ? 1U : 0U, class_of(slice)), slice,
                  {false, consumes, whole_ranges()});
    }
    bound_plan const& direct(int slice) {
        return at(kept(2U, class_of(slice)), slice, {true, false, whole_ranges()});
    }

private:
    std::unique_ptr<bound_plan>& kept(std::size_t kind, int slices) {
        auto& of_kind = plans_[kind];
        auto const i = static_cast<std::size_t>(slices);
        if (i >= of_kind.size()) { of_kind.resize(i + 1); }
        return of_kind[i];
    }

    /// Slices of one vector come in two sizes; slices of blocks all differ.
    int class_of(int slice) const {
        if (!is_one_vector(shape_.what)) { return slice; }
        return block(shape_.count, slices_, slice).size == block(shape_.count, slices_, 0).size ? 0
                                                                                                : 1;
    }
    bool whole_ranges() const { return is_one_vector(shape_.what) || slices_ == 1; }

    call_shape slice_shape(call_shape shape, int slice) const {
        if (is_one_vector(shape.what)) { shape.count = block(shape.count, slices_, slice).size; }
        return shape;
    }
    plan make(schedule const& s, call_shape const& of, int slice, planning how,
              std::vector<std::pair<int, int>> const& completing) const {
        auto const shape = slice_shape(of, slice);
        auto const whole = is_one_vector(shape.what);
        auto const where = lay_out(shape, s.chunks, whole ? 0 : slice, whole ? 1 : slices_);
        return planner(s, where, how, shape.in_place, completing).make();
    }
    bound_plan const& at(std::unique_ptr<bound_plan>& kept, int slice, planning how) {
        if (!kept) {
            kept = std::make_unique<bound_plan>();
            kept->steps = make(mine_, shape_, slice, how, completing_);
            if (how.direct) { kept->remote = find_remote(kept->steps, slice, how); }
        }
        return *kept;
    }

    /// Plays the peers' parts, in place and out of place, to learn where they keep what they send.
    remote_places find_remote(plan const& own, int slice, planning how) const {
        remote_places result(own.receives.size());
        std::vector<bool> speaks(static_cast<std::size_t>(shape_.size));
        for (auto const& t : own.receives) { speaks[static_cast<std::size_t>(t.peer)] = true; }
        for (rank_t peer = 0; peer < shape_.size; ++peer) {
            if (!speaks[static_cast<std::size_t>(peer)]) { continue; }
            auto const its = algorithm_.record(shape_.what, peer, shape_.size, shape_.root);
            for (std::size_t variant = 0; variant < 2; ++variant) {
                auto shape = shape_;
                shape.rank = peer;
                shape.in_place = variant == 1 || shape_.what == collective::broadcast;
                auto const sent = make(its, shape, slice, how, {}).sends;
                auto s = sent.begin();
                for (std::size_t r = 0; r < own.receives.size(); ++r) {
                    auto const& t = own.receives[r];
                    if (t.peer != peer) { continue; }
                    while (s->peer != shape_.rank || s->round != t.round) { ++s; }
                    result[r][variant] = s->at;
                    ++s;
                }
            }
        }
        return result;
    }

    call_shape shape_;
    any_algorithm algorithm_;
    int slices_;
    fingerprint call_;
    std::uint64_t hash_;
    schedule mine_;
    std::vector<std::pair<int, int>> completing_;
    // For messages, for messages that are consumed, direct; of each class of slices.
    std::array<std::vector<std::unique_ptr<bound_plan>>, 3> plans_;
};

/// Its code is compiled only where a collective is called.
using program = basic_program<>;

}  // namespace collectives
