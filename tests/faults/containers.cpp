// SPDX-License-Identifier: BSD-3-Clause
// Ranks of one machine in name spaces of their own, as containers have them: they work and notice a
// death, or each is told why they cannot.
#define DOCTEST_CONFIG_IMPLEMENT
#include "forked.hpp"

#include <collectives/ucx.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace coll = collectives;
using namespace std::chrono_literals;

namespace {

constexpr int size = 3;
constexpr int ipc = CLONE_NEWIPC, net = CLONE_NEWNET, pid = CLONE_NEWPID, mnt = CLONE_NEWNS,
              host_name = CLONE_NEWUTS;
constexpr int whole_container = ipc | net | pid | mnt | host_name;

void require(bool good, char const* call) {
    if (!good) { throw std::runtime_error(std::string(call) + ": " + std::strerror(errno)); }
}

/// Children are born into a process name space of their own while it lives.
class births {
public:
    explicit births(int spaces) {
        if ((spaces & pid) == 0) { return; }
        require(home_ >= 0, "open");
        require(::unshare(CLONE_NEWPID) == 0, "unshare");
        away_ = true;
    }
    births(births const&) = delete;
    births& operator=(births const&) = delete;
    ~births() {
        if (away_) { ::setns(home_, CLONE_NEWPID); }
        ::close(home_);
    }

private:
    int home_ = ::open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    bool away_ = false;
};

/// Moves the calling process into the other spaces, and shows it its own /proc.
void enter(int spaces) {
    require(::unshare((spaces & ~pid) | ((spaces & pid) != 0 ? mnt : 0)) == 0, "unshare");
    if ((spaces & (mnt | pid)) != 0) {
        require(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "mount");
    }
    if ((spaces & mnt) != 0) {
        require(::mount("none", "/dev/shm", "tmpfs", 0, nullptr) == 0, "mount");
    }
    if ((spaces & pid) != 0) {
        require(::mount("proc", "/proc", "proc", 0, nullptr) == 0, "mount");
    }
}

using rank_spaces = std::array<int, size>;

rank_spaces each(int spaces) { return {spaces, spaces, spaces}; }
/// All ranks apart, or one of them.
std::vector<rank_spaces> ways_apart(int spaces) {
    return {each(spaces), {spaces, 0, 0}, {0, 0, spaces}};
}

/// How the ranks end that do f() in these spaces.
template <class F>
std::vector<faults::outcome> ends_of(rank_spaces const& of, F const& f) {
    static int job = 0;
    auto const name = "apart-" + std::to_string(::getpid()) + "-" + std::to_string(++job);
    std::vector<faults::forked> ranks;
    std::fflush(nullptr);  // UCX prints in the ranks
    for (int r = 0; r < size; ++r) {
        auto const its = of[static_cast<std::size_t>(r)];
        births const there(its);
        ranks.push_back(faults::start(r, size, [&] {
            ::signal(SIGALRM, [](int) { ::_exit(97); });  // the first of a name space has to ask
            enter(its);
            ::setenv("COLLECTIVES_JOB", name.c_str(), 1);
            ::unsetenv("COLLECTIVES_STORE");
            return f();
        }));
    }
    std::vector<faults::outcome> ends;
    for (auto const& r : ranks) { ends.push_back(faults::end_of(r)); }
    return ends;
}
std::vector<int> statuses(std::vector<faults::outcome> const& ends) {
    std::vector<int> result;
    for (auto const& e : ends) { result.push_back(e.status); }
    return result;
}
void check_all_say(std::vector<faults::outcome> const& ends, std::string_view why) {
    for (auto const& e : ends) {
        CHECK_GE(e.status, 10);
        CHECK_LE(e.status, 40);
        CHECK_MESSAGE(e.said.find(why) != std::string::npos, e.said);
    }
}

/// Right sums for a while; then the last rank ends without a word, and the others wait for it.
int work_and_die(coll::communicator comm) {
    std::vector<int> data(100'000);
    for (int again = 0; again < 10; ++again) {
        std::fill(data.begin(), data.end(), comm.rank() + 1);
        comm.all_reduce(data);
        if (std::count(data.begin(), data.end(), 6) != std::ssize(data)) { return 1; }
    }
    if (comm.rank() == size - 1) { ::_exit(0); }
    auto const begin = coll::steady::now();
    try {
        comm.barrier({.timeout = 10s});
    } catch (coll::peer_lost_error const&) {
        if (coll::steady::now() - begin < 2s) { throw; }
    }
    return 2;
}
std::vector<int> const worked{22, 22, 0};

int over_shm() { return work_and_die(coll::shm::join(10s)); }
int refused_by_shm() {
    auto comm = coll::shm::join(2s);
    return 1;
}

/// By any of UCX's ways if `ways` is null.
auto over_hosts(char const* ways) {
    return [=] {
        ways == nullptr ? ::unsetenv("UCX_TLS") : ::setenv("UCX_TLS", ways, 1);
        auto base = coll::ucx::join(10s);
        return work_and_die(coll::bridge_hosts(base));
    };
}
auto refused_by_ucx(char const* ways, coll::timeout time = 5s) {
    return [=] {
        ::setenv("UCX_TLS", ways, 1);
        auto comm = coll::ucx::join(time);
        return 1;
    };
}

bool permitted() {
    auto const child = faults::start(0, 1, [] {
        births const there(pid);
        enter(whole_container & ~pid);
        return 0;
    });
    auto const end = faults::end_of(child);
    if (end.status != 0) {
        std::printf("skipped: this user may make no name spaces: %s\n", end.said.c_str());
    }
    return end.status == 0;
}

}  // namespace

TEST_CASE("what is no matter to memory that is shared") {
    std::vector<rank_spaces> all = ways_apart(ipc | mnt | host_name);
    for (int const spaces : {ipc, mnt, host_name}) { all.push_back(each(spaces)); }
    for (auto const& of : all) {
        CAPTURE(of[0]);
        CAPTURE(of[2]);
        CHECK(statuses(ends_of(of, over_shm)) == worked);
        CHECK(statuses(ends_of(of, over_hosts("tcp,self"))) == worked);
        CHECK(statuses(ends_of(of, over_hosts(nullptr))) == worked);
    }
}

TEST_CASE("ranks in several process name spaces share no memory, and each says so") {
    for (auto const& of : ways_apart(pid)) {
        check_all_say(ends_of(of, refused_by_shm), "do not see each other's process");
    }
    check_all_say(ends_of(each(pid), refused_by_ucx("sysv,self")), "different process name spaces");
    check_all_say(ends_of({0, 0, pid}, refused_by_ucx("sysv,self")),
                  "different process name spaces");
}

TEST_CASE("ranks in several process name spaces work over UCX") {
    for (int const spaces : {pid, pid | ipc | mnt | host_name}) {
        CAPTURE(spaces);
        for (auto const& of : ways_apart(spaces)) {
            CHECK(statuses(ends_of(of, over_hosts("tcp,self"))) == worked);
            CHECK(statuses(ends_of(of, over_hosts(nullptr))) == worked);
        }
    }
}

TEST_CASE("ranks in several network name spaces do not meet on their machine, and each says so") {
    for (auto const& of : ways_apart(net)) {
        check_all_say(ends_of(of, refused_by_shm), "one network name space");
    }
    check_all_say(ends_of(each(whole_container), refused_by_shm), "one network name space");
    check_all_say(ends_of({0, 0, whole_container}, refused_by_ucx("tcp,self", 500ms)),
                  "COLLECTIVES_STORE");
}

TEST_CASE("ranks that UCX does not connect are told of UCX_TLS") {
    for (auto const& of : {each(ipc | pid), rank_spaces{0, 0, ipc | pid}}) {
        check_all_say(ends_of(of, refused_by_ucx("posix,cma,self", 2s)), "UCX_TLS");
    }
}

int main(int argc, char** argv) {
    if (!permitted()) { return 77; }
    return doctest::Context(argc, argv).run();
}
