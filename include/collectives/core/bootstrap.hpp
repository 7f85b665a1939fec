// SPDX-License-Identifier: BSD-3-Clause
// What ranks need before they have a transport: a way to exchange a few bytes.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives::inline v0 {

/// What one rank tells all others while they meet: an address, a key.
using bootstrap_bytes = std::vector<std::byte>;

/// The most that one rank may give to one all_gather.
inline constexpr std::size_t most_bootstrap_bytes = std::size_t{1} << 20;

/// An all-gather of opaque bytes, with which ranks that have no transport yet exchange the
/// addresses that a transport needs.
///
/// `all_gather(mine, until)` is collective, and each rank's n-th call belongs to the others' n-th.
/// It gives what each rank gave, by rank; ranks may give different sizes, also none, up to
/// most_bootstrap_bytes. All that is got is a copy. It throws
///   - usage_error before anything is sent, where a rank gives too much, and where this rank does
///     not fit the others: another size, a rank that is there already, another secret;
///   - timeout_error at `until`, or at the earliest such time of all ranks where they can tell each
///     other; `missing()` names the ranks that had not come;
///   - peer_lost_error where a rank's process has ended, or left, without having come;
///   - transport_error for what the system refuses.
/// After an error it is broken, and later calls throw. It is used by one thread at a time.
template <class T>
concept bootstrap =
    requires(T& some, T const& fixed, std::span<std::byte const> mine, steady::time_point until) {
        { fixed.rank() } -> std::same_as<int>;
        { fixed.size() } -> std::same_as<int>;
        { some.all_gather(mine, until) } -> std::same_as<std::vector<bootstrap_bytes>>;
    };

namespace detail {

/// Throws usage_error where a rank gives more than it may.
inline void require_bootstrap_bytes(int rank, std::size_t bytes) {
    if (bytes > most_bootstrap_bytes) {
        throw_error<usage_error>("rank ", rank, ", meeting: ", bytes, " bytes, more than ",
                                 most_bootstrap_bytes);
    }
}

/// Throws transport_error where a peer says that it gives more than it may.
inline void require_given_bytes(int rank, int peer, std::size_t bytes) {
    if (bytes > most_bootstrap_bytes) {
        throw_error<transport_error>("rank ", rank, ", meeting: rank ", peer, " gives ", bytes,
                                     " bytes, more than ", most_bootstrap_bytes);
    }
}

/// "rank 0, join: time ran out; missing rank 2 3", and then `why`.
inline timeout_error missing_ranks_error(int rank, std::string_view action,
                                         std::vector<int> missing, std::string_view why = {}) {
    auto text = text_of("rank ", rank, ", ", action, ": time ran out; missing rank");
    for (auto const r : missing) { add_text(text, " ", r); }
    return {text.append(why), std::move(missing)};
}
inline timeout_error bootstrap_timeout(int rank, std::vector<int> missing) {
    return missing_ranks_error(rank, "meeting", std::move(missing));
}

inline peer_lost_error bootstrap_loss(int rank, int peer) {
    return {text_of("rank ", rank, ", meeting: rank ", peer, " has ended or left"), peer};
}

/// Lets calls through until one has thrown.
class until_broken {
public:
    template <class F>
    auto operator()(int rank, F&& f) {
        if (broken_) {
            throw_error<transport_error>("rank ", rank, ", meeting: an earlier call has failed");
        }
        broken_ = true;
        auto result = f();
        broken_ = false;
        return result;
    }

private:
    bool broken_ = false;
};

}  // namespace detail

}  // namespace collectives
