// SPDX-License-Identifier: BSD-3-Clause
// Ranks over the fake's devices: threads of one process, and processes.
#pragma once

#include <collectives/collectives.hpp>
#include <collectives/launch/cuda.hpp>
#include <collectives/transport/cuda/space.hpp>

#include <conformance/world.hpp>
#include <cuda/fake.hpp>
#include <cuda/fake_kernels.hpp>

#include <functional>
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

/// What each rank does.
using device_body = std::function<void(coll::communicator&, machine&)>;

/// Calls f(comm, machine) on ranks that are threads, `devices` of which the ranks use in turn.
inline void run_threads(world& w, int size, device_body const& f,
                        std::optional<cuda::ordering> order = {}) {
    auto const mine = std::make_shared<machine>(w);
    coll::threads::run(size, [&](auto& base) {
        mine->use(base.rank() % w.devices);
        auto comm = cuda::communicate(base, mine->current(), {mine, order});
        f(comm, *mine);
    });
    expect_nothing_left(*mine);
}
/// The same with processes.
inline void run_processes(world& w, int size, device_body const& f,
                          std::optional<cuda::ordering> order = {}) {
    coll::shm::run(size, [&](auto& base) {
        auto const mine = std::make_shared<machine>(w);
        mine->use(base.rank() % w.devices);
        {
            auto comm = cuda::communicate(base, mine->current(), {mine, order});
            f(comm, *mine);
        }
        expect_nothing_left(*mine);
    });
}

namespace detail {

/// For the conformance suite, whose buffers are the host's: so the devices reach that, as some do,
/// and what comes from `allocate` lies in their own memory.
template <bool Threads, cuda::ordering Order>
void run_conforming(int size, conformance::rank_body const& f) {
    world w;
    w.reaches_host = true;
    w.laziness = 64;
    auto const each = [&](coll::communicator& comm, machine&) { f(comm); };
    if (Threads) {
        run_threads(w, size, each, Order);
    } else {
        run_processes(w, size, each, Order);
    }
}

}  // namespace detail

inline constexpr conformance::world over_threads{
    "threads", detail::run_conforming<true, cuda::ordering::events>};
inline constexpr conformance::world over_processes{
    "processes", detail::run_conforming<false, cuda::ordering::events>};
inline constexpr conformance::world memory_ordered{
    "ordered by words", detail::run_conforming<false, cuda::ordering::memory>};
inline constexpr conformance::world host_ordered{
    "ordered by the host", detail::run_conforming<false, cuda::ordering::host>};

}  // namespace fake
