// SPDX-License-Identifier: BSD-3-Clause
// What a rank shows its peers of its device memory: lines in host memory that all can read. A
// location is a rank, the number of a line, and an offset.
#pragma once

#include <collectives/core/types.hpp>
#include <collectives/transport/cuda/calls.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace collectives::cuda {

struct location {
    static constexpr int offset_bits = 42, line_bits = 12;  // 4 TiB, 4096 allocations, 1023 ranks
    static constexpr std::size_t lines = std::size_t{1} << line_bits;
    static constexpr std::uint64_t most_offset = (std::uint64_t{1} << offset_bits) - 1;

    rank_t rank = 0;
    std::size_t line = 0;
    std::uint64_t offset = 0;

    std::uint64_t packed() const {
        return (static_cast<std::uint64_t>(rank) + 1) << (offset_bits + line_bits) |
               static_cast<std::uint64_t>(line) << offset_bits | offset;
    }
    static location of(std::uint64_t packed) {
        return {static_cast<rank_t>(packed >> (offset_bits + line_bits)) - 1,
                static_cast<std::size_t>(packed >> offset_bits) % lines, packed & most_offset};
    }
};

/// An allocation as its owner shows it.
struct export_entry {
    std::uint64_t base, bytes;
    std::uint64_t id;  // of the allocation there, never used again
    handle key;
};

/// An allocation that peers may open. Written by its owner alone, but for what peers count.
struct alignas(128) export_line {
    std::atomic<std::uint64_t> stamp;    // another value for every entry; 0 while it changes
    std::atomic<std::uint32_t> users;    // peers that have it mapped
    std::atomic<std::uint32_t> retired;  // its owner wants to free it: let go of it
    // Kernels of peers may work in it where they find it: the stamp, then a bit for each rank that
    // has opened it for them; 0: none are to.
    std::atomic<std::uint64_t> window;
    std::atomic<std::uint64_t> entry[sizeof(export_entry) / sizeof(std::uint64_t)];

    static constexpr int window_bits = 16;  // for ranks

    void show(export_entry const& e, std::uint64_t as) {
        window.store(0, std::memory_order_relaxed);
        stamp.store(0, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        std::array<std::uint64_t, std::extent_v<decltype(entry)>> words;
        std::memcpy(words.data(), &e, sizeof e);
        for (std::size_t i = 0; i < words.size(); ++i) {
            entry[i].store(words[i], std::memory_order_relaxed);
        }
        retired.store(0, std::memory_order_relaxed);
        stamp.store(as, std::memory_order_release);
    }
    /// What it shows under that stamp; nothing if it shows something else by now.
    std::optional<export_entry> read(std::uint64_t as) const {
        std::array<std::uint64_t, std::extent_v<decltype(entry)>> words;
        for (std::size_t i = 0; i < words.size(); ++i) {
            words[i] = entry[i].load(std::memory_order_relaxed);
        }
        std::atomic_thread_fence(std::memory_order_acquire);
        if (stamp.load(std::memory_order_relaxed) != as) { return {}; }
        export_entry e;
        std::memcpy(&e, words.data(), sizeof e);
        return e;
    }
};
struct alignas(128) export_table {
    std::atomic<std::uint64_t> retirements;  // grows with every line that is retired
    std::atomic<std::uint64_t> windows;      // likewise, with every line that becomes one
    std::atomic<std::uint64_t> used;         // lines that have shown anything
    export_line line[location::lines];
};

/// The owner's side.
class exports {
public:
    /// `table` is zeroed memory that all ranks see.
    exports(call_table& with, void* table, rank_t me)
        : calls_(with), table_(::new(table) export_table), me_(me) {}

