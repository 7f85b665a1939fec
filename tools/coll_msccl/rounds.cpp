// SPDX-License-Identifier: BSD-3-Clause
#include "rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace coll_msccl {
namespace {

constexpr std::size_t most_operations = 30'000;
constexpr std::size_t most_touches = 2'000'000;  // of a chunk by an operation
constexpr std::size_t most_pairs = 4'000'000;    // of operations that touch the same chunk

std::size_t index(int i) { return static_cast<std::size_t>(i); }

struct message {
    int send;
    int receive;
};

/// The k-th send from one rank to another over a channel meets the k-th receive.
std::vector<message> messages_of(program const& p) {
    using way = std::tuple<coll::rank_t, coll::rank_t, int>;  // from, to, channel
    std::map<way, std::pair<std::vector<int>, std::vector<int>>> ways;
    for (int i = 0; i < static_cast<int>(p.operations.size()); ++i) {
        auto const& o = p.operations[index(i)];
        if (o.what == action::nothing) { continue; }
        bool const sends = o.what == action::send;
        auto& both = ways[{sends ? o.rank : o.peer, sends ? o.peer : o.rank, o.channel}];
        (sends ? both.first : both.second).push_back(i);
    }
    std::vector<message> result;
    for (auto const& [w, both] : ways) {
        auto const& [sends, receives] = both;
        if (sends.size() != receives.size()) {
            throw std::runtime_error(fmt::format(
                "gpu {} sends {} times to gpu {} over channel {}, which receives {} times",
                std::get<0>(w), sends.size(), std::get<1>(w), std::get<2>(w), receives.size()));
        }
        for (std::size_t k = 0; k < sends.size(); ++k) {
            auto const& from = p.operations[index(sends[k])];
            auto const& to = p.operations[index(receives[k])];
            if (from.chunks != to.chunks) {
                throw std::runtime_error(fmt::format(
                    "{} sends chunks {} to {}, which {} receives as chunks {} to {}", from.place,
                    from.chunks.first, from.chunks.first + from.chunks.count - 1, to.place,
                    to.chunks.first, to.chunks.first + to.chunks.count - 1));
            }
            result.push_back({sends[k], receives[k]});
        }
    }
    return result;
}

/// Which operations come before which, on whatever rank.
class before_relation {
public:
    before_relation(program const& p, std::vector<message> const& messages)
        : count_(p.operations.size()), words_((count_ + 63) / 64), bits_(count_ * words_) {
        std::vector<std::vector<int>> next(count_);
        std::vector<int> waits_for(count_, 0);
        auto const add = [&](int a, int b) {
            next[index(a)].push_back(b);
            ++waits_for[index(b)];
        };
        for (auto const& [a, b] : p.order) { add(a, b); }
        for (auto const& m : messages) { add(m.send, m.receive); }
        std::vector<int> ready;
        for (std::size_t i = 0; i < count_; ++i) {
            if (waits_for[i] == 0) { ready.push_back(static_cast<int>(i)); }
        }
        for (std::size_t k = 0; k < ready.size(); ++k) {
            for (int const b : next[index(ready[k])]) {
                take_over(ready[k], b);
                if (--waits_for[index(b)] == 0) { ready.push_back(b); }
            }
        }
        for (std::size_t i = 0; i < count_; ++i) {
            if (waits_for[i] != 0) {
                throw std::runtime_error(p.operations[i].place + " waits for itself, in a circle");
            }
        }
    }

    bool holds(int a, int b) const {
        return (bits_[index(b) * words_ + index(a) / 64] >> (index(a) % 64) & 1U) != 0;
    }

private:
    void take_over(int a, int b) {
        auto const from = index(a) * words_, to = index(b) * words_;
        for (std::size_t w = 0; w < words_; ++w) { bits_[to + w] |= bits_[from + w]; }
        bits_[to + index(a) / 64] |= std::uint64_t{1} << (index(a) % 64);
    }

