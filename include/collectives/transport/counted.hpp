// SPDX-License-Identifier: BSD-3-Clause
// An adaptor that counts what a rank really sends and receives.
#pragma once

#include <collectives/transport/adapted.hpp>

#include <cstddef>
#include <memory>

namespace collectives {

/// Bytes of payload handed over for sending and posted for receiving since the last `reset`.
template <transport Base>
class counted_transport : public adapted<Base> {
public:
    using adapted<Base>::adapted;
    using request = typename adapted<Base>::request;

    void isend(outgoing const& out, request& r) {
        sent_ += out.bytes;
        ++messages_;
        this->base().isend(out, r);
    }
    void irecv(incoming const& in, request& r) {
        received_ += in.bytes;
        this->base().irecv(in, r);
    }

    std::size_t sent() const { return sent_; }
    std::size_t received() const { return received_; }
    /// Messages sent.
    std::size_t messages() const { return messages_; }
    void reset() { sent_ = received_ = messages_ = 0; }

private:
    std::size_t sent_ = 0, received_ = 0, messages_ = 0;
};

/// comm.with(counted{}): a communicator whose transport() counts.
struct counted {
    template <transport Base>
    auto operator()(std::shared_ptr<Base> base) const {
        return std::make_shared<counted_transport<Base>>(std::move(base));
    }
};

}  // namespace collectives
