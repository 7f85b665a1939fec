// SPDX-License-Identifier: BSD-3-Clause
// A flight report that cannot be written ends nothing, whatever the reason.
#include <collectives/report.hpp>

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>

namespace coll = collectives;

namespace {

/// The board of a communicator that has failed, on a rank without memory.
class board_without_memory final : public coll::any_board {
public:
    void enter(coll::fingerprint const&, std::uint64_t, std::uint64_t, std::uint64_t) override {}
    void finish(std::uint64_t) override {}
    std::uint64_t entered(coll::rank_t) const override { return 1; }
    std::uint64_t finished(coll::rank_t) const override { return 0; }
    std::optional<coll::fingerprint> call_of(coll::rank_t, std::uint64_t) const override {
        throw std::bad_alloc();
    }
    void fail(coll::failure const&) override {}
    std::optional<coll::failure> first_failure() const override { return {}; }
    std::atomic<std::uint32_t> const& stop_word() const override { return stopped_; }

private:
    std::atomic<std::uint32_t> stopped_{1};
};

/// Asks for a report, in a child whose standard error is a pipe that nobody reads. Gives the
/// child's status.
int status_after_report() {
    std::array<int, 2> unread{};
    REQUIRE(::pipe(unread.data()) == 0);
    auto const child = ::fork();
    if (child == 0) {
        ::signal(SIGPIPE, SIG_DFL);
        ::dup2(unread[1], STDERR_FILENO);
        ::close(unread[0]);
        ::setenv("COLLECTIVES_REPORT", "/nowhere", 1);
        board_without_memory const board;
        coll::detail::rank_group const group({0}, 0);
        coll::lean_vector<coll::detail::activity*> const under_way;
        coll::detail::flight_log log;
        coll::detail::linked_flight_recorder->record({board, group, 1, under_way, nullptr}, log);
        ::sigset_t waiting;
        ::sigpending(&waiting);
        ::_exit(log.failed && ::sigismember(&waiting, SIGPIPE) == 0 ? 7 : 1);
    }
    ::close(unread[0]);
    ::close(unread[1]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

}  // namespace

TEST_CASE("a rank without memory goes on without a report, also where nobody reads its errors") {
    auto const status = status_after_report();
    CAPTURE(WTERMSIG(status));
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
}
