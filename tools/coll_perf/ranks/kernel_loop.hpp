// SPDX-License-Identifier: BSD-3-Clause
// A bare loop in which the kernel copies each message of a call from one process to another: what
// the messages take on one host without the library.
#pragma once

#include "../../launched/loop_message.hpp"
#include "../shared_place.hpp"

#include <collectives/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace coll_perf {

/// Moves messages by process_vm_readv: a sender tells its address in shared memory, the receiver
/// copies, and the sender waits until it has.
class kernel_loop {
public:
    /// The input and the output of a case, and the block that the rank copies itself.
    struct case_memory {
        std::span<std::byte> in, out, own_in, own_out;
    };

    /// Collective. Messages go out of `in`, or of `out` if they wait for others, and into `out`;
    /// one that is longer than that vector uses memory of the loop's. `yields`: ranks share cores,
    /// so one that waits lets others run. Throws std::runtime_error on all ranks if the kernel
    /// refuses such a copy to one of them.
    kernel_loop(coll::communicator& comm, std::vector<launched::loop_message> messages,
                case_memory const& of, bool yields);

    /// Moves the messages of this rank and its own block, and returns once all are there. Throws
    /// std::runtime_error if the kernel refuses a copy, on the other ranks as well.
    void operator()();

private:
    struct shared_line;
    struct post {
        shared_line* through = nullptr;
        std::byte* memory = nullptr;
        std::uint64_t taken_in = 0;  // the last call in which it was taken
    };

    void take(std::size_t i);
    void wait_for(std::uint64_t& word) const;
    /// Where this rank's messages lie.
    void find_memory();
    /// Whether a rank has given up; all ranks share the word.
    std::uint64_t& given_up() const { return *static_cast<std::uint64_t*>(place_->memory()); }

    std::vector<launched::loop_message> messages_;
    std::vector<post> posts_;  // of the messages
    case_memory of_;
    std::vector<std::byte> room_;
    std::vector<std::uint64_t> processes_;  // of the ranks
    bool yields_;
    std::uint64_t call_ = 0;
    std::optional<shared_place> place_;
};

}  // namespace coll_perf
