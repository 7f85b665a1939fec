// SPDX-License-Identifier: BSD-3-Clause
// What ranks that share no memory tell each other apart from data.
#pragma once

#include <collectives/core/failure.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/core/wait_point.hpp>
#include <collectives/schedule/step.hpp>

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
        all_left,         // so have all ranks: nobody asks any more, so answer nothing from now on
        sent_count,       // so many control messages were sent to rank `from`: `asked`
        all_sent_counts,  // that was all
        expected_count,   // so many control messages in all were for you: `asked`
        leaves_by_exception,  // this rank goes while an exception passes
        gives_up,             // this rank goes, and no longer waits until all have left
        agrees,               // after a failure: see agreement_message, packed by `survival`
        payload,              // `asked` bytes for the rank alone; those from `other` on are here
        wait_query,           // the time of this rank ran out; tell me where you wait
        wait_answer,          // where this rank waits
    };

    std::uint64_t board = 0;  // 0: about the job
    kind what = kind::asks;
    rank_t sender = -1;                  // rank in the job;
    std::uint64_t job = 0;               // see link::job
    rank_t from = -1;                    // rank in the communicator
    std::uint64_t entered = 0;           // its last call,
    std::uint64_t finished = 0;          // and the last it needs nothing more of
    std::uint64_t asked = 0;             // the call in question;
    std::array<fingerprint, 4> calls{};  // it and those before it, empty where they are forgotten
    std::uint64_t other = 0;             // a second number, and
    std::uint32_t step = 0;              // the kind of an agreement_message
    wait_point waits{};                  // where the rank waits
    failure why{};                       // of what failed
};

static_assert(std::is_trivially_copyable_v<control_message>);

/// Sends a control message to a rank of the job.
using control_sender = std::function<void(rank_t job_rank, control_message const& what)>;

}  // namespace collectives::wire
