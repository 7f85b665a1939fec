// SPDX-License-Identifier: BSD-3-Clause
// A rank's view of what its peers in other processes show of their device memory.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/transport/cuda/exports.hpp>
#include <collectives/transport/cuda/mappings.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace collectives::inline v0::cuda {

class imports {
public:
    imports(std::shared_ptr<mappings> all, int device) : all_(std::move(all)), device_(device) {}
    imports(imports const&) = delete;
    imports& operator=(imports const&) = delete;
    ~imports() { close(); }
    /// Lets go of everything.
    void close() {
        for (auto& p : peers_) {
            for (std::size_t i = 0; i < p.entries.size(); ++i) { let_go(p, i); }
        }
        peers_.clear();
    }

    /// Rank r of the job is process `process`, and shows its memory in `table`.
    void add(rank_t r, std::uint64_t process, export_table* table) {
        auto const i = static_cast<std::size_t>(r);
        if (peers_.size() <= i) { peers_.resize(i + 1); }
        peers_[i] = {process, table, 0, {}};
    }

    /// The address of a location in this process. Opens memory that is not known, and may close
    /// other memory for that, after `wait()`. Throws transport_error if that fails, or if the
    /// location has fewer bytes. Null for no bytes at no location.
    template <class Wait>
    std::byte* at(location where, std::size_t bytes, Wait const& wait) {
        if (where.rank < 0 && bytes == 0) { return nullptr; }
        auto const i = static_cast<std::size_t>(where.rank);
        if (i >= peers_.size() || peers_[i].table == nullptr) { refuse(); }
        auto& p = peers_[i];
        auto& entry = p.table->entry[where.entry];
        if (p.entries.size() <= where.entry) { p.entries.resize(where.entry + 1); }
        auto& mine = p.entries[where.entry];
        auto const stamp = entry.stamp.load(std::memory_order_acquire);
        auto* base = mine.mapped ? mine.mapped->at() : nullptr;
        if (mine.stamp != stamp || base == nullptr) {
            if (mine.mapped) { wait(); }
            let_go(p, where.entry);
            mine.mapped =
                all_->get({p.process, entry.base, entry.bytes, entry.id, entry.key}, device_, wait);
            base = mine.mapped->at();
            mine.stamp = stamp;
            entry.users.fetch_add(1, std::memory_order_acq_rel);
        }
        if (where.offset + bytes > entry.bytes) { refuse(); }
        return base + where.offset;
    }

    /// Lets go of what its owners want to free, after `wait()`: kernels may still be at work there.
    /// True if there was any.
    template <class Wait>
    bool poll(Wait&& wait) {
        bool any = false;
        for (auto& p : peers_) {
            if (p.table == nullptr) { continue; }
            auto const now = p.table->retirements.load(std::memory_order_acquire);
            if (std::exchange(p.seen, now) == now) { continue; }
            for (std::size_t i = 0; i < p.entries.size(); ++i) {
                if (p.table->entry[i].retired.load(std::memory_order_acquire) != 0) {
                    if (p.entries[i].mapped && !any) { wait(); }
                    any = let_go(p, i) || any;
                }
            }
        }
        return any;
    }

private:
    struct seen_entry {
        std::uint64_t stamp = 0;
        std::shared_ptr<mapping> mapped;
    };
    struct peer {
        std::uint64_t process = 0;
        export_table* table = nullptr;
        std::uint64_t seen = 0;  // retirements
        lean_vector<seen_entry> entries;
    };

    [[noreturn]] static void refuse() {
        throw transport_error("a peer's memory is not where the peer says");
    }
    static bool let_go(peer& p, std::size_t i) {
        auto& mine = p.entries[i];
        if (!mine.mapped) { return false; }
        mine = {};
        p.table->entry[i].users.fetch_sub(1, std::memory_order_acq_rel);
        return true;
    }

    std::shared_ptr<mappings> all_;
    int device_;
    lean_vector<peer> peers_;  // by their rank in the job
};

}  // namespace collectives::cuda
