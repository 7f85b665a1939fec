// SPDX-License-Identifier: BSD-3-Clause
// The vector instructions that the host's kernels and copies use. They are chosen when a program
// runs, so a program built for any machine is as fast as one built for this one.
#pragma once

#include <collectives/core/compiled.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collectives::inline v0::host {

/// Levels of vector instructions, each including those below it. `portable` is what the compiler
/// was told to use. All give the same bits.
enum class isa : std::uint8_t { portable, avx2, avx512 };

inline constexpr std::array<std::string_view, 3> isa_names{"portable", "avx2", "avx512"};

constexpr std::string_view isa_name(isa level) {
    return isa_names[static_cast<std::size_t>(level)];
}

namespace detail {
isa choose_isa();  // by the processor and the environment
/// What it chose, or no level yet. Any number of threads may choose: all choose the same.
inline constexpr auto not_chosen = static_cast<isa>(isa_names.size());
inline std::atomic<isa> chosen_isa{not_chosen};
}

/// Whether this processor has the instructions of a level.
bool supports(isa level);

/// The level that reducers and copies use; it does not change in the life of a process. Throws
/// usage_error if COLLECTIVES_ISA names no level, or one that this processor does not have.
inline isa current_isa() {
    auto const level = detail::chosen_isa.load(std::memory_order::relaxed);
    return level != detail::not_chosen ? level : detail::choose_isa();
}

}  // namespace collectives::host

#ifndef COLLECTIVES_COMPILED
#include <collectives/core/isa.ipp>
#endif
