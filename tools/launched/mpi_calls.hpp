// SPDX-License-Identifier: BSD-3-Clause
// The collectives of the MPI itself, to measure beside ours.
#pragma once

#include <collectives/core/types.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace launched {

/// What a call of an MPI is to do.
struct mpi_call {
    collectives::collective what;
    std::string_view type, op;  ///< by our names
    int root = 0;
    std::size_t count = 0;  ///< elements of the whole vector
    bool in_place = false;
};

/// The calls of the MPI that this program is linked with, over the first ranks of its world.
class mpi_calls {
public:
    using function = std::function<void(std::byte* in, std::size_t in_count, std::byte* out,
                                        std::size_t out_count)>;

    /// Collective over these ranks. The MPI must have been initialised.
    explicit mpi_calls(int ranks);

    /// Empty where MPI has no such collective, or we do not know its type or operator.
    function find(mpi_call const& c) const;

private:
    struct group;
    std::shared_ptr<group> group_;
};

}  // namespace launched
