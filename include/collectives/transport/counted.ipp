// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/core/shared.hpp>
#include <collectives/transport/adapted.hpp>
#include <collectives/transport/counted.hpp>

#include <memory>
#include <utility>

namespace collectives::inline v0 {

struct counted::counts {
    std::size_t sent = 0, received = 0, messages = 0;
};

class counted::transport final : public adapted {
public:
    transport(std::shared_ptr<any_transport> base, shared_pointer<counts> to)
        : adapted(std::move(base)), counts_(std::move(to)) {}

    void isend(outgoing const& out, any_request& r) override {
        counts_->sent += out.bytes;
        ++counts_->messages;
        base().isend(out, r);
    }
    void irecv(incoming const& in, any_request& r) override {
        counts_->received += in.bytes;
        base().irecv(in, r);
    }

    std::shared_ptr<any_transport> over(std::shared_ptr<any_transport> next) const override {
        return make_shared_object<transport, any_transport>(std::move(next), counts_);
    }

private:
    shared_pointer<counts> counts_;
};

COLLECTIVES_INLINE counted::counted() : counts_(make_shared_object<counts>()) {}
COLLECTIVES_INLINE std::shared_ptr<any_transport> counted::operator()(
    std::shared_ptr<any_transport> base) const {
    return make_shared_object<transport, any_transport>(std::move(base), counts_);
}
COLLECTIVES_INLINE std::size_t counted::sent() const { return counts_->sent; }
COLLECTIVES_INLINE std::size_t counted::received() const { return counts_->received; }
COLLECTIVES_INLINE std::size_t counted::messages() const { return counts_->messages; }
COLLECTIVES_INLINE void counted::reset() { *counts_ = {}; }

}  // namespace collectives
