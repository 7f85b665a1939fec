// SPDX-License-Identifier: BSD-3-Clause
// Tensors in memory that peers reach: calls on them copy nothing on the way.
#pragma once

#include "seats.hpp"

#include <collectives/communicator/memory_block.hpp>

#include <ATen/ATen.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace collectives_torch {

inline bool has_shared_memory(seat const& at) { return at.shared->carrier->memory() != nullptr; }

/// `count` elements in one dimension. The memory goes back with the tensor, on whatever thread, but
/// not in a forked process: it is the parent's. Not collective.
inline at::Tensor shared_tensor(std::shared_ptr<seat> const& at, std::int64_t count,
                                at::TensorOptions const& options) {
    TORCH_CHECK(has_shared_memory(*at),
                "collectives: the ranks of this group are on several hosts, and reach no memory of "
                "each other");
    TORCH_CHECK(options.device().is_cpu(), "collectives: memory for a tensor on ",
                options.device());
    TORCH_CHECK(count >= 0, "collectives: a tensor of ", count, " elements");
    auto const bytes = static_cast<std::size_t>(count) * options.dtype().itemsize();
    auto const held = at->shared->work->lock->take();
    auto block = std::make_unique<coll::memory_block>(at->shared->carrier, bytes);
    auto const give_back = [at, its = block.get(), owner = ::getpid()](void*) {
        if (::getpid() != owner) { return; }
        auto const held = at->shared->work->lock->take();
        delete its;
    };
    auto result = at::from_blob(block->data(), {count}, give_back, options);
    static_cast<void>(block.release());
    return result;
}

}  // namespace collectives_torch
