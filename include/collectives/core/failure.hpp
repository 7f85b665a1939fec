// SPDX-License-Identifier: BSD-3-Clause
// A failure as ranks tell it to each other: plain bytes, the same on every rank of a communicator.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace collectives {

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
                        std::vector<int> const& absent = {}) {
        failure f;
        f.kind = kind;
        f.peer = peer;
        f.missing_count = static_cast<std::uint32_t>(std::min(absent.size(), most_missing));
        for (std::size_t i = 0; i < f.missing_count; ++i) { f.missing[i] = absent[i]; }
        std::copy_n(why.begin(), std::min(why.size(), text_size - 1), f.text.begin());
        return f;
    }

    /// Throws the exception of its kind. `where` says which rank and operation learnt of it.
    [[noreturn]] void raise(std::string const& where) const {
        auto const what = text_of(where, ": ", text.data());
        switch (kind) {
            case failure_kind::mismatch: throw mismatch_error(what);
            case failure_kind::timeout:
                throw timeout_error(what, {missing.begin(), missing.begin() + missing_count});
            case failure_kind::peer_lost: throw peer_lost_error(what, peer);
            case failure_kind::transport: throw transport_error(what);
            case failure_kind::aborted: break;
        }
        throw error(what);
    }
};

}  // namespace collectives