    std::size_t count_, words_;
    std::vector<std::uint64_t> bits_;
};

/// Message `later` is in a round at least `distance` after that of `earlier`.
struct constraint {
    int earlier;
    int later;
    int distance;
};

/// From each two operations of a rank that touch the same chunk, one of which writes it.
std::vector<constraint> constraints_of(program const& p, std::vector<message> const& messages) {
    before_relation const before(p, messages);
    std::vector<int> message_of(p.operations.size(), -1);
    for (int m = 0; m < static_cast<int>(messages.size()); ++m) {
        message_of[index(messages[index(m)].send)] = m;
        message_of[index(messages[index(m)].receive)] = m;
    }
    std::size_t touches = 0, pairs = 0;
    for (auto const& o : p.operations) { touches += index(o.chunks.count); }
    if (touches > most_touches) {
        throw std::runtime_error(fmt::format("its operations touch chunks {} times, more than {}",
                                             touches, most_touches));
    }
    std::vector<std::vector<int>> touching(index(p.size) * index(p.chunks));
    for (int i = 0; i < static_cast<int>(p.operations.size()); ++i) {
        auto const& o = p.operations[index(i)];
        for (int c = 0; c < o.chunks.count; ++c) {
            touching[index(o.rank) * index(p.chunks) + index(o.chunks.first + c)].push_back(i);
        }
    }
    std::vector<constraint> result;
    for (auto const& all : touching) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (std::size_t k = i + 1; k < all.size(); ++k) {
                int a = all[i], b = all[k];
                auto const sends = [&](int o) {
                    return p.operations[index(o)].what == action::send;
                };
                if (++pairs > most_pairs) {
                    throw std::runtime_error(fmt::format(
                        "more than {} pairs of operations touch the same chunk", most_pairs));
                }
                if (sends(a) && sends(b)) { continue; }
                if (before.holds(b, a)) {
                    std::swap(a, b);
                } else if (!before.holds(a, b)) {
                    throw std::runtime_error(
                        fmt::format("{} and {} have no order, and touch the same chunk",
                                    p.operations[index(a)].place, p.operations[index(b)].place));
                }
                // A send of a round reads the value from before the round, and what arrives in one
                // round to be added is one sum.
                auto const what = [&](int o) { return p.operations[index(o)].what; };
                bool const one_sum =
                    what(a) == action::recv_reduce && what(b) == action::recv_reduce;
                result.push_back({message_of[index(a)], message_of[index(b)],
                                  what(a) == action::send || one_sum ? 0 : 1});
            }
        }
    }
    return result;
}

constexpr std::size_t most_turns = 2'000;

/// The earliest round of each message. Each turn settles at least one more link of the longest
/// chain of constraints.
std::vector<int> rounds_of(std::size_t messages, std::vector<constraint> const& all) {
    std::vector<int> rounds(messages, 0);
    for (std::size_t turn = 0; turn <= std::min(messages, most_turns); ++turn) {
        bool changed = false;
        for (auto const& c : all) {
            int const least = rounds[index(c.earlier)] + c.distance;
            if (rounds[index(c.later)] < least) {
                rounds[index(c.later)] = least;
                changed = true;
            }
        }
        if (!changed) { return rounds; }
    }
    throw std::runtime_error(
        fmt::format("its messages have an order that no rounds have, or more than {} follow one "
                    "another",
                    most_turns));
}

}  // namespace

std::vector<coll::schedule> schedules_of(program const& of) {
    if (of.operations.size() > most_operations) {
        throw std::runtime_error(fmt::format("it has {} operations, more than {}",
                                             of.operations.size(), most_operations));
    }
    auto const messages = messages_of(of);
    auto const rounds = rounds_of(messages.size(), constraints_of(of, messages));
    int const last = rounds.empty() ? -1 : *std::max_element(rounds.begin(), rounds.end());
    std::vector<coll::schedule> result;
    for (coll::rank_t r = 0; r < of.size; ++r) {
        result.push_back({coll::collective::all_reduce, of.size, r, 0, of.chunks, last + 1, {}});
    }
    std::vector<std::size_t> by_round(messages.size());
    for (std::size_t m = 0; m < by_round.size(); ++m) { by_round[m] = m; }
    std::stable_sort(by_round.begin(), by_round.end(),
                     [&](auto a, auto b) { return rounds[a] < rounds[b]; });
    for (auto const m : by_round) {
        for (int const i : {messages[m].send, messages[m].receive}) {
            auto const& o = of.operations[index(i)];
            auto const what = o.what == action::send        ? coll::verb::send
                              : o.what == action::recv_copy ? coll::verb::recv_copy
                                                            : coll::verb::recv_reduce;
            result[index(o.rank)].steps.push_back({rounds[m], what, o.peer, o.chunks});
        }
    }
    for (auto& own : result) {  // what is sent is what was there before the round
        std::stable_sort(own.steps.begin(), own.steps.end(), [](auto const& a, auto const& b) {
            bool const a_receives = a.what != coll::verb::send,
                       b_receives = b.what != coll::verb::send;
            return std::pair(a.round, a_receives) < std::pair(b.round, b_receives);
        });
    }
    return result;
}

}  // namespace coll_msccl
