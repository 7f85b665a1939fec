// SPDX-License-Identifier: BSD-3-Clause
// How long messages take that share links fairly: max-min fairness, message by message. All of them
// start together, each at a rate that stays until one of them ends; then the rates are found anew.
// They are found by raising all of them together from 0: when a link is full, the messages on it
// keep the rate that they have, and the others are raised further. Every link carries one byte in a
// unit of time; a message needs all links of its way at once.
#pragma once

#include "wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace explorer {

/// A message: its bytes, and the numbers of the links that it crosses.
struct shared_message {
    double bytes;
    std::span<int const> way;

    friend bool operator==(shared_message const& a, shared_message const& b) {
        return a.bytes == b.bytes && std::ranges::equal(a.way, b.way);
    }
};

class fair_sharing {
public:
    explicit fair_sharing(std::span<shared_message const> messages, int links)
        : messages_(messages),
          left_(messages.size()),
          rate_(messages.size()),
          on_(static_cast<std::size_t>(links)),
          room_(on_.size()),
          open_(on_.size()) {
        for (std::size_t m = 0; m < messages.size(); ++m) {
            left_[m] = messages[m].bytes;
            if (left_[m] > 0 && !messages[m].way.empty()) { under_way_.push_back(m); }
        }
        for (auto const m : under_way_) {
            for (int const link : messages[m].way) { on_[at(link)].push_back(m); }
        }
        for (std::size_t link = 0; link < on_.size(); ++link) {
            if (!on_[link].empty()) { used_.push_back(link); }
        }
    }

    /// When each message has ended.
    std::vector<double> run() {
        std::vector<double> result(messages_.size());
        double now = 0;
        while (!under_way_.empty()) {
            find_rates();
            double first = std::numeric_limits<double>::infinity();
            for (auto const m : under_way_) { first = std::min(first, left_[m] / rate_[m]); }
            now += first;
            // What ends within a hair of the first ends with it: rounding makes no events.
            for (auto const m : under_way_) {
                bool const ends = left_[m] / rate_[m] <= first * (1 + 1e-9);
                left_[m] = ends ? 0 : left_[m] - first * rate_[m];
                if (ends) { result[m] = now; }
            }
            std::erase_if(under_way_, [this](std::size_t m) { return left_[m] <= 0; });
        }
        return result;
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    /// Finds the rates of the messages that are under way now; those of the others are 0.
    void find_rates() {
        std::fill(rate_.begin(), rate_.end(), 0.0);
        for (auto const link : used_) {
            room_[link] = 1;
            open_[link] = 0;
            for (auto const m : on_[link]) { open_[link] += left_[m] > 0 ? 1 : 0; }
        }
        for (auto growing = under_way_.size(); growing > 0;) { growing -= fill_one(); }
    }

    /// Fixes the rates of those that cross the link that is full first; says how many these are.
    std::size_t fill_one() {
        std::size_t full = 0;
        double least = std::numeric_limits<double>::infinity();
        for (auto const link : used_) {
            if (open_[link] > 0 && room_[link] / open_[link] < least) {
                least = room_[link] / open_[link];
                full = link;
            }
        }
        std::size_t fixed = 0;
        for (auto const m : on_[full]) {
            if (left_[m] <= 0 || rate_[m] > 0) { continue; }
            rate_[m] = least;
            ++fixed;
            for (int const link : messages_[m].way) {
                room_[at(link)] = std::max(0.0, room_[at(link)] - least);
                --open_[at(link)];
            }
        }
        return fixed;
    }

    std::span<shared_message const> messages_;
    std::vector<double> left_, rate_;
    std::vector<std::size_t> under_way_, used_;  // messages; links that some message crosses
    std::vector<std::vector<std::size_t>> on_;   // the messages that cross a link
    std::vector<double> room_;
    std::vector<int> open_;  // how many messages of a link have no rate yet
};

/// The messages of each round; see `share` in exports.cpp. False if `all` is not of that form.
inline bool share_rounds(std::vector<std::int32_t> const& all, std::vector<double> const& bytes,
                         int links, int rounds, block_of_bytes& out) {
    std::vector<std::vector<shared_message>> of(static_cast<std::size_t>(std::max(0, rounds)));
    std::size_t i = 0, message = 0;
    int before = 0;
    for (; i + 2 <= all.size() && message < bytes.size(); ++message) {
        int const round = all[i];
        auto const length = static_cast<std::size_t>(std::max(0, all[i + 1]));
        auto const rest = std::span(all).subspan(i + 2);
        if (round < before || round >= rounds || all[i + 1] < 0 || length > rest.size()) {
            return false;
        }
        auto const way = rest.first(length);
        for (int const link : way) {
            if (link < 0 || link >= links) { return false; }
        }
        of[static_cast<std::size_t>(round)].push_back({bytes[message], way});
        before = round;
        i += 2 + length;
    }
    if (i != all.size() || message != bytes.size()) { return false; }
    std::vector<double> ends;
    for (std::size_t r = 0; r < of.size(); ++r) {
        if (r == 0 || of[r] != of[r - 1]) { ends = fair_sharing(of[r], links).run(); }
        for (double const end : ends) { out.put(end); }
    }
    return true;
}

}  // namespace explorer
