// SPDX-License-Identifier: BSD-3-Clause
// The fake's devices, and memory of the host that they reach.
#pragma once

#include <collectives/transport/cuda/calls.hpp>

#include <cuda/fake_world.hpp>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <string>

namespace fake {

class processors : public collectives::cuda::call_table {
public:
    explicit processors(world& w) : world_(w) {}

    std::atomic<int> host_allocations = 0;

    int devices(std::string& why) override {
        if (world_.devices == 0) { why = "there is no CUDA device: the fake has none"; }
        return world_.devices;
    }
    collectives::cuda::uuid identity(int device) override {
        return {std::byte{0xfa}, static_cast<std::byte>(device)};
    }
    void* allocate_host(std::size_t bytes) override {
        ++host_allocations;
        return std::calloc(1, bytes);
    }
    void free_host(void* p) override {
        --host_allocations;
        std::free(p);
    }
    int share_of(int) override { return world_.share; }

private:
    world& world_;
};

}  // namespace fake
