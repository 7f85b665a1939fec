// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/communicator/requests.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>

#include <limits>
#include <utility>

namespace collectives::inline v0::detail {

COLLECTIVES_INLINE void request_maker::refuse(collective what, std::string_view why) const {
    throw usage_error(text_of("rank ", rank_, ", ", name(what), ": ", why));
}
COLLECTIVES_INLINE void request_maker::refuse_rank(rank_t r, collective what,
                                                   std::string_view role) const {
    refuse(what, text_of(role, " ", r, " is no rank of ", size_));
}
COLLECTIVES_INLINE void request_maker::refuse_count(collective what, long long n) const {
    refuse(what, text_of("a count of ", n));
}
COLLECTIVES_INLINE void request_maker::require_count(collective what, std::size_t n) const {
    if (n != static_cast<std::size_t>(size_)) {
        refuse(what, text_of(n, " counts for ", size_, " ranks"));
    }
}
COLLECTIVES_INLINE void request_maker::refuse_size(call_request const& r, std::string_view which,
                                                   std::size_t has, std::size_t needs) const {
    refuse(r.as, text_of(which, " has ", has, " elements, not ", needs));
}

COLLECTIVES_INLINE call_request request_maker::vector(collective what, element_type of,
                                                      memory_span in, writable_memory out,
                                                      reducer const& op, rank_t root,
                                                      options const& how) const {
    auto r = begin(what, of, how, root);
    r.shape.count = in.bytes / of.size;
    r.in = in.data;
    r.op = &op;
    if (has(traits_of(what).output, rank_ == root, false)) {
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
    auto r = begin(what, of, how, root);
    r.in = in.data;
    auto const sees_whole = has(traits_of(what).output, rank_ == root, false);
    if (sees_whole) { r.out = out.data; }
    cut(r, "in", in, "out", sees_whole ? memory_span(out) : memory_span{}, sees_whole,
        std::move(parts));
    return r;
}

COLLECTIVES_INLINE call_request request_maker::to_block(collective what, element_type of,
                                                        memory_span in, writable_memory out,
                                                        counts parts, reducer const* op,
                                                        rank_t root, options const& how) const {
    auto r = begin(what, of, how, root);
    r.out = out.data;
    r.op = op;
    auto const sees_whole = has(traits_of(what).input, rank_ == root, false);
    if (sees_whole) { r.in = in.data; }
    cut(r, "out", out, "in", sees_whole ? in : memory_span{}, sees_whole, std::move(parts));
    if (op != nullptr && op->prepares) { r.shape.in_place = false; }
    return r;
}

COLLECTIVES_INLINE call_request request_maker::exchange(element_type of, memory_span in,
                                                        writable_memory out, counts sends,
                                                        counts receives, options const& how) const {
    auto r = begin(collective::all_to_all, of, how);
    r.in = in.data;
    r.out = out.data;
    r.shape.count = in.bytes / of.size;
    if (receives.empty()) {
        require_size(r, "out", out.bytes / of.size, r.shape.count);
        if (r.shape.count % static_cast<std::size_t>(size_) != 0) {
            refuse(r.as, text_of(r.shape.count, " elements do not make ", size_,
                                 " equal blocks; pass counts"));
        }
    } else {
        require_size(r, "in", r.shape.count, sum(r, sends));
        require_size(r, "out", out.bytes / of.size, sum(r, receives));
    }
    r.shape.in_place = aliases(r, out, in, 0);
    r.shape.counts = std::move(sends);
    r.shape.recv_counts = std::move(receives);
    return r;
}

COLLECTIVES_INLINE std::size_t request_maker::sum(call_request const& r, counts const& of) const {
    std::size_t total = 0;
    for (auto const n : of) {
        require(n <= std::numeric_limits<std::size_t>::max() - total, r.as,
                "the counts add up to more than can be counted");
        total += n;
    }
    return total;
}

/// Checks a block against the whole it is cut from and fills in the shape.
COLLECTIVES_INLINE void request_maker::cut(call_request& r, std::string_view block_name,
                                           memory_span block_memory, std::string_view whole_name,
                                           memory_span whole, bool sees_whole, counts parts) const {
    auto& s = r.shape;
    auto const own = block_memory.bytes / s.elem_size;
    auto const mine = static_cast<std::size_t>(rank_);
    if (parts.empty() && !sees_whole) {
        s.count = own;
        s.knows_all_blocks = false;
        return;
    }
    s.count = parts.empty() ? whole.bytes / s.elem_size : sum(r, parts);
    if (sees_whole) { require_size(r, whole_name, whole.bytes / s.elem_size, s.count); }
    std::size_t before = 0;
    for (std::size_t i = 0; i < mine && !parts.empty(); ++i) { before += parts[i]; }
    auto const part = parts.empty() ? block(s.count, size_, rank_) : extent{before, parts[mine]};
    require_size(r, block_name, own, part.size);
    if (sees_whole) { s.in_place = aliases(r, block_memory, whole, part.first * s.elem_size); }
    s.counts = std::move(parts);
}

}  // namespace collectives::detail
