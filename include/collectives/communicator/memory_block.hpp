// SPDX-License-Identifier: BSD-3-Clause
// Memory from a communicator. Peers can reach it, so collectives on it copy nothing on the way.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/core/shared.hpp>

#include <cstddef>

namespace collectives::inline v0 {

class any_transport;

/// Zeroed bytes. Move-only; the destructor frees only this rank's part.
class memory_block {
public:
    memory_block() = default;
    /// Throws what the transport throws if it has no memory.
    memory_block(shared_pointer<any_transport> t, std::size_t bytes);
    memory_block(memory_block&& other) noexcept;
    memory_block& operator=(memory_block&& other) noexcept;
    ~memory_block();

    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }

private:
    shared_pointer<any_transport> transport_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/communicator/memory_block.ipp>
#endif
