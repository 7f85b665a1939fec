// SPDX-License-Identifier: BSD-3-Clause
// What the adaptors of programs derive from: a transport that hands everything on to another one.
#pragma once

#include <collectives/core/shared.hpp>
#include <collectives/transport/any_transport.hpp>
#include <collectives/transport/forwarding.hpp>

#include <memory>
#include <utility>

namespace collectives::inline v0 {

/// Derive from it and override what is to differ. An adapted transport is not peer-addressable, so
/// all data travels as messages, past the adaptor.
class adapted : public detail::forwarding_transport {
public:
    /// Makes an adaptor over `base` and keeps `base` alive.
    explicit adapted(std::shared_ptr<any_transport> base)
        : forwarding_transport(base), base_(std::move(base)) {}

    /// The transport below.
    std::shared_ptr<any_transport> const& shared_base() const { return base_; }

protected:
    /// The same adaptor over another transport: that of the survivors of a loss. Null if it cannot
    /// go on.
    virtual std::shared_ptr<any_transport> over(std::shared_ptr<any_transport>) const {
        return nullptr;
    }

private:
    shared_pointer<any_transport> remade_over(shared_pointer<any_transport> next) const final {
        return over(std::move(next));
    }

    std::shared_ptr<any_transport> base_;
};

}  // namespace collectives
