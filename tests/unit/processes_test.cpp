// SPDX-License-Identifier: BSD-3-Clause
// Watching processes: whatever becomes of the watcher's descriptors, only a process that ended is
// taken for one.
#include <collectives/core/descriptor.hpp>
#include <collectives/transport/shared/processes.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace coll = collectives;
namespace shared = collectives::shared;

namespace {

/// A process that sleeps until it is killed.
class sleeper {
public:
    sleeper() : id_(::fork()) {
        while (id_ == 0) { ::pause(); }
    }
    sleeper(sleeper const&) = delete;
    sleeper& operator=(sleeper const&) = delete;
    ~sleeper() {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }
    pid_t id() const { return id_; }
    /// It has ended, but its number is not free yet.
    void end() const {
        ::kill(id_, SIGKILL);
        siginfo_t how;
        ::waitid(P_PID, static_cast<id_t>(id_), &how, WEXITED | WNOWAIT);
    }

private:
    pid_t id_;
};

/// A job of one rank, which is that process.
class job_of {
public:
    explicit job_of(sleeper const& rank)
        : memory_(static_cast<std::byte*>(std::calloc(1, shared::state::bytes(1) + shared::line)),
                  std::free),
          state_(shared::state::create(aligned(), 1)) {
        state_.status(0).pid = rank.id();
        state_.status(0).state = shared::life::running;
    }
    shared::state state() const { return state_; }
    bool lives() const { return state_.status(0).state == shared::life::running; }

private:
    std::byte* aligned() const {
        void* at = memory_.get();
        auto space = shared::state::bytes(1) + shared::line;
        return static_cast<std::byte*>(
            std::align(shared::line, shared::state::bytes(1), at, space));
    }
    std::unique_ptr<std::byte, decltype(&std::free)> memory_;
    shared::state state_;
};

/// The number that the next descriptor gets.
int next_descriptor() { return coll::descriptor(::open("/dev/null", O_RDONLY)).get(); }

}  // namespace

TEST_CASE("a process that ended is seen to have ended") {
    sleeper rank;
    job_of job(rank);
    shared::processes watch(job.state());
    watch.look_after(0);
    CHECK(job.lives());
    rank.end();
    watch.look_after(0);
    CHECK(!job.lives());
}

TEST_CASE("a process that had ended before it was watched is seen to have ended") {
    sleeper rank;
    job_of job(rank);
    rank.end();
    shared::processes watch(job.state());
    CHECK(!job.lives());
}

TEST_CASE("a process lives on although the program closed the descriptor that stands for it") {
    sleeper rank;
    job_of job(rank);
    int const its = next_descriptor();
    shared::processes watch(job.state());
    REQUIRE(::close(its) == 0);
    watch.look_after(0);
    CHECK(job.lives());

    SUBCASE("and another file, with something to read, has its number") {
        std::array<int, 2> ends{};
        REQUIRE(::pipe(ends.data()) == 0);
        CHECK(ends[0] == its);
        REQUIRE(::write(ends[1], "x", 1) == 1);
        watch.look_after(0);
        CHECK(job.lives());
        ::close(ends[1]);
        watch.look_after(0);
        CHECK(job.lives());
    }
}
