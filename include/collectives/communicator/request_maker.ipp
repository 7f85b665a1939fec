// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/communicator/request_maker.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/run/call_book.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace collectives::inline v0::detail {

/// The elements of a vector that this rank does not pass.
inline constexpr auto unseen = std::numeric_limits<std::size_t>::max();

[[gnu::cold]] COLLECTIVES_INLINE void request_maker::refuse_joined(
    collective what, std::initializer_list<text_part> why) const {
    throw_error<usage_error>("rank ", rank_, ", ", name(what), " #", calls_->next_number(what),
                             ": ", joined(why));
}
COLLECTIVES_INLINE void request_maker::refuse_rank(rank_t r, collective what,
                                                   std::string_view role) const {
    refuse(what, role, " ", r, " is no rank of ", size_);
}
COLLECTIVES_INLINE void request_maker::refuse_number(collective what, std::string_view name,
                                                     long long n) const {
    refuse(what, "a ", name, " of ", n);
}
COLLECTIVES_INLINE void request_maker::require_one_per_rank(collective what, std::string_view name,
                                                            std::size_t n) const {
    if (n != static_cast<std::size_t>(size_)) {
        refuse(what, n, " ", name, "s for ", size_, " ranks");
    }
}
COLLECTIVES_INLINE void request_maker::refuse_size(call_request const& r, std::string_view which,
                                                   std::size_t has, std::size_t needs) const {
    refuse(r.reported_as, which, " has ", has, " elements, not ", needs);
}

COLLECTIVES_INLINE call_request request_maker::vector(collective what, element_type of,
                                                      memory_span in, writable_memory out,
                                                      reducer const& op, rank_t root,
                                                      options const& how) const {
    auto r = begin(what, of, how, root);
    r.shape.count = in.bytes / of.size;
    r.in = in.data;
    r.op = &op;
    if (has(traits_of(what).output, rank_, root, -1)) {
        require_size(r, "out", out.bytes / of.size, r.shape.count);
        r.shape.in_place = aliases(r, in, out, 0);
        r.out = out.data;
    }
    // Prepared contributions lie in out, or for reduce in a buffer of their own.
    if (op.prepares) { r.shape.in_place = what == collective::all_reduce; }
    return r;
}

COLLECTIVES_INLINE call_request request_maker::broadcast(element_type of, writable_memory inout,
                                                         rank_t root, options const& how) const {
    auto r = begin(collective::broadcast, of, how, root);
    r.shape.count = inout.bytes / of.size;
    r.in = r.out = inout.data;
    r.shape.in_place = true;
    return r;
}

COLLECTIVES_INLINE call_request request_maker::to_whole(collective what, element_type of,
                                                        memory_span in, writable_memory out,
                                                        counts parts, rank_t root,
                                                        options const& how) const {
    out = cut_output(what, of, out, root, parts);
    auto r = begin(what, of, how, root);
    r.in = in.data;
    auto const sees_whole = has(traits_of(what).output, rank_, root, -1);
    if (sees_whole) { r.out = out.data; }
    cut(r, "in", in, "out", sees_whole ? memory_span(out) : memory_span{}, sees_whole,
        std::move(parts));
    return r;
}

COLLECTIVES_INLINE call_request request_maker::to_block(collective what, element_type of,
                                                        memory_span in, writable_memory out,
                                                        counts parts, reducer const* op,
                                                        rank_t root, options const& how) const {
    in = cut_input(what, of, in, out, root, parts);
    auto r = begin(what, of, how, root);
    r.out = out.data;
    r.op = op;
    auto const sees_whole = has(traits_of(what).input, rank_, root, -1);
    if (sees_whole) { r.in = in.data; }
    cut(r, "out", out, "in", sees_whole ? in : memory_span{}, sees_whole, std::move(parts));
    if (op != nullptr && op->prepares) { r.shape.in_place = false; }
    return r;
}

COLLECTIVES_INLINE call_request request_maker::exchange(element_type of, memory_span in,
                                                        writable_memory out, counts sends,
                                                        counts receives, options const& how) const {
    out = cut_output(collective::all_to_all, of, out, 0, receives);
    in = cut_input(collective::all_to_all, of, in, out, 0, sends);
    auto r = begin(collective::all_to_all, of, how);
    r.in = in.data;
    r.out = out.data;
    r.shape.count = in.bytes / of.size;
    if (receives.empty()) {
        require_size(r, "out", out.bytes / of.size, r.shape.count);
        if (r.shape.count % static_cast<std::size_t>(size_) != 0) {
            refuse(r.reported_as, r.shape.count, " elements do not make ", size_,
                   " equal blocks; pass counts");
        }
    } else {
        r.shape.count = sum(r, sends);
        sum(r, receives);
        require_size(r, "in", in.bytes / of.size, r.shape.end_of(sends));
        require_size(r, "out", out.bytes / of.size, r.shape.end_of(receives));
        auto const me = static_cast<std::size_t>(rank_);
        require_size(r, "the rank's own block of out", receives[me], sends[me]);
    }
    r.shape.in_place = aliases(r, out, in, 0);
    r.shape.counts = std::move(sends);
    r.shape.recv_counts = std::move(receives);
    return r;
}

