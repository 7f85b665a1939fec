// SPDX-License-Identifier: BSD-3-Clause
// The collectives of the MPI itself, to measure beside ours.
#pragma once

#include <collectives/core/types.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace launched {

/// A call is a collective, its form with counts, or a pattern of messages. Each message carries the
/// whole vector.
enum class mpi_form {
    call,
    started,    ///< the function whose name begins with I: it starts the call alone
    counts,     ///< the function of MPI whose name ends in v, or MPI_Reduce_scatter
    exchange,   ///< to the next rank and from the one before
    ping_pong,  ///< there and back between ranks 0 and 1
    one_way,    ///< many messages from rank 0 to rank 1, then a short one back
    both_ways   ///< many messages each way, then short ones
};

/// What a call of an MPI is to do.
struct mpi_call {
    mpi_form how = mpi_form::call;
    collectives::collective what{};  ///< messages ignore it
    std::string_view type, op;       ///< by our names
    int root = 0;
    std::size_t count = 0;  ///< elements of the whole vector
    bool in_place = false;
    int window = 1;  ///< messages under way at once
};

/// The calls of the MPI that this program is linked with, over the first ranks of its world.
class mpi_calls {
public:
    using function = std::function<void(std::byte* in, std::size_t in_count, std::byte* out,
                                        std::size_t out_count)>;

    /// Collective over these ranks. The MPI must have been initialised.
    explicit mpi_calls(int ranks);

    /// Empty where MPI has no such call, or we do not know its type or operator.
    function find(mpi_call const& c) const;

    /// Whether the last started call has ended. One is under way at a time.
    bool test() const;
    /// Returns once it has.
    void wait() const;

private:
    struct group;
    std::shared_ptr<group> group_;
};

}  // namespace launched
