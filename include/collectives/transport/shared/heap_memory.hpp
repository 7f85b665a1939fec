// SPDX-License-Identifier: BSD-3-Clause
// Memory of a job whose ranks are threads: every address can be reached by every rank.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/shared/available_memory.hpp>
#include <collectives/transport/shared/state.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace collectives::inline v0::shared {

class heap_memory {
public:
    static constexpr bool always_reachable = true;
    /// What peers do not reach, as `private_memory` is between processes: nothing.
    struct unreached {
        unreached(state, rank_t) {}
        static constexpr bool is_open() { return false; }
        static constexpr bool copy(rank_t, std::uint64_t, std::byte*, std::size_t) { return false; }
    };

    std::uint64_t reach(void const* p, std::size_t) const {
        return reinterpret_cast<std::uintptr_t>(p);
    }
    std::byte* at(std::uint64_t location, std::size_t) const {
        return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(location));
    }
    /// Zeroed memory on a page boundary. Throws transport_error if there is none.
    void* allocate(std::size_t bytes) {
        auto const whole = rounded_up(bytes);
        auto const refused = whole < bytes || is_too_much_memory(whole);
        void* const p = refused ? nullptr : std::aligned_alloc(page, whole == 0 ? page : whole);
        if (p == nullptr) { throw_error<transport_error>("no memory for ", bytes, " bytes"); }
        std::memset(p, 0, bytes);
        return p;
    }
    void deallocate(void* p, std::size_t) { std::free(p); }
};

}  // namespace collectives::shared