COLLECTIVES_INLINE std::size_t request_maker::sum(call_request const& r, counts const& of) const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(size_); ++i) {
        require(of[i] <= std::numeric_limits<std::size_t>::max() - total, r.reported_as,
                "the counts add up to more than can be counted");
        total += of[i];
    }
    return total;
}

/// Checks a block against the whole it is cut from and fills in the shape.
COLLECTIVES_INLINE void request_maker::cut(call_request& r, std::string_view block_name,
                                           memory_span block_memory, std::string_view whole_name,
                                           memory_span whole, bool sees_whole, counts parts) const {
    auto& s = r.shape;
    auto const own = block_memory.bytes / s.elem_size;
    if (parts.empty() && !sees_whole) {
        s.count = own;
        s.knows_all_blocks = false;
        return;
    }
    s.count = parts.empty() ? whole.bytes / s.elem_size : sum(r, parts);
    s.counts = std::move(parts);
    if (sees_whole) { require_size(r, whole_name, whole.bytes / s.elem_size, s.end_of(s.counts)); }
    auto const part = s.own_block();
    require_size(r, block_name, own, part.size);
    if (sees_whole) { s.in_place = aliases(r, block_memory, whole, part.first * s.elem_size); }
}

COLLECTIVES_INLINE writable_memory request_maker::cut_output(collective what, element_type of,
                                                             writable_memory out, rank_t root,
                                                             counts& parts) const {
    if (!has_places(parts)) { return out; }
    auto const sees_it = has(traits_of(what).output, rank_, root, -1);
    auto const end = place_blocks(what, "out", sees_it ? out.bytes / of.size : unseen, parts);
    require_apart(what, "out", parts);
    return {out.data, end * of.size};
}

COLLECTIVES_INLINE memory_span request_maker::cut_input(collective what, element_type of,
                                                        memory_span in, memory_span out,
                                                        rank_t root, counts& parts) const {
    if (!has_places(parts)) { return in; }
    auto const sees_it = has(traits_of(what).input, rank_, root, -1);
    auto const end = place_blocks(what, "in", sees_it ? in.bytes / of.size : unseen, parts);
    memory_span const used{in.data, end * of.size};
    if (sees_it && overlap_of(out, used, 0) != overlap::none) { require_apart(what, "in", parts); }
    return used;
}

/// The elements up to the end of the last block. Empty blocks are anywhere, so at 0.
COLLECTIVES_INLINE std::size_t request_maker::place_blocks(collective what,
                                                           std::string_view whole_name,
                                                           std::size_t elements,
                                                           counts& parts) const {
    auto const n = static_cast<std::size_t>(size_);
    std::size_t end = 0, behind = 0;
    auto is_plain = true;
    for (std::size_t i = 0; i < n; ++i) {
        auto& first = parts[n + i];
        auto const count = parts[i];
        if (count == 0) {
            first = 0;
            continue;
        }
        if (count > elements || first > elements - count) {
            refuse(what, "block ", i, ", ", count, " elements from ", first, " on, is not within ",
                   whole_name, elements == unseen ? "" : text_of(", which has ", elements));
        }
        is_plain = is_plain && first == behind;
        behind = first + count;
        end = std::max(end, behind);
    }
    if (is_plain) { parts.resize(n); }
    return end;
}

/// Refuses a cut in which blocks overlap: O(P log P).
COLLECTIVES_INLINE void request_maker::require_apart(collective what, std::string_view whole_name,
                                                     counts const& parts) const {
    if (!has_places(parts)) { return; }
    auto const first = [&](std::size_t i) { return parts[static_cast<std::size_t>(size_) + i]; };
    lean_vector<std::uint64_t> starts;
    for (std::size_t i = 0; i < static_cast<std::size_t>(size_); ++i) {
        starts.push_back(first(i));
    }
    auto before = static_cast<std::size_t>(size_);  // the last block that is not empty, or none
    for (auto const next : numbers_by(starts)) {
        auto const a = before, b = static_cast<std::size_t>(next);
        if (parts[b] == 0) { continue; }
        before = b;
        if (a < static_cast<std::size_t>(size_) && first(b) - first(a) < parts[a]) {
            refuse(what, "blocks ", std::min(a, b), " and ", std::max(a, b), " overlap in ",
                   whole_name, ", which the call writes");
        }
    }
}

}  // namespace collectives::detail
