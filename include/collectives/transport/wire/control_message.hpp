// SPDX-License-Identifier: BSD-3-Clause
// What ranks that share no memory tell each other apart from data.
#pragma once

#include <collectives/core/failure.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/core/types.hpp>
#include <collectives/core/wait_point.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace collectives::inline v0::wire {

/// Trivially copyable: it travels as it is.
struct control_message {
    enum class kind : std::uint32_t {
        asks,     // what this rank has called, and: tell me of your call `asked` once you are there
        answers,  // what this rank has called
        watches,  // tell me when you leave the job
        failed,   // the communicator is broken
        leaves,   // this rank has left the job, and will enter nothing any more
        all_left,             // all ranks have left the job and ask nothing; answer no more
        sent_count,           // this rank has sent `asked` control messages to rank `from`
        all_sent_counts,      // this rank has reported all its counts
        expected_count,       // the ranks have sent you `asked` control messages in all
        leaves_by_exception,  // this rank goes while an exception passes
        gives_up,             // this rank goes, and no longer waits until all have left
        agrees,               // an agreement_message, packed by `survival`
        payload,              // a part, from byte `other` on, of `asked` bytes for one rank
        wait_query,           // the time of this rank ran out; tell me where you wait
        wait_answer,          // where this rank waits
    };

    std::uint64_t board = 0;  // 0: about the job
    kind what = kind::asks;
    rank_t sender = -1;                  // rank in the job
    std::uint64_t job = 0;               // see link::job
    rank_t from = -1;                    // rank in the communicator
    std::uint64_t entered = 0;           // number of the rank's last call
    std::uint64_t finished = 0;          // number of the last call that the rank has finished
    std::uint64_t asked = 0;             // the number of a call, or what the kind says
    std::array<fingerprint, 4> calls{};  // call `asked` and the three before it, if remembered
    std::uint64_t other = 0;             // a second number, if the kind has one
    std::uint32_t step = 0;              // the kind of an agreement_message
    wait_point waits{};                  // where the rank waits
    failure why{};                       // what has failed
};

static_assert(std::is_trivially_copyable_v<control_message>);

/// Sends a control message to a rank of the job.
using control_sender = std::function<void(rank_t job_rank, control_message const& what)>;

}  // namespace collectives::wire
