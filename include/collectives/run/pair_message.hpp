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
    constexpr auto kind = hash_text("send and recv");
    return mix(mix(context, kind), static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag))) |
           pair_bit;
}

class pair_message final : public activity {
public:
    /// What it is from now on: a send or recv of so many elements, with its number among the
    /// messages of the communicator.
    void become(collective what, element_type const& of, std::size_t count,
                std::uint64_t sequence) {
        if (call.type != of.id) { call.type_name = of.name; }
        call.type = of.id;
        call.what = what;
        call.count = count;
        call.sequence = sequence;
    }
    /// `peer`: a rank of the communicator. The bytes must live until the activity is done; a
    /// receive writes them.
    void start(engine& e, rank_t peer, int tag, void const* memory, std::size_t bytes,
               std::size_t granule, std::chrono::nanoseconds time) {
        auto* const data = const_cast<std::byte*>(static_cast<std::byte const*>(memory));
        engine_ = &e;
        if (!request_) { request_ = e.carrier().make_request(); }
        done = false;
        only_peer = peer;
        allowed = time;
        deadline = next_look = {};
        auto const where = e.group().job_rank(peer);
        if (its_tag_ == 0 || tag != tag_) { its_tag_ = pair_tag(e.context(), tag_ = tag); }
        message_label label;
        label.operation = static_cast<std::uint32_t>(call.sequence);
        label.what = call.what;
        label.action = call.what == collective::send ? verb::send : verb::recv_copy;
        if (call.what == collective::send) {
            e.carrier().isend({where, its_tag_, call.type, data, bytes, granule, label}, *request_);
        } else {
            e.carrier().irecv({where,
                               its_tag_,
                               call.type,
                               data,
                               bytes,
                               granule,
                               {},
                               &e.board().stop_word(),
                               label},
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
    int tag_ = 0;
    std::uint64_t its_tag_ = 0;  // of the messages on this communicator that have `tag_`; 0: none
    owned<any_request> request_;
};

}  // namespace collectives::detail
