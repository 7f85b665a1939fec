// SPDX-License-Identifier: BSD-3-Clause
// Where the current value of each chunk lives while lowering makes a plan, and the scratch for
// values without a place in the output.
#pragma once

#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/lower/bound.hpp>
#include <collectives/lower/layout.hpp>
#include <collectives/lower/scratch_space.hpp>

#include <algorithm>
#include <cstddef>

namespace collectives::inline v0::lowering {

/// Neighbouring chunks that do not wrap around the end.
struct chunk_run {
    int first = 0, count = 0;
};

/// A range of chunks, cut where it wraps around the end; cut into single chunks if chunks are not
/// contiguous.
[[gnu::cold]] inline lean_vector<chunk_run> cut_range(chunk_range r, int chunks,
                                                      bool side_by_side) {
    lean_vector<chunk_run> result;
    auto const before_end = std::min(r.count, chunks - r.first);
    if (side_by_side) {
        result.push_back({r.first, before_end});
        if (before_end < r.count) { result.push_back({0, r.count - before_end}); }
    } else {
        for (int k = 0; k < r.count; ++k) { result.push_back({(r.first + k) % chunks, 1}); }
    }
    return result;
}

/// What a round brings for a chunk: a place in one of its messages.
struct incoming_chunk {
    rank_t peer = 0;
    int transfer = 0;
    std::size_t offset = 0;
};

/// Keeps a list in rank order, the order of the operands.
[[gnu::cold]] inline void add_arrival(lean_vector<incoming_chunk>& list, incoming_chunk a) {
    list.push_back(a);
    for (auto i = list.size() - 1; i > 0 && list[i - 1].peer > a.peer; --i) {
        list[i] = list[i - 1];
        list[i - 1] = a;
    }
}

/// Values move from the input to the output where it covers their chunk, else to scratch. A range
/// of scratch is given back at the end of the round in which its last value moves or expires.
class chunk_places {
public:
    chunk_places(layout const& at, bool in_place, bool reuses_scratch)
        : layout_(at), now_(at.bytes.size()), scratch_(reuses_scratch) {
        for (std::size_t c = 0; c < now_.size(); ++c) {
            if (!at.held[c] || at.separate) { continue; }
            now_[c].at = in_place && at.wanted[c] ? place{memory::output, at.output[c].offset}
                                                  : place{memory::input, at.input[c].offset};
        }
    }

    /// Where the value is that this rank sends as chunk c.
    place of(std::size_t c) const {
        return layout_.separate ? place{memory::input, layout_.input[c].offset} : now_[c].at;
    }

    /// The contiguous ranges of the values of a run of chunks, or of what peers that reach only
    /// scratch can read of them, in order: copies without a destination yet.
    [[gnu::cold]] lean_vector<bound_copy> contiguous_ranges(chunk_run p, bool for_peers) const {
        lean_vector<bound_copy> result;
        for (int k = 0; k < p.count; ++k) {
            auto const c = chunk(p, k);
            auto const from = for_peers ? staged(c) : of(c);
            auto const bytes = layout_.bytes[c];
            if (!result.empty()) {
                auto& last = result.back();
                if (bytes == 0 || from == place{last.from.where, last.from.offset + last.bytes}) {
                    last.bytes += bytes;
                    continue;
                }
            }
            result.push_back({{}, from, bytes});
        }
        return result;
    }

