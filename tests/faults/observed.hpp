// SPDX-License-Identifier: BSD-3-Clause
// What each rank lived through, left in memory that its parent sees even if the rank is a process.
#pragma once

#include <faults/harness.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <cstdlib>
#include <fstream>
#include <new>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace faults {

enum class outcome {
    nothing,
    result,
    usage,
    mismatch,
    timeout,
    peer_lost,
    transport,
    run,
    other_error,
    foreign
};

inline std::ostream& operator<<(std::ostream& out, outcome what) {
    constexpr std::array names{
        "nothing",       "a result",           "usage_error",     "mismatch_error",
        "timeout_error", "peer_lost_error",    "transport_error", "run_error",
        "error",         "a foreign exception"};
    return out << names[static_cast<std::size_t>(what)];
}

/// Seconds of a clock that is the same for all processes.
inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// How a call ended. Plain bytes.
struct observation {
    outcome caught = outcome::nothing;
    int peer = -1;
    int missing_count = 0;
    std::array<int, 16> missing_ranks{};
    double seconds = 0;  // it took
    double ended = 0;    // by seconds_now()
    std::array<char, 600> text{};

    std::vector<int> missing() const {
        return {missing_ranks.begin(), missing_ranks.begin() + missing_count};
    }
    /// Whether those who did not come are named, and nobody else: where ranks use control
    /// messages, also one whose message was late.
    bool misses(std::vector<int> const& who) const {
        auto const named = missing();
        return job.control_time == 0ms
                   ? named == who
                   : std::includes(named.begin(), named.end(), who.begin(), who.end());
    }
    std::string_view what() const { return text.data(); }
    bool says(std::string_view part) const { return what().find(part) != std::string_view::npos; }

    void note(outcome kind, char const* why) {
        caught = kind;
        std::string_view const all(why);
        std::copy_n(all.begin(), std::min(all.size(), text.size() - 1), text.begin());
    }
};

/// Appends a line to the file that COLLECTIVES_TEST_OBSERVED names, if it does: how a call under
/// test ended, and after how many seconds.
inline void record(observation const& seen) {
    auto const* const path = std::getenv("COLLECTIVES_TEST_OBSERVED");
    if (path == nullptr) { return; }
    std::ostringstream line;
    line << seen.caught << ',' << seen.seconds << '\n';
    std::ofstream(path, std::ios::app) << line.str();
}

/// Calls `call` and notes what came of it.
template <class Call>
void note_end(observation& seen, Call&& call) {
    seen = {};
    auto const begin = seconds_now();
    try {
        call();
        seen.caught = outcome::result;
    } catch (coll::usage_error const& e) {
        seen.note(outcome::usage, e.what());
    } catch (coll::mismatch_error const& e) {
        seen.note(outcome::mismatch, e.what());
    } catch (coll::timeout_error const& e) {
        seen.note(outcome::timeout, e.what());
        seen.missing_count =
            static_cast<int>(std::min(e.missing().size(), seen.missing_ranks.size()));
        std::copy_n(e.missing().begin(), seen.missing_count, seen.missing_ranks.begin());
    } catch (coll::peer_lost_error const& e) {
        seen.note(outcome::peer_lost, e.what());
        seen.peer = e.peer();
    } catch (coll::transport_error const& e) {
        seen.note(outcome::transport, e.what());
    } catch (coll::run_error const& e) {
        seen.note(outcome::run, e.what());
        seen.peer = e.rank();
    } catch (coll::error const& e) {
        seen.note(outcome::other_error, e.what());
    } catch (std::exception const& e) { seen.note(outcome::foreign, e.what()); }
    seen.ended = seconds_now();
    seen.seconds = seen.ended - begin;
}
/// The same, and records it.
template <class Call>
void observe(observation& seen, Call&& call) {
    note_end(seen, call);
    record(seen);
}

/// `n` objects of plain bytes that the processes forked later share with this one.
template <class T>
class shared_array {
public:
    explicit shared_array(int n) : n_(static_cast<std::size_t>(n)) {
        auto* const memory = ::mmap(nullptr, n_ * sizeof(T), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) { throw std::bad_alloc(); }
        data_ = static_cast<T*>(memory);
        for (std::size_t i = 0; i < n_; ++i) { ::new (data_ + i) T{}; }
    }
    shared_array(shared_array const&) = delete;
    shared_array& operator=(shared_array const&) = delete;
    ~shared_array() { ::munmap(data_, n_ * sizeof(T)); }

    T& operator[](int i) { return data_[i]; }
    T& at(coll::communicator const& comm) { return data_[comm.rank()]; }
    T* begin() { return data_; }
    T* end() { return data_ + n_; }

private:
    std::size_t n_;
    T* data_ = nullptr;
};

/// Waits until `n` ranks have said so.
inline void await(std::atomic<int> const& count, int n) {
    while (count.load() < n) { std::this_thread::sleep_for(1ms); }
    std::this_thread::sleep_for(job.control_time);
}

/// What a rank met: in the call under test, and in the calls after it.
struct story {
    observation call;
    std::array<observation, 5> later;
    double quickest_later = 1e9;

    /// The first error the rank met: a rank whose part had been done learns at its next call.
    observation const& error() const { return call.caught == outcome::result ? later[0] : call; }
};

/// Five more calls on a broken communicator.
inline void try_again(story& mine, coll::communicator& comm) {
    for (auto& seen : mine.later) {
        note_end(seen, [&] { comm.barrier({.timeout = 10s}); });
        mine.quickest_later = std::min(mine.quickest_later, seen.seconds);
    }
}

using stories = shared_array<story>;

/// Runs call(comm) on every rank, then more calls; all that is thrown is caught and written down.
inline void tell(stories& of, int size, rank_body const& call) {
    job.run(size, [&](coll::communicator& comm) {
        auto& mine = of.at(comm);
        observe(mine.call, [&] { call(comm); });
        try_again(mine, comm);
    });
}

/// Every rank met an error of this kind, and then again, at once, at each further call.
inline void check_broken(stories& of, outcome kind) {
    int rank = -1;
    for (auto const& s : of) {
        ++rank;
        CAPTURE(rank);
        CAPTURE(s.error().what());
        CHECK_EQ(s.error().caught, kind);
        for (auto const& seen : s.later) { CHECK_EQ(seen.caught, kind); }
        CHECK_LT(s.quickest_later, 0.01 * slowness);
    }
}

}  // namespace faults
