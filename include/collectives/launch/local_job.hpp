// SPDX-License-Identifier: BSD-3-Clause
// How processes of one machine that were started separately become the ranks of a job.
#pragma once

#include <collectives/core/bootstrap.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/processors.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/type_name.hpp>
#include <collectives/launch/environment.hpp>
#include <collectives/launch/job_name.hpp>
#include <collectives/launch/memory_handover.hpp>
#include <collectives/transport/shared/board.hpp>
#include <collectives/transport/shared/processes.hpp>
#include <collectives/transport/shared/state.hpp>
#include <collectives/transport/shm.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace collectives::inline v0::shm {

namespace detail {

/// Publishes that the rank has left once its last communicator is gone. A child that the rank forks
/// is not the rank, and publishes nothing.
struct membership {
    job memory;
    rank_t rank;
    pid_t process = ::getpid();
    ~membership() {
        if (::getpid() == process) { memory.state().depart(rank, shared::life::left, 0); }
    }
};

inline void set_process(job const& memory, rank_t r, pid_t process) {
    memory.state().status(r).pid.store(process);
}
/// Processors that any of the ranks may run on: a launcher may have bound each to one of its own.
inline int processors_of(job const& memory) {
    processor_set all;
    for (rank_t r = 0; r < memory.state().size(); ++r) {
        all.add(processor_set::of(memory.state().status(r).pid.load()));
    }
    return std::max(all.count(), 1);
}
/// Differs where another version of the library needs other sizes. What a version changes within
/// the same bytes must change greeting::expected_magic.
[[gnu::cold]] inline std::uint64_t layout_of_job(int size) {
    return collectives::detail::hash_mix(shared::state::bytes(size), shared::board::bytes(size));
}
/// These stand for the process of a rank that came from another name space, or that is of another
/// version of the library.
inline constexpr pid_t not_visible = -1, of_other_version = -2;
/// Stands for the number of processors when rank 0 waits no longer.
inline constexpr std::int32_t given_up = -1;

inline std::vector<int> missing_ranks(job const& memory) {
    std::vector<int> ranks;
    for (rank_t r = 0; r < memory.state().size(); ++r) {
        if (memory.state().status(r).pid.load() <= 0) { ranks.push_back(r); }
    }
    return ranks;
}
/// The probable reason: a rank came from another name space or is of another version, or the ranks
/// look at different sockets.
inline std::string why_missing(job const& memory, std::string const& name) {
    for (auto const r : missing_ranks(memory)) {
        auto const process = memory.state().status(r).pid.load();
        if (process == not_visible) { return text_of("; rank ", r, apart_from_rank_0); }
        if (process == of_other_version) { return text_of("; rank ", r, unlike_rank_0); }
    }
    return collectives::detail::socket_hint(name);
}
inline timeout_error timeout_of(job const& memory, job_place const& me, std::string const& name) {
    return collectives::detail::missing_ranks_error(me.rank, "join", missing_ranks(memory),
                                                    why_missing(memory, name));
}

/// Rank 0 makes the job, and admits the other ranks until all are there.
inline job create_job(job_place const& me, std::string const& name, steady::time_point until) {
    job memory(me.size);
    set_process(memory, 0, ::getpid());
    {
        memory_handover place(name);
        place.open();
        while (!missing_ranks(memory).empty()) {
            auto const came = place.admit(until);
            if (came.connection.get() < 0) {
                memory.state().header().processors.store(given_up);
                throw timeout_of(memory, me, name);
            }
            auto const& said = came.said;
            auto const expected = said.size == me.size && said.rank > 0 && said.rank < me.size &&
                                  memory.state().status(said.rank).pid.load() <= 0;
            if (!expected) {
                memory_handover::refuse(came.connection);
            } else if (said.layout != layout_of_job(me.size)) {
                set_process(memory, said.rank, of_other_version);
                memory_handover::refuse(came.connection, refusal::other_version);
            } else if (!came.is_seen()) {
                set_process(memory, said.rank, not_visible);
                memory_handover::refuse(came.connection, refusal::not_visible);
            } else if (collectives::detail::send_file(came.connection.get(), memory.descriptor())) {
                set_process(memory, said.rank, came.process);
            }
        }
        place.close();
    }
    memory.state().header().processors.store(processors_of(memory));
    for (rank_t r = 0; r < me.size; ++r) {
        memory.state().status(r).state.store(shared::life::running);
    }
    return memory;
}

/// Another rank receives the job's memory, and waits until rank 0 has admitted all.
inline job enter_job(job_place const& me, std::string const& name, steady::time_point until) {
    auto file = memory_handover(name).receive_file(
        {.layout = layout_of_job(me.size), .rank = me.rank, .size = me.size}, until);
    if (file.get() < 0) {
        throw collectives::detail::missing_ranks_error(me.rank, "join", {0},
                                                       collectives::detail::socket_hint(name));
    }
    job memory(me.size, shared::memory_file::received{file.release()});
    auto const& mine = memory.state().status(me.rank).state;
    descriptor rank_0;
    while (mine.load() == shared::life::expected) {
        auto const ended = shared::has_ended(rank_0, memory.state().status(0).pid.load());
        auto const waits = memory.state().header().processors.load() != given_up;
        if (!waits || steady::now() >= until) { throw timeout_of(memory, me, name); }
        if (ended && mine.load() == shared::life::expected) {
            memory_handover::lose_rank_0(me.rank, me.size);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return memory;
}

/// The transport of this rank in the job of this name. Returns once all ranks are there.
inline shared_pointer<transport> take_part(job_place const& me, std::string const& name,
                                           steady::time_point until) {
    auto const member = make_shared_object<membership>(
        me.rank == 0 ? create_job(me, name, until) : enter_job(me, name, until), me.rank);
    return member->memory.rank(me.rank, member, true);
}

}  // namespace detail

}  // namespace collectives::shm
