// SPDX-License-Identifier: BSD-3-Clause
// A job of the campaign: random programs, a random fault, and the rank on which it falls.
#pragma once

#include <faults/limits.hpp>
#include <faults/observed.hpp>
#include <property/rank_run.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace faults {

using random_programs::instruction;

enum class fault {
    none,
    kill,
    exit,
    raise,
    stop,
    descriptors,
    file_size,
    memory,
    group_memory,
    closed,
    full
};
inline constexpr std::array fault_names{
    "none",      "SIGKILL",   "exit",         "exception",          "SIGSTOP",         "ulimit -n",
    "ulimit -f", "ulimit -v", "cgroup limit", "closed descriptors", "full file system"};

/// Whether the fault ends the rank.
inline bool is_deadly(fault f) { return f == fault::kill || f == fault::exit || f == fault::raise; }

/// A job that follows from its seed.
struct campaign_job {
    unsigned seed;
    int size;
    fault what = fault::none;
    int victim;
    std::vector<instruction> before, after, rest;
    std::chrono::microseconds delay{0};  // from the end of `before` to the fault
    std::size_t group_bytes;             // that a control group leaves
    bool reports;                        // each rank keeps a flight record
    coll::timeout time = 3s;

    explicit campaign_job(unsigned from) : seed(from) {
        std::mt19937 dice(from);
        auto const below = [&](std::size_t n) {
            return std::uniform_int_distribution<std::size_t>(0, n - 1)(dice);
        };
        size = static_cast<int>(3 + below(6));
        victim = static_cast<int>(below(static_cast<std::size_t>(size)));
        if (job.processes) {
            what = static_cast<fault>(below(fault_names.size()));
        } else {
            what = below(4) == 0 ? fault::none : fault::raise;
        }
        // Sanitizers need address space, and descriptors for their reports.
        if (slowness > 1 &&
            (what == fault::memory || what == fault::descriptors || what == fault::group_memory)) {
            what = fault::kill;
        }
        // UCX ends the process where a limit is met, and may leave a file behind.
        if (what > fault::stop && job.control_time != 0ms) { what = fault::kill; }
        auto const program = [&](std::size_t most) {
            std::vector<instruction> result(below(most) + 1);
            for (auto& i : result) {
                constexpr std::array<std::size_t, 3> counts{12, 600, 9000};
                constexpr std::array<std::size_t, 5> segments{0, 0, 0, 512, 8192};
                constexpr std::array reachable{0, 0, 3, 8, 8};
                i.what = static_cast<int>(below(10));
                i.algorithm = static_cast<int>(below(10));
                i.root = static_cast<int>(below(8));
                i.n = below(counts[below(counts.size())]);
                i.segment = segments[below(segments.size())];
                i.in_place = below(2) == 0;
                i.started = below(2) == 0;
                i.counted = below(2) == 0;
                i.reachable_ranks = reachable[below(reachable.size())];
            }
            return result;
        };
        before = program(6);
        after = program(12);
        rest = program(6);
        // An exception or exit falls between two calls, all else at any moment.
        if (what == fault::kill || what == fault::stop) {
            delay = std::chrono::microseconds(below(4000));
        }
        if (what == fault::stop) { time = 300ms; }
        group_bytes = (below(8) + 1) << 19;
        reports = what == fault::full || below(2) == 0;
    }
};

inline void limit(decltype(RLIMIT_NOFILE) what, rlim_t most) {
    rlimit now{};
    ::getrlimit(what, &now);
    now.rlim_cur = std::min(most, now.rlim_max);
    ::setrlimit(what, &now);
}

/// The control group and the folders that a fault needs, and a note whether it fell.
struct surroundings {
    bool* fell;  // set where this system lets the fault fall
    memory_group const* group = nullptr;
    std::vector<std::string> folders{"/dev/shm"};  // that a rank may write into
};

/// Lets the fault fall on this rank, now or soon: at the latest when what it returns is destroyed.
inline std::jthread strike(campaign_job const& of, surroundings const& beside, double& when) {
    auto const later = [&of, &when](int signal) {
        return std::jthread([delay = of.delay, signal, &when] {
            std::this_thread::sleep_for(delay);
            when = seconds_now();
            ::kill(::getpid(), signal);
        });
    };
    when = seconds_now();
    switch (of.what) {
        case fault::none: break;
        case fault::kill: return later(SIGKILL);
        case fault::stop: return later(SIGSTOP);
        case fault::exit: ::_exit(7);
        case fault::raise: throw std::out_of_range("lost my way");
        case fault::descriptors: limit(RLIMIT_NOFILE, 3); break;
        case fault::file_size: limit(RLIMIT_FSIZE, 4096); break;
        case fault::memory: limit(RLIMIT_AS, 1 << 20); break;
        case fault::group_memory: *beside.fell = beside.group->enter(); break;
        case fault::closed: ::close_range(3, ~0U, 0); break;
        case fault::full: *beside.fell = fill(beside.folders); break;
    }
    return {};
}

}  // namespace faults
