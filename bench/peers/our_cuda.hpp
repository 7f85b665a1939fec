// SPDX-License-Identifier: BSD-3-Clause
// Measures this library on devices, for coll_perf: ranks that are threads or processes of this
// program. What is used of CUDA is passed in, so that it runs without a device, too.
#pragma once

#include "device_rank.hpp"

#include "../../tools/coll_perf/ranks/typed.hpp"
#include "../../tools/load/inherit.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/launch/shm.hpp>
#include <collectives/launch/threads.hpp>
#include <collectives/launch/cuda.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace peers {

/// "4 ranks sharing one GPU": how many devices the ranks have between them, in turn.
inline std::string sharing(int ranks, int devices) {
    auto const n = std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
    if (ranks > 1 && devices == 1) { return n + " sharing one GPU"; }
    if (ranks <= devices) { return n + (ranks == 1 ? ", a GPU of its own" : ", a GPU each"); }
    return n + " sharing " + std::to_string(devices) + " GPUs";
}

/// All cases on one rank of a communicator on devices; rank 0 tells the results.
template <class Known>
void measure_on_device(coll::communicator& comm, board meeting, settings const& how,
                       std::vector<measured_case> const& cases,
                       std::function<void(std::string const&)> const& tell) try {
    device_rank const me{cuda::space_of(comm), meeting, comm.rank(), how, tell};
    for (std::size_t i = 0; i < cases.size(); ++i) {
        auto const& c = cases[i];
        Known::visit(c, [&]<class T, class Op>() {
            auto const function = typed_call<T, Op>(collective_of(c.collective)).call;
            auto const bytes = slots(how, c).bytes();
            auto reachable = comm.allocate<std::byte>(how.allocated ? bytes : 0);
            device_memory const own(me.space, how.allocated ? 0 : bytes);
            coll::options options;
            options.algorithm = coll::parse_algorithm(c.algorithm);
            auto const call = [&](std::byte* in, std::size_t in_count, std::byte* out,
                                  std::size_t out_count) {
                function(comm, {in, in_count, out, out_count, c.root, &options, {}});
            };
            me.measure(i, c, model_of<T, Op>(), how.allocated ? reachable.data() : own.data(),
                       call);
            comm.barrier();  // no peer works in this memory any more
        });
    }
} catch (...) {
    meeting.give_up();
    throw;
}

/// One rank, in a process or a thread of its own. Ranks take the devices in turn.
template <class Known>
void measure_on_next_device(coll::communicator& base,
                            std::shared_ptr<cuda::call_table> const& table, board const& meeting,
                            settings const& how, std::vector<measured_case> const& cases,
                            std::function<void(std::string const&)> const& tell) {
    bind_rank(how.places, base.rank());
    std::string why;
    auto const devices = table->devices(why);
    auto const mine = devices == 0 ? 0 : base.rank() % devices;
    if (devices != 0) { table->use(mine); }  // else all ranks are refused next
    auto comm = cuda::communicate(base, mine, {table, {}});
    measure_on_device<Known>(comm, meeting, how, cases, tell);
}

/// All ranks: threads of this process, or processes that `calls()` is called in.
template <class Known, class Calls>
void measure_on_devices(bool threads, Calls const& calls, board const& meeting, settings const& how,
                        std::vector<measured_case> const& cases,
                        std::function<void(std::string const&)> const& tell) {
    auto const body = [&](coll::communicator& base,
                          std::shared_ptr<cuda::call_table> const& table) {
        measure_on_next_device<Known>(base, table, meeting, how, cases, tell);
    };
    if (threads) {
        auto const table = calls();
        coll::threads::run(how.ranks, [&](coll::communicator& base) { body(base, table); });
    } else {
        coll::shm::run(how.ranks, [&](coll::communicator& base) { body(base, calls()); });
    }
}

}  // namespace peers
