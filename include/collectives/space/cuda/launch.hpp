// SPDX-License-Identifier: BSD-3-Clause
// From a reduction without types to a kernel's arguments, and how kernels come into the table.
#pragma once

#include <collectives/core/device_copy.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/space/cuda/body.hpp>
#include <collectives/space/cuda/copy_body.hpp>
#include <collectives/space/cuda/kernel_types.hpp>
#include <collectives/space/cuda/kernels.hpp>
#include <collectives/space/cuda/pack_body.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <type_traits>

namespace collectives::inline v0::cuda {

/// Enqueues one pass. `Launcher::launch(body, work, queue)` lets workers call a body, so many that
/// each of `work` things may have one. Throws usage_error for more operands than a kernel takes.
template <class Launcher, class Op, class T>
void enqueue_reduction(void const* op, reduction const& r) {
    if (r.count == 0) { return; }
    auto const outputs = 1 + r.others;
    if (r.n > most_operands || outputs > most_operands) {
        throw_error<usage_error>("a kernel reduces ", most_operands, " vectors at most, not ",
                                 r.n > outputs ? r.n : outputs);
    }
    fold_body<Op, T> body{.op = *static_cast<Op const*>(op)};
    body.count = r.count;
    body.n = r.n;
    body.outputs = outputs;
    body.finish_size = r.finish_size;
    body.raw = r.raw;
    detail::packing_finder<T> packs;
    auto const source = [&](int k, void const* from) {
        body.sources[k] = static_cast<std::byte const*>(from);
        packs.add(from);
    };
    for (int k = 0; k < r.n; ++k) { source(k, r.sources[k]); }
    constexpr auto gives_truth = collectives::detail::one_of<Op, logical_and, logical_or>;
    if (gives_truth && r.n == 1 && r.finish_size == 1) {  // of one rank, too
        source(1, r.sources[0]);
        body.n = 2;
    }
    for (int k = 0; k < outputs; ++k) {
        auto* const to = k == 0 ? r.dst : r.other_dsts[k - 1];
        body.to[k] = static_cast<std::byte*>(to);
        packs.add(to);
    }
    auto const found = packs.of(r.count);
    body.before = found.before;
    body.packs = found.packs;
    Launcher::launch(body, found.packs != 0 ? found.packs : r.count, r.queue);
}

/// The same by the kernel that does for these types.
template <class Launcher, class Op, class T>
void enqueue_by_kernel(void const* op, reduction const& r) {
    using types = kernel_types<Op, T>;
    using used = typename types::operation;
    auto pass = r;
    pass.count *= types::parts;
    if constexpr (std::is_same_v<used, Op>) {
        enqueue_reduction<Launcher, used, typename types::element>(op, pass);
    } else {
        auto const same = std::bit_cast<used>(*static_cast<Op const*>(op));
        enqueue_reduction<Launcher, used, typename types::element>(&same, pass);
    }
}

/// Enqueues the copies in as few kernels as take them.
template <class Launcher>
void enqueue_copies(std::span<copy_task const> all, void* queue) {
    copy_body body;
    auto const launch = [&] {
        if (body.work() != 0) { Launcher::launch(body, body.work(), queue); }
        body = {};
    };
    for (auto [from, bytes, to] : all) {
        while (!to.empty()) {
            if (!body.has_room()) { launch(); }
            auto const now = std::min(to.size(), body.room());
            body.add(from, bytes, to.first(now));
            to = to.subspan(now);
        }
    }
    launch();
}

template <class Launcher, class Own, class Wire>
void enqueue_pack(pack_task const& task, void* queue) {
    if (task.n == 0) { return; }
    Launcher::launch(pack_body<Own, Wire>{task}, task.n * workers_per_range, queue);
}

/// Puts the kernel of an operator on a type into the program's table; a user's, too.
template <class Launcher, class Op, class T>
    requires reduction_op<Op, T>
bool provide_with() {
    static_assert(std::is_trivially_copyable_v<Op>, "a kernel gets a copy of its operator");
    kernels().add(typeid(Op), typeid(T), &enqueue_by_kernel<Launcher, Op, T>);
    return true;
}

namespace detail {

template <class Launcher>
struct provider {
    template <class Op, class T>
    void operator()() const {
        provide_with<Launcher, Op, T>();
    }
};

}  // namespace detail

/// Copies, and what packs buckets.
template <class Launcher>
bool provide_moves_with() {
    kernels().add(&enqueue_copies<Launcher>);
    for_each_pack([]<class Own, class Wire>(std::type_identity<Own>, std::type_identity<Wire>) {
        kernels().add(typeid(Own), typeid(Wire), &enqueue_pack<Launcher, Own, Wire>);
    });
    return true;
}

/// All of the library's own.
template <class Launcher>
bool provide_all_with() {
    for_each_kernel(detail::provider<Launcher>{});
    provide_moves_with<Launcher>();
    return true;
}

}  // namespace collectives::cuda
