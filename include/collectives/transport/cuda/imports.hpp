// SPDX-License-Identifier: BSD-3-Clause
// A rank's view of what its peers in other processes show of their device memory.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/cuda/exports.hpp>
#include <collectives/transport/cuda/mappings.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace collectives::cuda {

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
        peers_[i] = {process, table, 0, 0, {}};
    }

    /// The address here. Opens what is not known, for which other memory may be closed after
    /// `wait()`. Throws transport_error where that fails. Null for what is no location: of no
    /// bytes.
    template <class Wait>
    std::byte* at(location where, Wait const& wait) {
        if (where.rank < 0) { return nullptr; }
        auto& p = peers_[static_cast<std::size_t>(where.rank)];
        auto const stamp = p.table->line[where.line].stamp.load(std::memory_order_acquire);
        return open(p, where.line, stamp, wait) + where.offset;
    }

    /// What is open there stays so until its owner wants to free it.
    void keep(location where) {
        peers_[static_cast<std::size_t>(where.rank)].lines[where.line].mapped->keep();
    }

    /// Opens what peers show to kernels, and keeps it open: `put(rank, line, address)` makes the
    /// address known to this rank's, for which `mark` stands. What cannot be opened, or its owner
    /// has freed by now, is left out.
    template <class Wait, class Put>
    void open_windows(std::uint64_t mark, Wait const& wait, Put const& put) {
        for (auto& p : peers_) {
            if (p.table == nullptr) { continue; }
            auto const now = p.table->windows.load(std::memory_order_acquire);
            if (std::exchange(p.windows, now) == now) { continue; }
            auto const used = p.table->used.load(std::memory_order_acquire);
            for (std::size_t i = 0; i < used; ++i) {
                auto* const at = open_window(p, i, wait);
                if (at == nullptr) { continue; }
                put(static_cast<rank_t>(&p - peers_.data()), i, at);
                auto& word = p.table->line[i].window;
                auto shown = word.load(std::memory_order_acquire);
                while (
                    shown >> export_line::window_bits == p.lines[i].window &&
                    !word.compare_exchange_weak(shown, shown | mark, std::memory_order_acq_rel)) {}
            }
        }
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
        std::uint64_t window = 0;  // its stamp as one, whether it could be opened or not
    };
    struct peer {
        std::uint64_t process = 0;
        export_table* table = nullptr;
        std::uint64_t seen = 0;     // retirements
        std::uint64_t windows = 0;  // likewise
        std::vector<seen_line> lines;
    };

    /// The address of what line i shows under that stamp. Throws as `at`.
    template <class Wait>
    std::byte* open(peer& p, std::size_t i, std::uint64_t stamp, Wait const& wait) {
        auto& line = p.table->line[i];
        if (p.lines.size() <= i) { p.lines.resize(i + 1); }
        auto& mine = p.lines[i];
        auto* base = mine.mapped ? mine.mapped->at() : nullptr;
        if (mine.stamp != stamp || base == nullptr) {
            if (mine.mapped) { wait(); }
            let_go(p, i);
            auto const its = line.read(stamp);
            if (!its) { throw transport_error("a peer's memory is not shown any more"); }
            mine.mapped =
                all_->get({p.process, its->base, its->bytes, its->id, its->key}, device_, wait);
            base = mine.mapped->at();
            mine.stamp = stamp;
            line.users.fetch_add(1, std::memory_order_acq_rel);
        }
        return base;
    }
    /// The address of what line i shows to kernels, if that is new; else null.
    template <class Wait>
    std::byte* open_window(peer& p, std::size_t i, Wait const& wait) {
        auto const word = p.table->line[i].window.load(std::memory_order_acquire);
        auto const stamp = word >> export_line::window_bits;
        if (p.lines.size() <= i) { p.lines.resize(i + 1); }
        if (stamp == 0 || p.lines[i].window == stamp) { return nullptr; }
        std::byte* at = nullptr;
        try {
            at = open(p, i, stamp, wait);
            p.lines[i].mapped->keep();
        } catch (transport_error const&) {  // NOLINT: kernels use the slots, then
        }
        p.lines[i].window = stamp;
        return at;
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
    std::vector<peer> peers_;  // by their rank in the job
};

}  // namespace collectives::cuda
