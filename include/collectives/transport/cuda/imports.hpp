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
            for (std::size_t i = 0; i < p.lines.size(); ++i) { let_go(p, i); }
        }
        peers_.clear();
    }

    /// Rank r of the job is process `process`, and shows its memory in `table`.
    void add(rank_t r, std::uint64_t process, export_table* table) {
        auto const i = static_cast<std::size_t>(r);
        if (peers_.size() <= i) { peers_.resize(i + 1); }
        peers_[i] = {process, table, 0, {}};
    }

    /// The address here. Opens what is not known, for which other memory may be closed after
    /// `wait()`. Throws transport_error where that fails, and for what is no location of so many
    /// bytes. Null for what is no location: of no bytes.
    template <class Wait>
    std::byte* at(location where, std::size_t bytes, Wait const& wait) {
        if (where.rank < 0 && bytes == 0) { return nullptr; }
        auto const i = static_cast<std::size_t>(where.rank);
        if (i >= peers_.size() || peers_[i].table == nullptr) { refuse(); }
        auto& p = peers_[i];
        auto& line = p.table->line[where.line];
        if (p.lines.size() <= where.line) { p.lines.resize(where.line + 1); }
        auto& mine = p.lines[where.line];
        auto const stamp = line.stamp.load(std::memory_order_acquire);
        auto* base = mine.mapped ? mine.mapped->at() : nullptr;
        if (mine.stamp != stamp || base == nullptr) {
            if (mine.mapped) { wait(); }
            let_go(p, where.line);
            mine.mapped =
                all_->get({p.process, line.base, line.bytes, line.id, line.key}, device_, wait);
            base = mine.mapped->at();
            mine.stamp = stamp;
            line.users.fetch_add(1, std::memory_order_acq_rel);
        }
        if (where.offset + bytes > line.bytes) { refuse(); }
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
            for (std::size_t i = 0; i < p.lines.size(); ++i) {
                if (p.table->line[i].retired.load(std::memory_order_acquire) != 0) {
                    if (p.lines[i].mapped && !any) { wait(); }
                    any = let_go(p, i) || any;
                }
            }
        }
        return any;
    }

private:
    struct seen_line {
        std::uint64_t stamp = 0;
        std::shared_ptr<mapping> mapped;
    };
    struct peer {
        std::uint64_t process = 0;
        export_table* table = nullptr;
        std::uint64_t seen = 0;  // retirements
        lean_vector<seen_line> lines;
    };

    [[noreturn]] static void refuse() {
        throw transport_error("a peer's memory is not where the peer says");
    }
    static bool let_go(peer& p, std::size_t i) {
        auto& mine = p.lines[i];
        if (!mine.mapped) { return false; }
        mine = {};
        p.table->line[i].users.fetch_sub(1, std::memory_order_acq_rel);
        return true;
    }

    std::shared_ptr<mappings> all_;
    int device_;
    lean_vector<peer> peers_;  // by their rank in the job
};

}  // namespace collectives::cuda
