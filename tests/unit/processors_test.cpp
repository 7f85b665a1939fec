// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/core/service_thread.hpp>
#include <collectives/transport/wire/processors.hpp>

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <thread>
#include <vector>

namespace {

namespace wire = collectives::wire;

/// The machine that the C library shows to this test: the last half of its processors may be used,
/// and what holds fewer bits is refused, as Linux does. 0: the real one.
std::size_t pretended = 0;
std::size_t bound_to = 0;  // processors, by the last pthread_setaffinity_np of a pretended machine

struct machine_of {
    explicit machine_of(std::size_t processors) { pretended = processors; }
    machine_of(machine_of const&) = delete;
    machine_of& operator=(machine_of const&) = delete;
    ~machine_of() { pretended = 0; }
};

wire::rank_processors rank_on(std::uint64_t machine, std::initializer_list<int> processors) {
    wire::rank_processors r;
    r.machine = machine;
    for (auto const p : processors) { r.usable.add(static_cast<std::size_t>(p)); }
    return r;
}

}  // namespace

extern "C" int sched_getaffinity(pid_t thread, std::size_t bytes, cpu_set_t* to) noexcept {
    if (pretended == 0) {
        auto const written = ::syscall(SYS_sched_getaffinity, thread, bytes, to);
        if (written < 0) { return -1; }
        auto const n = static_cast<std::size_t>(written);
        std::memset(reinterpret_cast<char*>(to) + n, 0, bytes - n);
        return 0;
    }
    if (bytes * 8 < pretended) {
        errno = EINVAL;
        return -1;
    }
    std::memset(to, 0, bytes);
    for (auto p = pretended / 2; p < pretended; ++p) { CPU_SET_S(p, bytes, to); }
    return 0;
}
extern "C" int pthread_setaffinity_np(pthread_t thread, std::size_t bytes,
                                      cpu_set_t const* to) noexcept {
    if (pretended == 0) {
        auto* const real = ::dlsym(RTLD_NEXT, "pthread_setaffinity_np");
        return reinterpret_cast<decltype(&::pthread_setaffinity_np)>(real)(thread, bytes, to);
    }
    bound_to = static_cast<std::size_t>(CPU_COUNT_S(bytes, to));
    return 0;
}

TEST_CASE("a machine of thousands of processors has as many") {
    for (std::size_t const n : {64U, 1024U, 2048U, 8192U}) {
        CAPTURE(n);
        machine_of const big(n);
        CHECK(collectives::usable_processors() == static_cast<int>(n / 2));
        auto const mine = wire::rank_processors::of_this_process();
        CHECK(wire::shared_processors(std::vector{mine, mine}) == static_cast<int>(n / 2));
        std::thread started([] {});
        bound_to = 0;
        collectives::detail::run_where_process_may(started);
        started.join();
        CHECK(bound_to == n / 2);
    }
}

TEST_CASE("a set has what was added to it") {
    collectives::processor_set one, more;
    one.add(5000);
    CHECK(one.has(5000));
    CHECK_FALSE(one.has(4999));
    CHECK_FALSE(more.has(one));
    more.add(3);
    more.add(one);
    CHECK(more.has(one));
    CHECK_FALSE(one.has(more));
    CHECK_FALSE(one == more);
    one.add(3);
    CHECK(one == more);
}

TEST_CASE("ranks of a machine have the union of what each is bound to") {
    CHECK(wire::shared_processors(std::vector{rank_on(7, {0}), rank_on(7, {1})}) == 2);
    CHECK(wire::shared_processors(std::vector{rank_on(7, {0, 1}), rank_on(7, {0, 1})}) == 2);
    CHECK(wire::shared_processors(std::vector{rank_on(7, {0}), rank_on(8, {0})}) == 2);
}

TEST_CASE("the machine that has fewest processors per rank counts for all") {
    std::vector const two_and_one{rank_on(7, {0, 1}), rank_on(8, {0, 1}), rank_on(7, {0, 1})};
    CHECK(wire::shared_processors(two_and_one) == 3);
    std::vector const crowd(8, rank_on(7, {5}));
    CHECK(wire::shared_processors(crowd) == 1);
}

TEST_CASE("a machine has one identity, and another by another name") {
    using processors = wire::rank_processors;
    CHECK(processors::of_this_process("a").machine == processors::of_this_process("a").machine);
    CHECK(processors::of_this_process("a").machine != processors::of_this_process("b").machine);
    auto const mine = processors::of_this_process();
    CHECK(mine.usable.count() > 0);
}
