// SPDX-License-Identifier: BSD-3-Clause
// Device memory that a rank shows its peers: it has an entry in host memory that all can read. A
// location is a rank, the number of an entry, and an offset.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/cuda/calls.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

namespace collectives::inline v0::cuda {

struct location {
    static constexpr int offset_bits = 42, entry_bits = 12;  // 4 TiB, 4096 allocations, 1023 ranks
    static constexpr std::size_t entries = std::size_t{1} << entry_bits;
    static constexpr std::uint64_t most_offset = (std::uint64_t{1} << offset_bits) - 1;

    rank_t rank = 0;
    std::size_t entry = 0;
    std::uint64_t offset = 0;

    std::uint64_t packed() const {
        return (static_cast<std::uint64_t>(rank) + 1) << (offset_bits + entry_bits) |
               static_cast<std::uint64_t>(entry) << offset_bits | offset;
    }
    static location of(std::uint64_t packed) {
        return {static_cast<rank_t>(packed >> (offset_bits + entry_bits)) - 1,
                static_cast<std::size_t>(packed >> offset_bits) % entries, packed & most_offset};
    }
};

/// An allocation that peers may open. Written by its owner alone, while no run uses it; `stamp`
/// changes last.
struct alignas(128) export_entry {
    std::atomic<std::uint64_t> stamp;    // another value for every allocation shown here
    std::atomic<std::uint32_t> users;    // peers that have it mapped
    std::atomic<std::uint32_t> retired;  // its owner wants to free it: let go of it
    handle key;
    std::uint64_t base, bytes, id;
};
struct alignas(128) export_table {
    std::atomic<std::uint64_t> retirements;  // grows with every entry that is retired
    export_entry entry[location::entries];
};

/// The owner's side.
class exports {
public:
    /// `table` is zeroed memory that all ranks see.
    exports(call_table& with, void* table, rank_t me)
        : calls_(with), table_(::new(table) export_table), me_(me) {}

    /// The location of memory that peers can open, else 0.
    std::uint64_t reach(void const* p, std::size_t bytes) {
        auto const a = calls_.allocation_of(p);
        if (a.is != allocation::kind::shareable) { return 0; }
        auto const offset = static_cast<std::uint64_t>(static_cast<std::byte const*>(p) -
                                                       static_cast<std::byte*>(a.base));
        if (offset + bytes > a.bytes || a.bytes > location::most_offset) { return 0; }
        auto const entry = entry_of(a);
        return entry ? location{me_, *entry, offset}.packed() : 0;
    }
    /// Asks peers to let go of memory that is to be freed. Returns its entry, if it has one.
    std::optional<std::size_t> retire(void* base) {
        auto const found = entries_.find(base);
        if (found == entries_.end()) { return {}; }
        auto const i = found->second;
        entries_.erase(found);
        used_[i].base = nullptr;
        used_[i].last = 0;
        auto& entry = table_->entry[i];
        entry.retired.store(1, std::memory_order_release);
        table_->retirements.fetch_add(1, std::memory_order_release);
        return i;
    }
    bool in_use(std::size_t i) const {
        return table_->entry[i].users.load(std::memory_order_acquire) != 0;
    }

private:
    struct use {
        void* base = nullptr;
        std::uint64_t last = 0;  // when it was asked for
    };

    /// None where peers hold on to all entries that its owner has retired.
    std::optional<std::size_t> entry_of(allocation const& a) {
        auto const found = entries_.find(a.base);
        if (found != entries_.end() && table_->entry[found->second].id == a.id) {
            used_[found->second].last = ++clock_;
            return found->second;
        }
        auto const which = found != entries_.end() ? std::optional(found->second) : free_entry();
        if (!which) { return {}; }
        auto const i = *which;
        auto& entry = table_->entry[i];
        entry.key = calls_.share(a.base);
        entry.base = reinterpret_cast<std::uintptr_t>(a.base);
        entry.bytes = a.bytes;
        entry.id = a.id;
        entry.retired.store(0, std::memory_order_relaxed);
        entry.stamp.store(++stamp_, std::memory_order_release);
        entries_[a.base] = i;
        used_[i] = {a.base, ++clock_};
        return i;
    }
    /// An entry that was never used. If there is none, the entry that was not asked for for the
    /// longest time: of those that no peer holds, or, if peers hold all, of those that are not
    /// retired. No run uses it, since there are more entries than the runs of a rank can use. An
    /// entry that is retired and held stays until its memory is freed.
    std::optional<std::size_t> free_entry() {
        if (used_.size() < location::entries) {
            used_.emplace_back();
            return used_.size() - 1;
        }
        std::optional<std::size_t> best;
        std::pair<bool, std::uint64_t> its{};
        for (std::size_t i = 0; i < used_.size(); ++i) {
            auto const held = in_use(i);
            if (held && table_->entry[i].retired.load(std::memory_order_relaxed) != 0) { continue; }
            auto const here = std::pair{held, used_[i].last};
            if (!best || here < its) { best = i, its = here; }
        }
        if (best) { entries_.erase(used_[*best].base); }
        return best;
    }

    call_table& calls_;
    export_table* table_;
    rank_t me_;
    std::unordered_map<void*, std::size_t> entries_;
    lean_vector<use> used_;
    std::uint64_t stamp_ = 0, clock_ = 0;
};

}  // namespace collectives::cuda
