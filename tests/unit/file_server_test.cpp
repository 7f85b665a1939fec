// SPDX-License-Identifier: BSD-3-Clause
// Files that a process hands to others of the same user.
#include <collectives/transport/cuda/file_server.hpp>

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <thread>
#include <vector>

namespace {

namespace cuda = collectives::cuda;

int file_with(char c) {
    int const file = ::memfd_create("a file", MFD_CLOEXEC);
    REQUIRE(file >= 0);
    REQUIRE(::write(file, &c, 1) == 1);
    return file;
}
char first_byte(collectives::descriptor const& file) {
    char c = 0;
    return ::pread(file.get(), &c, 1, 0) == 1 ? c : '?';
}
auto open_files() {
    std::filesystem::directory_iterator const all("/proc/self/fd");
    return std::distance(begin(all), end(all));
}
/// The status of a child that runs f.
template <class F>
int in_a_child(F const& f) {
    auto const child = ::fork();
    if (child == 0) { ::_exit(f()); }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a file crosses to another process until it is withdrawn") {
    auto const before = open_files();
    {
        cuda::file_server server;
        auto const a = server.offer(file_with('a'), 4096), b = server.offer(file_with('b'), 1);
        CHECK(a.magic == cuda::file_ticket::right_magic);
        CHECK(a.bytes == 4096);
        CHECK(in_a_child([&] {
                  auto const got = cuda::file_server::fetch(b);
                  return got.get() < 0 ? 0 : first_byte(got);
              }) == 'b');
        CHECK(first_byte(cuda::file_server::fetch(a)) == 'a');
        server.withdraw(a);
        server.withdraw(a);
        CHECK(cuda::file_server::fetch(a).get() < 0);
        CHECK(first_byte(cuda::file_server::fetch(b)) == 'b');

        std::vector<std::thread> many;
        std::atomic<int> right = 0;
        for (int t = 0; t < 16; ++t) {
            many.emplace_back([&] {
                for (int i = 0; i < 20; ++i) {
                    right += first_byte(cuda::file_server::fetch(b)) == 'b' ? 1 : 0;
                }
            });
        }
        for (auto& t : many) { t.join(); }
        CHECK(right == 320);
    }
    CHECK(open_files() == before);
}

TEST_CASE("who asks nobody, and who says nothing") {
    cuda::file_ticket nobody;
    nobody.server = {'n', 'o', 'b', 'o', 'd', 'y'};
    CHECK_THROWS_AS((void)cuda::file_server::fetch(nobody), collectives::transport_error);

    cuda::file_server server;
    auto const a = server.offer(file_with('a'), 1);
    int const silent = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    collectives::detail::local_address const at(a.server.data());
    REQUIRE(::connect(silent, at.get(), at.bytes) == 0);
    CHECK(first_byte(cuda::file_server::fetch(a)) == 'a');  // a second later at most
    ::close(silent);
}

TEST_CASE("signals come while a process waits for a file") {
    struct sigaction seen {
    }, before{};
    seen.sa_handler = [](int) {};
    REQUIRE(::sigaction(SIGALRM, &seen, &before) == 0);
    {
        cuda::file_server server;
        auto const a = server.offer(file_with('a'), 1);
        int const silent = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        collectives::detail::local_address const at(a.server.data());
        REQUIRE(::connect(silent, at.get(), at.bytes) == 0);
        itimerval const often{{0, 20'000}, {0, 20'000}};
        ::setitimer(ITIMER_REAL, &often, nullptr);
        CHECK(first_byte(cuda::file_server::fetch(a)) == 'a');
        itimerval const never{};
        ::setitimer(ITIMER_REAL, &never, nullptr);
        ::close(silent);
    }
    ::sigaction(SIGALRM, &before, nullptr);
}
