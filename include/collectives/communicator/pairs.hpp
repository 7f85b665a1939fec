// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks: send and recv.
#pragma once

#include <collectives/communicator/movements.hpp>

#include <cstddef>
#include <memory>

namespace collectives {

template <transport Transport>
class pairs : public movements<Transport> {
public:
    /// Messages from one rank to another, matched in order per (from, to, tag). The sizes and types
    /// of both sides must be equal: otherwise a mismatch_error. Of the options, timeout counts.
    template <input_range Data>
    void send(Data&& data, rank_t to, int tag = 0, options const& how = {}) {
        start_send(data, to, tag, how).wait();
    }
    template <output_range Data>
    void recv(Data&& data, rank_t from, int tag = 0, options const& how = {}) {
        start_recv(data, from, tag, how).wait();
    }
    template <lasting_input_range Data>
    auto start_send(Data&& data, rank_t to, int tag = 0, options const& how = {}) {
        auto* const bytes = const_cast<std::byte*>(  // only read: a send has no other use for it
            reinterpret_cast<std::byte const*>(std::ranges::data(data)));
        return this->template started_pair<element_t<Data>>(collective::send, bytes,
                                                            std::ranges::size(data), to, tag, how);
    }
    template <output_range Data>
    auto start_recv(Data&& data, rank_t from, int tag = 0, options const& how = {}) {
        return this->template started_pair<element_t<Data>>(
            collective::recv, reinterpret_cast<std::byte*>(std::ranges::data(data)),
            std::ranges::size(data), from, tag, how);
    }

protected:
    using movements<Transport>::movements;

private:
    template <class T>
    pending<Transport> started_pair(collective what, std::byte* bytes, std::size_t count,
                                    rank_t peer, int tag, options const& how) {
        auto const turn = this->core_->turn_to_start();
        this->core_->engine().require_usable(what);
        this->core_->require_rank(peer, what, "peer");
        if constexpr (device_transport<Transport>) {
            follow_stream(*this->core_, what, how.stream, {bytes, count * sizeof(T)}, {});
        } else {
            this->core_->require(how.stream == nullptr, what, no_streams);
        }
        fingerprint call;
        call.what = what;
        call.count = count;
        call.type = type_id<T>();
        call.type_name = type_name<T>();
        call.sequence = this->core_->next_pair_number();
        auto m = std::make_unique<pair_message<Transport>>();
        try {
            m->start(this->core_->engine(), call, peer, tag, bytes, count * sizeof(T), sizeof(T),
                     how.timeout.span());
        } catch (transport_error const& e) {
            this->core_->engine().break_by(name(what), e);
            throw;
        }
        this->core_->engine().add(*m);
        this->core_->leave_alone(*m);
        return {this->core_, std::move(m), {}};
    }
};

}  // namespace collectives
