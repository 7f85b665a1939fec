// SPDX-License-Identifier: BSD-3-Clause
// A send or a receive under way.
#pragma once

#include <collectives/core/owned.hpp>
#include <collectives/core/text.hpp>
#include <collectives/run/activity.hpp>
#include <collectives/run/engine.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::detail {

/// The tag that transports give messages of send and recv.
inline std::uint64_t pair_tag(std::uint64_t context, int tag) {
    return mix(mix(context, hash_text("send and recv")),
               static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag))) |
           pair_bit;
}

class pair_message final : public activity {
public:
    /// `of.what` is send or recv, `peer` a rank of the communicator. The bytes must live until the
    /// activity is done; a receive writes them.
    void start(engine& e, fingerprint const& of, rank_t peer, int tag, void const* memory,
               std::size_t bytes, std::size_t granule, std::chrono::nanoseconds time) {
        auto* const data = const_cast<std::byte*>(static_cast<std::byte const*>(memory));
        engine_ = &e;
        if (!request_) { request_ = e.carrier().make_request(); }
        call = of;
        done = false;
        only_peer = peer;
        allowed = time;
        deadline = next_look = {};
        auto const where = e.group().job_rank(peer);
        auto const its_tag = pair_tag(e.context(), tag);
        message_label label;
        label.operation = static_cast<std::uint32_t>(of.sequence);
        label.what = of.what;
        label.action = of.what == collective::send ? verb::send : verb::recv_copy;
        if (of.what == collective::send) {
            e.carrier().isend({where, its_tag, of.type, data, bytes, granule, label}, *request_);
        } else {
            e.carrier().irecv(
                {where, its_tag, of.type, data, bytes, granule, {}, &e.board().stop_word(), label},
                *request_);
        }
    }

    bool progress() override {
        if (!engine_->carrier().test(*request_)) { return false; }
        if (!request_->wrong()) { return true; }
        mismatched = true;
        auto const type = request_->actual_check() == call.type ? "" : " of another type";
        mismatch_text = text_of("rank ", only_peer, " sent ", request_->actual_bytes(), " bytes",
                                type, ", rank ", engine_->rank(), " expected ", call.count,
                                " elements of ", call.type_name.view());
        return false;
    }
    void cancel() override {
        if (request_) { engine_->carrier().cancel(*request_); }
    }

private:
    engine* engine_ = nullptr;
    owned<any_request> request_;
};

}  // namespace collectives::detail
