// SPDX-License-Identifier: BSD-3-Clause
// Measures NCCL for coll_perf, in the way that our_cuda_driver.cpp measures this library: in the
// same memory, from a stream of the same kind, with the host waiting for each call's end. The ranks
// are forked, or with `--as-member RANK FOLDER` before the order it is one of them; they take the
// devices in turn. Status 77 without NCCL or a device.
#include "device_rank.hpp"
#include "member.hpp"
#include "nccl_calls.hpp"

#include "../../tools/load/inherit.hpp"

#include <collectives/cuda.hpp>
#include <collectives/launch/shm.hpp>
#include <collectives/space/cuda/find_kernels.hpp>

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace coll = collectives;
using namespace peers;
using known = known_calls<nccl::types, nccl::operators>;

/// NCCL gives up nothing by itself: a rank whose kernel waits for ever ends here.
void end_when_late(int) {
    constexpr std::string_view why =
        "NCCL was not done in time; where several ranks share a GPU, its kernels may wait for each "
        "other for ever: NCCL_MAX_CTAS makes them smaller\n";
    static_cast<void>(!::write(STDERR_FILENO, why.data(), why.size()));
    ::_exit(1);
}

/// In a process of its own, since no process that forks may have called CUDA before.
void require_device() {
    std::cout.flush();
    auto const child = ::fork();
    if (child == 0) {
        std::string why;
        auto const devices = coll::cuda::runtime_calls::get()->devices(why);
        if (devices == 0) { std::cerr << why << std::endl; }
        ::_exit(devices == 0 ? 77 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) { throw nccl::not_here("NCCL cannot be measured"); }
}

/// A rank's communicator, and memory that is registered with it.
class communicator {
public:
    communicator(nccl::library const& with, coll::communicator& base)
        : with_(with), abort_(with.need<decltype(::ncclCommAbort)>("ncclCommAbort")) {
        ncclUniqueId id{};
        if (base.rank() == 0) {
            with.check(with.need<decltype(::ncclGetUniqueId)>("ncclGetUniqueId")(&id),
                       "ncclGetUniqueId");
        }
        base.broadcast(std::span(id.internal), 0);
        with.check(with.need<decltype(::ncclCommInitRank)>("ncclCommInitRank")(&comm_, base.size(),
                                                                               id, base.rank()),
                   "ncclCommInitRank");
    }
    communicator(communicator const&) = delete;
    communicator& operator=(communicator const&) = delete;
    ~communicator() { abort_(comm_); }
    ncclComm_t get() const { return comm_; }

    void check(ncclResult_t result, char const* what) const { with_.check(result, what, comm_); }
    /// What went wrong since in NCCL's own threads.
    void check_later() const {
        auto state = ncclSuccess;
        check(with_.need<decltype(::ncclCommGetAsyncError)>("ncclCommGetAsyncError")(comm_, &state),
              "ncclCommGetAsyncError");
        check(state, "an NCCL call");
    }

private:
    nccl::library const& with_;
    decltype(::ncclCommAbort)* abort_;
    ncclComm_t comm_ = nullptr;
};

/// NCCL's counterpart of communicator::allocate; none for 0 bytes.
class registered_memory {
public:
    registered_memory(nccl::library const& with, communicator const& comm, std::size_t bytes)
        : comm_(comm),
          deregister_(with.need<decltype(::ncclCommDeregister)>("ncclCommDeregister")),
          free_(with.need<decltype(::ncclMemFree)>("ncclMemFree")) {
        if (bytes == 0) { return; }
        comm.check(with.need<decltype(::ncclMemAlloc)>("ncclMemAlloc")(&at_, bytes),
                   "ncclMemAlloc");
        comm.check(with.need<decltype(::ncclCommRegister)>("ncclCommRegister")(comm.get(), at_,
                                                                               bytes, &handle_),
                   "ncclCommRegister");
    }
    registered_memory(registered_memory const&) = delete;
    registered_memory& operator=(registered_memory const&) = delete;
    ~registered_memory() {
        if (at_ == nullptr) { return; }
        deregister_(comm_.get(), handle_);
        free_(at_);
    }
    std::byte* data() const { return static_cast<std::byte*>(at_); }

private:
    communicator const& comm_;
    decltype(::ncclCommDeregister)* deregister_;
    decltype(::ncclMemFree)* free_;
    void* at_ = nullptr;
    void* handle_ = nullptr;
};

/// All cases on one rank.
void measure(nccl::library const& with, coll::communicator& base, cuda::space& space, board meeting,
             order const& o) {
    std::function<void(std::string const&)> const tell = [](std::string const& line) {
        std::cout << line << std::endl;
    };
    device_rank const me{space, meeting, base.rank(), o.how, tell};
    communicator const comm(with, base);
    auto* const stream = static_cast<cudaStream_t>(space.queue());
    for (std::size_t i = 0; i < o.cases.size(); ++i) {
        auto const& c = o.cases[i];
        if (kind::of(c.collective).how != form::call) { continue; }
        known::visit(c, [&]<class T, class Op>() {
            if constexpr (coll::reduction_op<Op, T>) {
                auto const start = nccl::find_call(with, c, base.size(), comm.get(), stream);
                if (!start) { return; }
                auto const bytes = slots(o.how, c).bytes();
                registered_memory const registered(with, comm, o.how.allocated ? bytes : 0);
                device_memory const own(space, o.how.allocated ? 0 : bytes);
                auto const call = [&](std::byte* in, std::size_t in_count, std::byte* out,
                                      std::size_t out_count) {
                    comm.check(start(in, in_count, out, out_count), c.collective.c_str());
                    space.drain();
                };
                me.measure(i, c, model_of<T, Op>(),
                           o.how.allocated ? registered.data() : own.data(), call);
                comm.check_later();
                base.barrier();  // no peer works in this memory any more
            }
        });
    }
}

void live(nccl::library const& with, coll::communicator& base, board meeting, order const& o) try {
    ::alarm(std::max(o.seconds, 7U) -
            6);  // before coll_perf ends the launch, which allows 5 s less
    bind_rank(o.how.places, base.rank());
    auto const calls = coll::cuda::runtime_calls::get();
    std::string why;
    auto const devices = calls->devices(why);
    if (devices == 0) { throw std::runtime_error(why); }
    if (base.size() > devices) { ::setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 0); }
    auto const mine = base.rank() % devices;
    calls->use(mine);
    cuda::space space(calls, mine,
                      {cuda::kernels().copies(), &cuda::bind_kernel, &cuda::pack_kernel});
    measure(with, base, space, meeting, o);
} catch (...) {
    meeting.give_up();
    throw;
}

}  // namespace

int main(int argc, char** argv) try {
    auto const member = is_member(argc, argv);
    auto const o = order::read(argc, argv, member ? 4 : 1);
    nccl::library const with(nccl::file_to_open());
    require_device();
    load::inherit();
    ::setenv("NCCL_SOCKET_IFNAME", "lo", 0);  // all ranks are on this machine
    ::signal(SIGALRM, end_when_late);
    auto const meeting = o.meet(o.how.ranks);
    if (member) {
        auto base = join_members(argv[2], o.how.ranks, argv[3]);
        live(with, base, meeting, o);
    } else {
        coll::shm::run(o.how.ranks,
                       [&](coll::communicator& base) { live(with, base, meeting, o); });
    }
    return 0;
} catch (peers::nccl::not_here const& e) {
    std::cerr << e.what() << std::endl;
    return 77;
} catch (std::exception const& e) {
    std::cerr << e.what() << std::endl;
    return 1;
}