    /// Moves the values of a run of chunks to one contiguous place: in the output, or in new
    /// scratch if the output does not cover them or `output_is_taken` says that its place must not
    /// be written.
    [[gnu::cold]] place move(chunk_run p, std::size_t bytes,
                             function_ref<bool(place)> output_is_taken) {
        bool covered = true;
        for (int k = 0; k < p.count; ++k) { covered = covered && layout_.wanted[chunk(p, k)]; }
        place to{memory::output, covered ? layout_.output[chunk(p, 0)].offset : 0};
        auto unit = -1;
        if (!covered || output_is_taken(to)) {
            unit = static_cast<int>(units_.size());
            units_.push_back({scratch_.take(bytes), bytes, p.count});
            to = {memory::scratch, units_.back().first};
        }
        auto offset = to.offset;
        for (int k = 0; k < p.count; ++k) {
            auto const c = chunk(p, k);
            expire(c);
            now_[c].at = {to.where, offset};
            now_[c].unit = unit;
            offset += layout_.bytes[c];
        }
        return to;
    }
    /// Notes that the value of chunk c is no longer needed.
    [[gnu::cold]] void expire(std::size_t c) {
        leave(now_[c].unit);
        leave(now_[c].copy_unit);
    }
    /// Notes that a copy of the value of chunk c is out of date or no longer needed.
    void drop_copy(std::size_t c) { leave(now_[c].copy_unit); }
    /// Where peers that reach only scratch can read chunk c: the value itself, or a copy made by
    /// `stage`. Without either, where the value is, out of their reach.
    place staged(std::size_t c) const {
        auto const& v = now_[c];
        return !layout_.separate && v.at.where == memory::scratch ? v.at
               : v.copy_unit >= 0                                 ? place{memory::scratch, v.copy}
                                                                  : of(c);
    }
    /// Scratch for a copy of a run of chunks, which lasts until it is dropped. It may replace older
    /// copies of these values, except those that `is_sent` still needs.
    [[gnu::cold]] place stage(chunk_run p, std::size_t bytes,
                              function_ref<bool(place, std::size_t)> is_sent) {
        auto const before = ending_.size();
        for (int k = 0; k < p.count; ++k) { drop_copy(chunk(p, k)); }
        for (auto i = before; i < ending_.size();) {
            auto const [first, old] = ending_[i];
            if (is_sent(place{memory::scratch, first}, old)) {
                ++i;
            } else {
                scratch_.give_back(first, old);
                ending_[i] = ending_.back();
                ending_.pop_back();
            }
        }
        place const at{memory::scratch, scratch_.take(bytes)};
        auto const unit = static_cast<int>(units_.size());
        units_.push_back({at.offset, bytes, p.count});
        auto offset = at.offset;
        for (int k = 0; k < p.count; ++k) {
            auto& v = now_[chunk(p, k)];
            v.copy_unit = unit;
            v.copy = offset;
            offset += layout_.bytes[chunk(p, k)];
        }
        return at;
    }
    /// Scratch until the end of the round.
    [[gnu::cold]] place temporary(std::size_t bytes) {
        auto const first = scratch_.take(bytes);
        ending_.push_back({first, bytes});
        return {memory::scratch, first};
    }
    void end_round() {
        for (auto const& [first, bytes] : ending_) { scratch_.give_back(first, bytes); }
        ending_.clear();
    }
    /// Whether the output covers the whole run, and each of its chunks is there or has not moved.
    bool can_be_gathered(chunk_run p) const {
        for (int k = 0; k < p.count; ++k) {
            auto const c = chunk(p, k);
            auto const at = now_[c].at;
            if (layout_.separate || !layout_.wanted[c] ||
                (at.where != memory::input &&
                 at != place{memory::output, layout_.output[c].offset})) {
                return false;
            }
        }
        return true;
    }
    /// Notes that chunk c has been copied to its place in the output.
    void gathered(std::size_t c) { now_[c].at = {memory::output, layout_.output[c].offset}; }
    std::size_t most_scratch() const { return scratch_.most(); }

private:
    struct value {
        place at{};
        int unit = -1;         // index into units_ if it is in scratch
        int copy_unit = -1;    // index into units_ of a copy of it
        std::size_t copy = 0;  // where the copy is
    };
    struct scratch_unit {
        std::size_t first = 0, bytes = 0;
        int chunks = 0;  // number of values in it
    };

    std::size_t chunk(chunk_run p, int k) const {
        return static_cast<std::size_t>(p.first + k) % layout_.bytes.size();
    }
    [[gnu::cold]] void leave(int& unit) {
        if (unit >= 0) {
            auto& u = units_[static_cast<std::size_t>(unit)];
            if (--u.chunks == 0) { ending_.push_back({u.first, u.bytes}); }
        }
        unit = -1;
    }

    layout const& layout_;
    lean_vector<value> now_;
    lean_vector<scratch_unit> units_;
    scratch_space scratch_;
    lean_vector<extent> ending_;  // with this round
};

}  // namespace collectives::lowering
