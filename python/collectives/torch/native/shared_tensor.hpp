// SPDX-License-Identifier: BSD-3-Clause
// Tensors in memory that peers reach: calls on them copy nothing on the way.
#pragma once

#include "seats.hpp"

#include <collectives/communicator/memory_block.hpp>

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace collectives_torch {

inline bool has_shared_memory(seat const& at) { return at.shared->carrier->memory() != nullptr; }

/// `count` elements in one dimension. The memory goes back with the tensor, on whatever thread. Not
/// collective.
inline at::Tensor shared_tensor(std::shared_ptr<seat> const& at, std::int64_t count,
                                at::TensorOptions const& options) {
    TORCH_CHECK(has_shared_memory(*at),
                "collectives: the ranks of this group are on several hosts, and reach no memory of "
                "each other");
    TORCH_CHECK(options.device().is_cpu(), "collectives: memory for a tensor on ",
                options.device());
    TORCH_CHECK(count >= 0, "collectives: a tensor of ", count, " elements");
    struct holder {
        std::shared_ptr<seat> at;
        coll::memory_block block;
        ~holder() {
            auto const held = at->shared->work->lock->take();
            block = {};
        }
    };
    auto const kept = std::make_shared<holder>();
    kept->at = at;
    auto const bytes = static_cast<std::size_t>(count) * options.dtype().itemsize();
    auto const held = at->shared->work->lock->take();
    kept->block = coll::memory_block(at->shared->carrier, bytes);
    return at::from_blob(
        kept->block.data(), {count}, [kept](void*) {}, options);
}

}  // namespace collectives_torch