    /// The location of memory that peers can open, else 0.
    std::uint64_t reach(void const* p, std::size_t bytes) {
        return reach(calls_.look(p), p, bytes, [this](allocation const& a) { return line_of(a); });
    }
    /// The location of memory in which kernels of all `peers`, a bit for each, find their way; else
    /// 0, and if this `may_ask`, they are asked to open it for the next calls.
    std::uint64_t window(void const* p, std::size_t bytes, std::uint64_t peers, bool may_ask) {
        auto const where = reach(calls_.look(p), p, bytes, [&](allocation const& a) {
            return may_ask ? line_of(a) : known_line(a);
        });
        if (where == 0) { return 0; }
        auto const i = location::of(where).line;
        auto& line = table_->line[i];
        auto const now = line.window.load(std::memory_order_acquire);
        if (now == 0 && may_ask && hold(i)) {
            auto const stamp = line.stamp.load(std::memory_order_relaxed);
            line.window.store(stamp << export_line::window_bits, std::memory_order_release);
            table_->windows.fetch_add(1, std::memory_order_release);
        }
        constexpr auto bits = (std::uint64_t{1} << export_line::window_bits) - 1;
        return now != 0 && (now & bits) == peers ? where : 0;
    }
    /// Asks peers to let go of what is to be freed; its line, if it has one.
    std::optional<std::size_t> retire(void* base) {
        auto const found = lines_.find(base);
        if (found == lines_.end()) { return {}; }
        auto const i = found->second;
        lines_.erase(found);
        give_up(i);
        used_[i] = {};
        auto& line = table_->line[i];
        line.retired.store(1, std::memory_order_release);
        table_->retirements.fetch_add(1, std::memory_order_release);
        return i;
    }
    /// Line i is for no other memory before this is freed. False if too many are, of memory that
    /// still exists.
    bool hold(std::size_t i) {
        if (held_ == most_held && stamp_ >= next_sweep_) {
            next_sweep_ = stamp_ + most_held;
            for (std::size_t k = 0; k < used_.size(); ++k) {
                auto const& one = used_[k];
                if (one.is_held && calls_.look(one.base).id != one.id) { give_up(k); }
            }
        }
        if (held_ == most_held) { return false; }
        ++held_;
        return used_[i].is_held = true;
    }
    bool in_use(std::size_t i) const {
        return table_->line[i].users.load(std::memory_order_acquire) != 0;
    }

private:
    struct use {
        void* base = nullptr;
        std::uint64_t bytes = 0, id = 0;
        std::uint64_t last = 0;  // when it was asked for
        bool is_held = false;    // not for other memory before this is freed: kernels know it
    };
    static constexpr std::size_t most_held = location::lines / 2;

    template <class Line>
    std::uint64_t reach(allocation const& a, void const* p, std::size_t bytes, Line const& find) {
        if (a.is != allocation::kind::shareable) { return 0; }
        auto const offset = static_cast<std::uint64_t>(static_cast<std::byte const*>(p) -
                                                       static_cast<std::byte*>(a.base));
        if (offset + bytes > a.bytes || a.bytes > location::most_offset) { return 0; }
        std::optional<std::size_t> const line = find(a);
        return line ? location{me_, *line, offset}.packed() : 0;
    }

    std::optional<std::size_t> known_line(allocation const& a) const {
        auto const found = lines_.find(a.base);
        if (found == lines_.end() || used_[found->second].id != a.id) { return {}; }
        return found->second;
    }
    /// None where peers hold on to all lines that its owner has retired.
    std::optional<std::size_t> line_of(allocation const& a) {
        if (auto const known = known_line(a)) {
            used_[*known].last = ++clock_;
            return known;
        }
        auto const found = lines_.find(a.base);
        auto const which = found != lines_.end() ? std::optional(found->second) : free_line();
        if (!which) { return {}; }
        auto const i = *which;
        auto const key = calls_.share(a.base);
        give_up_overlapped(a);
        auto const base = reinterpret_cast<std::uintptr_t>(a.base);
        table_->line[i].show({base, a.bytes, a.id, key}, ++stamp_);
        table_->used.store(used_.size(), std::memory_order_release);
        lines_[a.base] = i;
        used_[i] = {a.base, a.bytes, a.id, ++clock_, false};
        return i;
    }
    /// A line that was never used, else of those that no peer holds, else of all that are not
    /// retired, the one not asked for for the longest time: there are more than a rank's runs can
    /// be using at once. What is retired and held waits to be freed.
    std::optional<std::size_t> free_line() {
        if (used_.size() < location::lines) {
            used_.emplace_back();
            return used_.size() - 1;
        }
        std::optional<std::size_t> best;
        std::pair<bool, std::uint64_t> its{};
        for (std::size_t i = 0; i < used_.size(); ++i) {
            if (used_[i].is_held) { continue; }
            auto const held = in_use(i);
            if (held && table_->line[i].retired.load(std::memory_order_relaxed) != 0) { continue; }
            auto const here = std::pair{held, used_[i].last};
            if (!best || here < its) { best = i, its = here; }
        }
        if (best) { lines_.erase(used_[*best].base); }
        return best;
    }

    void give_up(std::size_t i) {
        if (!std::exchange(used_[i].is_held, false)) { return; }
        --held_;
        table_->line[i].window.store(0, std::memory_order_release);
    }
    /// What was held there is memory that its user has freed: peers need not look for it.
    void give_up_overlapped(allocation const& a) {
        auto const first = reinterpret_cast<std::uintptr_t>(a.base);
        for (std::size_t i = 0; i < used_.size() && held_ != 0; ++i) {
            auto const its = reinterpret_cast<std::uintptr_t>(used_[i].base);
            if (its < first + a.bytes && first < its + used_[i].bytes) { give_up(i); }
        }
    }

    call_table& calls_;
    export_table* table_;
    rank_t me_;
    std::unordered_map<void*, std::size_t> lines_;
    std::vector<use> used_;
    std::size_t held_ = 0;
    std::uint64_t stamp_ = 0, clock_ = 0;
    std::uint64_t next_sweep_ = 0;  // a stamp
};

}  // namespace collectives::cuda
