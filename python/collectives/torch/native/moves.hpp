// SPDX-License-Identifier: BSD-3-Clause
// The collectives on tensors: each starts one and says what is to be done after it.
#pragma once

#include "group.hpp"

#include <collectives/core/lean_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace collectives_torch {

using coll::collective;
using counts = coll::detail::request_maker::counts;

/// Adds something that is done once the call has been.
inline void add_after(call_parts& parts, std::function<void()> then) {
    if (parts.after) {
        then = [first = std::move(parts.after), then = std::move(then)] {
            first();
            then();
        };
    }
    parts.after = std::move(then);
}
/// Keeps memory for the time of the call, and afterwards copies what is in it to its tensors.
inline void put_back_after(call_parts& parts, flat memory) {
    if (parts.of == nullptr) { return memory.put_back(); }
    auto const kept = std::make_shared<flat>(std::move(memory));
    parts.kept.push_back(kept);
    if (kept->is_copy()) {
        add_after(parts, [kept] { kept->put_back(); });
    }
}
inline void keep(call_parts& parts, flat memory) {
    if (parts.of == nullptr) { return; }
    parts.kept.push_back(std::make_shared<flat>(std::move(memory)));
}

/// The elements of each tensor; none where all have as many.
inline counts counts_of(at::TensorList all) {
    counts result;
    bool differ = false;
    for (auto const& t : all) { differ = differ || t.numel() != all.front().numel(); }
    if (differ) {
        for (auto const& t : all) { result.push_back(elements_of(t)); }
    }
    return result;
}
/// As many elements for each rank.
inline counts equal_counts(group const& g, std::size_t each) {
    counts result;
    for (int r = 0; r < g.size(); ++r) { result.push_back(each); }
    return result;
}

inline void start_broadcast(group& g, call_parts& parts, at::Tensor const& t, int root,
                            coll::options const& how) {
    flat memory(t, g.rank() == root ? flat::use::read : flat::use::write);
    g.carry_out(parts, g.make().broadcast(moved_as(t.scalar_type()), memory.place(), root, how));
    put_back_after(parts, std::move(memory));
}

/// all_reduce, and reduce, where the root alone gets the result.
inline void start_vector(group& g, call_parts& parts, collective what, at::Tensor const& t,
                         c10d::ReduceOp const& op, int root, coll::options const& how) {
    auto const as = reduced_as(t.scalar_type());
    auto const writes = what == collective::all_reduce || g.rank() == root;
    flat memory(t, writes ? flat::use::both : flat::use::read, as);
    auto const by = op_of(op, as);
    auto const out = writes ? memory.place() : coll::writable_memory{};
    g.carry_out(parts,
                g.make().vector(what, *own_type_of(as), memory.span(), out, by->reduce, root, how));
    if (parts.of != nullptr) { parts.kept.push_back(by); }
    put_back_after(parts, std::move(memory));
}

/// Whether memory overlaps other than by lying, as the block of this rank, where it belongs.
inline bool is_in_the_way(flat const& block, flat const& whole, std::size_t offset) {
    auto const* const b = static_cast<std::byte const*>(block.data());
    auto const* const w = static_cast<std::byte const*>(whole.data());
    auto const n = block.span().bytes, all = whole.span().bytes;
    if (n == 0 || all == 0 || b >= w + all || w >= b + n) { return false; }
    return b != w + offset;
}

/// all_gather and gather: `outputs` are one tensor, or one for each rank; on the root alone.
inline void start_to_whole(group& g, call_parts& parts, collective what, at::Tensor const& input,
                           at::TensorList outputs, int root, coll::options const& how) {
    auto const sees_whole = what == collective::all_gather || g.rank() == root;
    flat block(input, flat::use::read), whole;
    counts cut;
    if (sees_whole) {
        whole = flat(outputs, flat::use::write);
        if (outputs.size() > 1) { cut = counts_of(outputs); }
    }
    if (what == collective::gather) { cut = equal_counts(g, block.count()); }
    auto const own = static_cast<std::size_t>(g.rank());
    auto before = own * block.span().bytes;
    if (!cut.empty()) {
        before = 0;
        for (std::size_t r = 0; r < own; ++r) { before += cut[r] * element_bytes(input); }
    }
    if (sees_whole && is_in_the_way(block, whole, before)) {
        block = flat(input.clone(), flat::use::read);
    }
    g.carry_out(parts, g.make().to_whole(what, moved_as(input.scalar_type()), block.span(),
                                         whole.place(), std::move(cut), root, how));
    keep(parts, std::move(block));
    put_back_after(parts, std::move(whole));
}

/// scatter: `inputs` are one tensor for each rank, on the root alone.
inline void start_scatter(group& g, call_parts& parts, at::TensorList inputs,
                          at::Tensor const& output, int root, coll::options const& how) {
    flat block(output, flat::use::write), whole;
    if (g.rank() == root) { whole = flat(inputs, flat::use::read); }
    auto const before = static_cast<std::size_t>(g.rank()) * block.span().bytes;
    if (g.rank() == root && is_in_the_way(block, whole, before)) {
        whole = flat(copy_of(inputs), flat::use::read);
    }
    g.carry_out(parts, g.make().to_block(collective::scatter, moved_as(output.scalar_type()),
                                         whole.span(), block.place(),
                                         equal_counts(g, block.count()), nullptr, root, how));
    keep(parts, std::move(whole));
    put_back_after(parts, std::move(block));
}

/// reduce_scatter: `inputs` are one tensor, or one for each rank.
inline void start_reduce_scatter(group& g, call_parts& parts, at::TensorList inputs,
                                 at::Tensor const& output, c10d::ReduceOp const& op,
                                 coll::options const& how) {
    auto const as = reduced_as(output.scalar_type());
    flat block(output, flat::use::write, as), whole(inputs, flat::use::read, as);
    auto cut = inputs.size() > 1 ? counts_of(inputs) : counts();
    auto before = static_cast<std::size_t>(g.rank()) * block.span().bytes;
    if (!cut.empty()) {
        before = 0;
        for (int r = 0; r < g.rank(); ++r) {
            before += cut[static_cast<std::size_t>(r)] * c10::elementSize(as);
        }
    }
    if (is_in_the_way(block, whole, before)) { whole = flat(copy_of(inputs), flat::use::read, as); }
    auto const by = op_of(op, as);
    g.carry_out(parts, g.make().to_block(collective::reduce_scatter, *own_type_of(as), whole.span(),
                                         block.place(), std::move(cut), &by->reduce, 0, how));
    if (parts.of != nullptr) { parts.kept.push_back(by); }
    keep(parts, std::move(whole));
    put_back_after(parts, std::move(block));
}

/// all_to_all of blocks; without counts they are equal.
inline void start_exchange(group& g, call_parts& parts, at::TensorList inputs,
                           at::TensorList outputs, counts sends, counts receives,
                           coll::options const& how) {
    auto const& first = inputs.front();
    flat in(inputs, flat::use::read), out(outputs, flat::use::write);
    auto const overlap = is_in_the_way(in, out, in.span().bytes + 1);
    if (overlap && (in.data() != out.data() || !sends.empty())) {
        in = flat(copy_of(inputs), flat::use::read);
    }
    g.carry_out(parts, g.make().exchange(moved_as(first.scalar_type()), in.span(), out.place(),
                                         std::move(sends), std::move(receives), how));
    keep(parts, std::move(in));
    put_back_after(parts, std::move(out));
}

}  // namespace collectives_torch
