// SPDX-License-Identifier: BSD-3-Clause
// How the page and the compiled headers pass numbers: one block of bytes in, one block out. The
// layouts stand beside the functions in exports.cpp; page/core.js writes and reads them.
#pragma once

#include <collectives/schedule.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace explorer {

namespace coll = collectives;

/// A block of bytes that grows, read and written value by value.
class block_of_bytes {
public:
    void clear() { bytes_.clear(); }
    void resize(std::size_t bytes) { bytes_.resize(bytes); }
    std::byte* data() { return bytes_.data(); }
    std::size_t size() const { return bytes_.size(); }

    template <class T>
    void put(T const& value) {
        auto const at = bytes_.size();
        bytes_.resize(at + sizeof value);
        std::memcpy(bytes_.data() + at, &value, sizeof value);
    }
    void put(std::string_view text) {
        auto const at = bytes_.size();
        bytes_.resize(at + text.size());
        std::memcpy(bytes_.data() + at, text.data(), text.size());
    }
    /// `value(0)` to `value(count - 1)`, for which there is room at once.
    template <class T>
    void put_each(std::size_t count, auto value) {
        auto at = bytes_.size();
        bytes_.resize(at + count * sizeof(T));
        for (std::size_t i = 0; i < count; ++i, at += sizeof(T)) {
            T const one = value(i);
            std::memcpy(bytes_.data() + at, &one, sizeof one);
        }
    }
    /// Value number `i` of a block that holds values of one type.
    template <class T>
    T get(std::size_t i) const {
        T value{};
        std::memcpy(&value, bytes_.data() + i * sizeof value, sizeof value);
        return value;
    }

    /// All values of such a block.
    template <class T>
    std::vector<T> all() const {
        std::vector<T> result(bytes_.size() / sizeof(T));
        if (!result.empty()) {
            std::memcpy(result.data(), bytes_.data(), result.size() * sizeof(T));
        }
        return result;
    }

private:
    std::vector<std::byte> bytes_;
};

/// What the schedules of all ranks have in common, as the page names it.
struct job {
    coll::collective what;
    int size;
    coll::rank_t root;
    int chunks;
    int rounds;
};

inline constexpr std::size_t ints_per_step = 6;  // rank, round, verb, peer, first chunk, count

/// Appends the steps of all ranks, in rank order.
inline void put_steps(block_of_bytes& out, std::span<coll::schedule const> ranks) {
    for (auto const& own : ranks) {
        using one = std::array<std::int32_t, ints_per_step>;
        out.put_each<one>(own.steps.size(), [&](std::size_t i) {
            auto const& s = own.steps[i];
            return one{own.rank, s.round,        static_cast<int>(s.what),
                       s.peer,   s.chunks.first, s.chunks.count};
        });
    }
}

/// The schedules of these steps. Steps of ranks that do not exist are left out.
inline std::vector<coll::schedule> schedules_of(block_of_bytes const& in, job const& j) {
    std::vector<coll::schedule> result;
    for (coll::rank_t r = 0; r < j.size; ++r) {
        result.push_back({j.what, j.size, r, j.root, j.chunks, j.rounds, {}});
    }
    auto const steps = in.size() / (ints_per_step * sizeof(std::int32_t));
    // The rank of step i. What is no rank becomes a number that is too large for one.
    auto const rank_of = [&](std::size_t i) {
        return static_cast<std::size_t>(
            static_cast<std::uint32_t>(in.get<std::int32_t>(i * ints_per_step)));
    };
    std::vector<std::size_t> counts(result.size());
    for (std::size_t i = 0; i < steps; ++i) {
        if (rank_of(i) < counts.size()) { ++counts[rank_of(i)]; }
    }
    for (std::size_t r = 0; r < counts.size(); ++r) { result[r].steps.reserve(counts[r]); }
    for (std::size_t i = 0; i < steps; ++i) {
        if (rank_of(i) >= counts.size()) { continue; }
        auto const at = [&](std::size_t k) { return in.get<std::int32_t>(i * ints_per_step + k); };
        result[rank_of(i)].steps.push_back(
            {at(1), static_cast<coll::verb>(at(2)), at(3), {at(4), at(5)}});
    }
    return result;
}

}  // namespace explorer
