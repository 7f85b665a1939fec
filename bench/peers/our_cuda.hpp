// SPDX-License-Identifier: BSD-3-Clause
// Measures this library on devices, for coll_perf: ranks that are threads or processes of this
// program. What is used of CUDA is passed in, so that it runs without a device, too.
#pragma once

#include "driver.hpp"

#include "../../tools/coll_perf/ranks/typed.hpp"
#include "../../tools/load/inherit.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/launch/shm.hpp>
#include <collectives/launch/threads.hpp>
#include <collectives/launch/cuda.hpp>
#include <collectives/transport/cuda/space.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace peers {

namespace cuda = coll::cuda;

/// "4 ranks sharing one GPU": how many devices the ranks have between them, in turn.
inline std::string sharing(int ranks, int devices) {
    auto const n = std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
    if (ranks > 1 && devices == 1) { return n + " sharing one GPU"; }
    if (ranks <= devices) { return n + (ranks == 1 ? ", a GPU of its own" : ", a GPU each"); }
    return n + " sharing " + std::to_string(devices) + " GPUs";
}

/// A rank's vectors in the memory of its device, filled and looked at through a copy in the host's.
class device_place {
public:
    device_place(cuda::space& space, std::byte* host, std::byte* device)
        : space_(&space), host_(host), device_(device) {}

    std::byte* on_device(std::byte const* p) const { return device_ + (p - host_); }
    void filled(std::byte const* p, std::size_t bytes) const { move(on_device(p), p, bytes); }
    void fetch(std::byte* p, std::size_t bytes) const { move(p, on_device(p), bytes); }
    /// CUDA's own copy within the device.
    void copy(std::byte* to, std::byte const* from, std::size_t bytes) const {
        move(on_device(to), on_device(from), bytes);
    }
    /// A kernel's.
    void other_copy(std::byte* to, std::byte const* from, std::size_t bytes) const {
        coll::device_scope const here(space_);
        space_->copy(on_device(to), on_device(from), bytes);
        space_->drain();
    }

private:
    void move(void* to, void const* from, std::size_t bytes) const {
        if (bytes == 0) { return; }
        coll::device_scope const here(space_);
        space_->calls().copy(to, from, bytes, static_cast<cuda::stream>(space_->queue()));
        space_->drain();
    }
    cuda::space* space_;
    std::byte* host_;
    std::byte* device_;
};

/// The types and operators that a driver is compiled for.
template <class Types, class Operators>
struct known_calls;
template <class... T, class... Op>
struct known_calls<std::tuple<T...>, std::tuple<Op...>> {
    /// Calls visit.operator()<T, Op>() for the ones with these names.
    template <class Visit>
    static void visit(measured_case const& c, Visit const& visit) {
        auto const each_type = [&]<class Type>(std::type_identity<Type>) {
            auto const each = [&]<class Operator>(std::type_identity<Operator>) {
                if (coll::type_name<Type>() == c.type && Operator::name == c.op) {
                    visit.template operator()<Type, Operator>();
                }
            };
            (each(std::type_identity<Op>{}), ...);
        };
        (each_type(std::type_identity<T>{}), ...);
    }
};

/// All cases on one rank of a communicator on devices; rank 0 tells the results.
template <class Known>
void measure_on_device(coll::communicator& comm, board meeting, settings const& how,
                       std::vector<measured_case> const& cases,
                       std::function<void(std::string const&)> const& tell) try {
    auto& space = cuda::space_of(comm);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        auto const& c = cases[i];
        Known::visit(c, [&]<class T, class Op>() {
            auto const function = find_call<T, Op>(collective_of(c.collective)).call;
            auto const bytes = slots(how, c).bytes();
            private_memory mirror(bytes);
            auto reachable = comm.allocate<std::byte>(how.allocated ? bytes : 0);
            auto const free = [&space](std::byte* p) { space.deallocate(p, 0); };
            std::unique_ptr<std::byte, decltype(free)> const own(
                how.allocated ? nullptr : static_cast<std::byte*>(space.allocate(bytes)), free);
            device_place const place(space, mirror.data(),
                                     how.allocated ? reachable.data() : own.get());
            coll::options options;
            options.algorithm = coll::parse_algorithm(c.algorithm);
            auto const call = [&](std::byte* in, std::size_t in_count, std::byte* out,
                                  std::size_t out_count) {
                function(comm, {place.on_device(in),
                                in_count,
                                place.on_device(out),
                                out_count,
                                c.root,
                                &options,
                                {}});
            };
            sampling one(meeting, comm.rank(), how, c, model_of<T, Op>(), mirror.data(), call,
                         place);
            auto const result = one.run(i);
            if (comm.rank() == 0) { tell(as_text(result)); }
            comm.barrier();  // no peer works in this memory any more
        });
    }
} catch (...) {
    meeting.give_up();
    throw;
}

/// All ranks: threads of this process, or processes that `calls()` is called in. Ranks take the
/// devices in turn.
template <class Known, class Calls>
void measure_on_devices(bool threads, Calls const& calls, board const& meeting, settings const& how,
                        std::vector<measured_case> const& cases,
                        std::function<void(std::string const&)> const& tell) {
    auto const body = [&](coll::communicator& base,
                          std::shared_ptr<cuda::call_table> const& table) {
        bind_rank(how.places, base.rank());
        std::string why;
        auto const devices = table->devices(why);
        auto const mine = devices == 0 ? 0 : base.rank() % devices;
        if (devices != 0) { table->use(mine); }  // else all ranks are refused next
        auto comm = cuda::communicate(base, mine, {table, {}});
        measure_on_device<Known>(comm, meeting, how, cases, tell);
    };
    if (threads) {
        auto const table = calls();
        coll::threads::run(how.ranks, [&](coll::communicator& base) { body(base, table); });
    } else {
        coll::shm::run(how.ranks, [&](coll::communicator& base) { body(base, calls()); });
    }
}

}  // namespace peers
