// SPDX-License-Identifier: BSD-3-Clause
// A failure as ranks report it to each other: plain bytes, the same on every rank of a
// communicator.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/core/list_view.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace collectives::inline v0 {

enum class failure_kind : std::uint32_t { mismatch, timeout, peer_lost, transport, aborted };

/// The first failure of a communicator; later ones are its consequences and are dropped.
/// Trivially copyable, so that it can stand in shared memory or travel in a message.
struct failure {
    static constexpr std::size_t text_size = 512;
    static constexpr std::size_t most_missing = 120;

    failure_kind kind = failure_kind::transport;
    std::int32_t peer = -1;
    std::uint32_t missing_count = 0;
    std::array<std::int32_t, most_missing> missing{};
    std::array<char, text_size> text{};

    static failure make(failure_kind kind, std::string_view why, int peer = -1,
                        list_view<int const> absent = {});

    /// What is known where a peer has damaged the record of a failure.
    static failure unknown();
    /// Where a rank has too little memory to say what has failed. Takes none itself.
    static failure out_of_memory(int rank);

    /// The same with what a peer may have written wrong put right: its kind, its counts, its ranks,
    /// of `size`, and its text's end.
    failure checked(int size) const;

    /// Throws the exception of its kind. `where` names the rank and operation that report it.
    [[noreturn]] void raise(std::string const& where) const;
};

/// The exception being handled, as a failure for other ranks. Errors of the library keep their
/// kind; any other exception means that this rank cannot do its part. `what` names what failed
/// ("all_reduce #3").
failure failure_being_handled(std::string_view what, int rank);

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/core/failure.ipp>
#endif
