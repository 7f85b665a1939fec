// SPDX-License-Identifier: BSD-3-Clause
// Sums as symbols: which ranks' contributions a value holds, and how they are bracketed.
#pragma once

#include <collectives/core/lean_list.hpp>
#include <collectives/schedule/step.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::detail {

/// An operand of a sum, and the rank that it comes from.
struct operand {
    rank_t from;
    int value;
    friend constexpr auto operator<=>(operand const&, operand const&) = default;
};

/// An arena of values. A value is a number: below `ranks` it is that rank's own contribution, above
/// that an n-ary sum of earlier values. All chunks share the arena, because a step never moves one
/// chunk to another.
class brackets {
public:
    constexpr explicit brackets(int ranks)
        : ranks_(ranks), words_((static_cast<std::size_t>(ranks) + 63) / 64) {
        for (rank_t r = 0; r < ranks; ++r) {
            nodes_.push_back({0, 0, r, r, true});
            bits_.resize(bits_.size() + words_);
            bits_[static_cast<std::size_t>(r) * words_ + static_cast<std::size_t>(r) / 64] =
                std::uint64_t{1} << (r % 64);
        }
    }

    /// The sum of two or more values in this order, or -1 if they share a contribution.
    constexpr int sum(lean_list<operand> const& operands) {
        auto const at = bits_.size();
        bits_.resize(at + words_);
        node result{children_.size(), operands.size(), nodes_[index(operands[0].value)].low,
                    nodes_[index(operands[operands.size() - 1].value)].high, true};
        int previous_high = result.low - 1;
        for (auto const& [from, value] : operands) {
            node const& part = nodes_[index(value)];
            for (std::size_t w = 0; w < words_; ++w) {
                auto const theirs = bits_[index(value) * words_ + w];
                if ((bits_[at + w] & theirs) != 0) { return -1; }
                bits_[at + w] |= theirs;
            }
            result.ordered = result.ordered && part.ordered && part.low == previous_high + 1;
            previous_high = part.high;
            children_.push_back(value);
        }
        nodes_.push_back(result);
        return static_cast<int>(nodes_.size()) - 1;
    }

    /// Whether the contributions of the first `ranks` ranks are in the value, and no others (each
    /// once: `sum` ensures that).
    constexpr bool complete(int value, int ranks) const {
        for (std::size_t w = 0; w < words_; ++w) {
            int const left = ranks - 64 * static_cast<int>(w);
            auto const all = left >= 64  ? ~std::uint64_t{0}
                             : left <= 0 ? 0
                                         : (std::uint64_t{1} << left) - 1;
            if (bits_[index(value) * words_ + w] != all) { return false; }
        }
        return true;
    }

    /// Whether every contribution in `part` is in `value` too.
    constexpr bool covers(int value, int part) const {
        for (std::size_t w = 0; w < words_; ++w) {
            if ((bits_[index(part) * words_ + w] & ~bits_[index(value) * words_ + w]) != 0) {
                return false;
            }
        }
        return true;
    }

    /// Whether two values are the same sum of the same ranks, bracket by bracket.
    constexpr bool same(int a, int b) const {
        if (a == b) { return true; }
        if (a < ranks_ || b < ranks_) { return false; }
        node const& x = nodes_[index(a)];
        node const& y = nodes_[index(b)];
        if (x.count != y.count || x.low != y.low || x.high != y.high) { return false; }
        for (std::size_t i = 0; i < x.count; ++i) {
            if (!same(children_[x.first + i], children_[y.first + i])) { return false; }
        }
        return true;
    }

    /// Whether every bracket is over consecutive ranks, in ascending order.
    constexpr bool ordered(int value) const { return nodes_[index(value)].ordered; }

    /// Whether a value of so many contributions is one sum in rank order.
    constexpr bool is_left_fold(int value, int ranks) const {
        return nodes_[index(value)].ordered &&
               (ranks == 1 || nodes_[index(value)].count == static_cast<std::size_t>(ranks));
    }

private:
    struct node {
        std::size_t first;  // of its operands in children_
        std::size_t count;
        rank_t low;  // first and last contribution, as they stand
        rank_t high;
        bool ordered;
    };

    static constexpr std::size_t index(int value) { return static_cast<std::size_t>(value); }

    int ranks_;
    std::size_t words_;
    lean_list<node> nodes_;
    lean_list<int> children_;
    lean_list<std::uint64_t> bits_;  // words_ per node: the contributions
};

}  // namespace collectives::detail
