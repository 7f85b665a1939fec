// SPDX-License-Identifier: BSD-3-Clause
// A large message where the sender has it: in memory that the receiver reaches, or in the sender's
// own memory, from which the kernel copies it.
#pragma once

#include <collectives/transport/concepts.hpp>
#include <collectives/transport/shared/private_memory.hpp>
#include <collectives/transport/shared/request.hpp>

#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::shared {

template <class Memory>
class senders_memory {
public:
    using private_memory = typename Memory::beyond;

    senders_memory(Memory& reached, private_memory& beyond)
        : reached_(&reached), beyond_(&beyond) {}

    /// Where the receiver finds the bytes; 0: it does not, so they go through slots.
    std::uint64_t location_of(outgoing const& out) {
        auto const at = reached_->reach(out.data, out.bytes);
        if constexpr (!Memory::always_reachable) {
            if (at == 0 && out.bytes >= least_lent && out.bytes < least_not_lent &&
                beyond_->lends(out.data, out.bytes)) {
                return lent | reinterpret_cast<std::uintptr_t>(out.data);
            }
        }
        return at;
    }
    /// Whether a message is pulled that lies at this location. One that is lent is copied, so it is
    /// not pulled where the receiver takes bytes as they come. Throws transport_error for a
    /// location that is none.
    bool is_pulled(request& r, std::uint64_t location, std::size_t bytes) {
        if constexpr (!Memory::always_reachable) {
            auto const open = beyond_->is_open();  // if not yet, this rank tries
            if (open && (location & lent) != 0) {
                r.lent_at_ = r.in_.take ? 0 : location ^ lent;
                return r.lent_at_ != 0;
            }
        }
        if (location == 0) { return false; }
        r.source_ = reached_->at(location, bytes);
        return true;
    }
    /// Takes so many bytes more of it. Returns false if the sender's process has ended.
    bool pull(request& r, std::size_t bytes) {
        if constexpr (!Memory::always_reachable) {
            if (r.lent_at_ != 0) {
                return beyond_->fetch(r.in_.from, r.lent_at_ + r.moved_, r.in_.data + r.moved_,
                                      bytes);
            }
        }
        r.deliver(r.moved_, r.source_ + r.moved_, bytes);
        return true;
    }

private:
    Memory* reached_;
    private_memory* beyond_;
};

}  // namespace collectives::shared
