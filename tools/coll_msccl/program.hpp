// SPDX-License-Identifier: BSD-3-Clause
// A program in the XML of MSCCL, as far as steps can say it: messages between ranks and what they
// do at both ends.
#pragma once

#include <collectives/schedule/step.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace coll_msccl {

namespace coll = collectives;

/// What an operation does. `nothing` only orders others.
enum class action : std::uint8_t { send, recv_copy, recv_reduce, nothing };

/// One operation of one rank. MSCCL's fused steps are two of them, one after the other.
struct operation {
    action what = action::nothing;
    coll::rank_t rank = 0;
    coll::rank_t peer = -1;
    int channel = 0;
    coll::chunk_range chunks{0, 0};
    std::string place;  ///< "gpu 0, tb 1, step 2": where the file has it
};

/// An all-reduce, by the operations of all ranks.
struct program {
    std::string name;
    int size = 0;
    int chunks = 0;
    std::vector<operation> operations;
    /// {a, b}: operation a comes before b, by their order in a threadblock or by a dependence.
    std::vector<std::pair<int, int>> order;
};

/// Reads the text of an XML file. Throws std::runtime_error, which names the place, where the text
/// is no program, and where it has what steps cannot say: another collective than allreduce,
/// scratch buffers, local reductions, copies to another chunk, inputs apart from outputs.
program parse(std::string const& text);

}  // namespace coll_msccl
