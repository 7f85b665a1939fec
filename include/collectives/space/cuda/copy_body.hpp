// SPDX-License-Identifier: BSD-3-Clause
// The body of a kernel that copies is a plain function, as that of a fold.
#pragma once

#include <collectives/space/cuda/body.hpp>

#include <cstddef>
#include <span>

namespace collectives::inline v0::cuda {

/// Copies, each to one place or several, at any addresses. A source is read once.
class copy_body {
public:
    /// Quickest where each worker has one pack: blocks that come one after the other keep the
    /// memory busier than workers that go on.
    static constexpr bool one_pack_each = true;

    constexpr bool has_room() const { return n_ < most_copies && outputs_ < most_operands; }
    /// Places that it still takes.
    constexpr std::size_t room() const {
        return static_cast<std::size_t>(most_operands - outputs_);
    }
    /// Adds a copy. Requires has_room(), and at most room() places.
    constexpr void add(std::byte const* from, std::size_t bytes, std::span<std::byte* const> to) {
        detail::packing_finder<std::byte> packs;
        packs.add(from);
        auto& its = copies_[n_];
        its.from = from;
        its.first = outputs_;
        for (auto* const one : to) {
            packs.add(one);
            to_[outputs_++] = one;
        }
        its.last = outputs_;
        auto const found = packs.of(bytes);
        its.before = found.before;
        its.packs = found.packs;
        its.begin = work();
        its.end = its.begin + found.packs + bytes - found.packs * detail::pack_bytes;
        ++n_;
    }
    /// Packs, and bytes that are in none, of all copies.
    constexpr std::size_t work() const { return n_ == 0 ? 0 : copies_[n_ - 1].end; }

    constexpr void operator()(detail::worker w) const {
        if (n_ == 1) {  // no search
            return detail::share(w, copies_[0].end, [this](std::size_t i) { move(copies_[0], i); });
        }
        detail::share(w, work(), [this](std::size_t i) {
            int k = 0;
            while (i >= copies_[k].end) { ++k; }
            move(copies_[k], i - copies_[k].begin);
        });
    }
    /// Calls visit(address) for each source and destination.
    template <class Visit>
    void for_each_address(Visit const& visit) const {
        for (int k = 0; k < n_; ++k) { visit(copies_[k].from); }
        for (int k = 0; k < outputs_; ++k) { visit(to_[k]); }
    }

private:
    static constexpr int most_copies = 32;
    struct copy_range {
        std::byte const* from;
        std::size_t before, packs;  // bytes in front of the first pack, and packs
        std::size_t begin, end;     // in the work of all copies
        int first, last;            // of the outputs
    };
    constexpr void move(copy_range const& c, std::size_t i) const {
        if (i < c.packs) {
            auto const at = c.before + i * detail::pack_bytes;
            auto const value = detail::load_pack(c.from + at);
            for (int k = c.first; k < c.last; ++k) { detail::store_pack(to_[k] + at, value); }
            return;
        }
        auto const loose = i - c.packs;
        auto const at = loose < c.before ? loose : loose + c.packs * detail::pack_bytes;
        for (int k = c.first; k < c.last; ++k) { to_[k][at] = c.from[at]; }
    }

    int n_ = 0, outputs_ = 0;
    copy_range copies_[most_copies] = {};
    std::byte* to_[most_operands] = {};
};

}  // namespace collectives::cuda
