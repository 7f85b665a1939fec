// SPDX-License-Identifier: BSD-3-Clause
// Ranks over the fake's devices: threads of one process, and processes.
#pragma once

#include <collectives/collectives.hpp>
#include <collectives/launch/cuda.hpp>

#include <conformance/world.hpp>
#include <cuda/fake.hpp>
#include <cuda/fake_kernels.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace fake {

namespace coll = collectives;
using conformance::expect;

/// Nothing of a process's device is left.
inline void expect_nothing_left(machine const& m) {
    expect(m.live_allocations() == 0,
           [&] { return std::to_string(m.live_allocations()) + " allocations are left"; });
    expect(m.live_mappings() == 0,
           [&] { return std::to_string(m.live_mappings()) + " mappings are left"; });
    expect(m.host_allocations == 0 && m.known_to_devices() == 0, "memory of the host is left");
    expect(m.streams == 0, "streams are left");
    expect(m.events == static_cast<int>(m.idle_events()), "events are left");
}

/// Calls f(comm, machine) on ranks that are threads, `devices` of which the ranks use in turn.
template <class F>
void run_threads(world& w, int size, F const& f, std::optional<cuda::ordering> order = {},
                 std::optional<cuda::drive> drive = {}) {
    auto const mine = std::make_shared<machine>(w);
    coll::threads::run(size, [&](auto& base) {
        mine->use(base.rank() % w.devices);
        auto comm = cuda::communicate(base, mine->current(), {mine, order, drive});
        f(comm, *mine);
    });
    expect_nothing_left(*mine);
}
/// The same with processes.
template <class F>
void run_processes(world& w, int size, F const& f, std::optional<cuda::ordering> order = {},
                   std::optional<cuda::drive> drive = {}) {
    coll::shm::run(size, [&](auto& base) {
        auto const mine = std::make_shared<machine>(w);
        mine->use(base.rank() % w.devices);
        {
            auto comm = cuda::communicate(base, mine->current(), {mine, order, drive});
            f(comm, *mine);
        }
        expect_nothing_left(*mine);
    });
}

/// Worlds for the conformance suite, whose buffers are the host's: so the devices reach that, as
/// some do, and what comes from `allocate` lies in their own memory.
template <bool Threads, cuda::ordering Order>
struct conforming {
    template <class F>
    static void run(int size, F const& f) {
        world w;
        w.reaches_host = true;
        w.laziness = 64;
        auto const each = [&](auto& comm, machine&) { f(comm); };
        if constexpr (Threads) {
            run_threads(w, size, each, Order);
        } else {
            run_processes(w, size, each, Order);
        }
    }
};
struct over_threads : conforming<true, cuda::ordering::events> {};
struct over_processes : conforming<false, cuda::ordering::events> {};
struct memory_ordered : conforming<false, cuda::ordering::memory> {};
struct host_ordered : conforming<false, cuda::ordering::host> {};

}  // namespace fake
