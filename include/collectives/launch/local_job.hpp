// SPDX-License-Identifier: BSD-3-Clause
// How processes of one machine that were started separately become the ranks of a job.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/processors.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/launch/environment.hpp>
#include <collectives/launch/job_name.hpp>
#include <collectives/launch/meeting.hpp>
#include <collectives/transport/shared/processes.hpp>
#include <collectives/transport/shm.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace collectives::inline v0::shm {

namespace detail {

/// Says that the rank has left once its last communicator is gone. A child that the rank forks is
/// not the rank.
struct membership {
    job memory;
    rank_t rank;
    pid_t process = ::getpid();
    ~membership() {
        if (::getpid() == process) { memory.state().depart(rank, shared::life::left, 0); }
    }
};

inline void take_seat(job const& memory, rank_t r, pid_t process) {
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
inline constexpr pid_t unseen = -1;  // in the seat of a rank that came from another name space
inline constexpr std::int32_t given_up = -1;  // instead of processors: rank 0 waits no longer

inline std::vector<int> absent(job const& memory) {
    std::vector<int> ranks;
    for (rank_t r = 0; r < memory.state().size(); ++r) {
        if (memory.state().status(r).pid.load() <= 0) { ranks.push_back(r); }
    }
    return ranks;
}
/// Why: a rank came from another name space, or none came.
inline std::string why_absent(job const& memory, std::string const& name) {
    for (auto const r : absent(memory)) {
        if (memory.state().status(r).pid.load() == unseen) {
            return text_of("; rank ", r, apart_from_rank_0);
        }
    }
    return meeting_at(name);
}
[[noreturn]] inline void miss(job_place const& me, std::vector<int> const& ranks,
                              std::string const& why) {
    std::string text = text_of("rank ", me.rank, ", join: time ran out; missing rank");
    for (auto const r : ranks) { text += text_of(" ", r); }
    throw timeout_error(text + why, ranks);
}

/// Rank 0: makes the job, and lets the others in until all are there.
inline job host(job_place const& me, std::string const& name, steady::time_point until) {
    job memory(me.size);
    take_seat(memory, 0, ::getpid());
    {
        meeting_place place(name);
        place.open();
        while (!absent(memory).empty()) {
            auto const came = place.admit(until);
            if (came.connection.get() < 0) {
                memory.state().header().processors.store(given_up);
                miss(me, absent(memory), why_absent(memory, name));
            }
            auto const& said = came.said;
            auto const expected = said.size == me.size && said.rank > 0 && said.rank < me.size &&
                                  memory.state().status(said.rank).pid.load() <= 0;
            if (!expected) {
                meeting_place::turn_away(came.connection);
            } else if (!came.is_seen()) {
                take_seat(memory, said.rank, unseen);
                meeting_place::turn_away(came.connection, refusal::unseen);
            } else if (meeting_place::hand_over(came.connection, memory.descriptor())) {
                take_seat(memory, said.rank, came.process);
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

/// The others: receive the job's memory, and wait until rank 0 has let in everybody.
inline job attend(job_place const& me, std::string const& name, steady::time_point until) {
    auto file = meeting_place(name).come({greeting::expected_magic, me.rank, me.size}, until);
    if (file.get() < 0) { miss(me, {0}, meeting_at(name)); }
    job memory(me.size, shared::memory_file::received{file.release()});
    auto const& mine = memory.state().status(me.rank).state;
    descriptor rank_0;
    while (mine.load() == shared::life::expected) {
        auto const ended = shared::has_ended(rank_0, memory.state().status(0).pid.load());
        auto const waits = memory.state().header().processors.load() != given_up;
        if (!waits || steady::now() >= until) {
            miss(me, absent(memory), why_absent(memory, name));
        }
        if (ended && mine.load() == shared::life::expected) {
            meeting_place::lose_rank_0(me.rank, me.size);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return memory;
}

/// What this rank of the job of this name works with, once all of its ranks are there.
inline std::shared_ptr<transport> take_part(job_place const& me, std::string const& name,
                                            steady::time_point until) {
    auto const member = std::make_shared<membership>(
        me.rank == 0 ? host(me, name, until) : attend(me, name, until), me.rank);
    return member->memory.rank(me.rank, member, true);
}

}  // namespace detail

}  // namespace collectives::shm
