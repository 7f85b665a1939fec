// SPDX-License-Identifier: BSD-3-Clause
// Measures Gloo over TCP on this machine for coll_perf. It has no launcher: the ranks are forked.
#include "driver.hpp"

#include <gloo/allgather.h>
#include <gloo/allgatherv.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>

#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace {

using namespace peers;
using context_pointer = std::shared_ptr<gloo::rendezvous::Context>;
using peer_call = std::function<void(std::byte*, std::size_t, std::byte*, std::size_t)>;
using reduce_function = gloo::AllreduceOptions::Func;

template <class T>
reduce_function reducer_of(std::string_view op) {
    using function = void (*)(void*, void const*, void const*, std::size_t);
    if (op == "product") { return static_cast<function>(&gloo::product<T>); }
    if (op == "min") { return static_cast<function>(&gloo::min<T>); }
    if (op == "max") { return static_cast<function>(&gloo::max<T>); }
    return static_cast<function>(&gloo::sum<T>);
}

template <class T>
T* as(std::byte* p) {
    return reinterpret_cast<T*>(p);
}

/// The elements of each rank's block.
template <class Count>
std::vector<Count> counts_of(measured_case const& c, int ranks) {
    std::vector<Count> counts;
    for (int r = 0; r < ranks; ++r) {
        counts.push_back(static_cast<Count>(coll::block(c.count, ranks, r).size));
    }
    return counts;
}

template <class T>
peer_call find_with_counts(measured_case const& c, context_pointer const& context) {
    auto const what = kind::of(c.collective).like;
    auto const size = context->size;
    bool const own = c.in_place;
    if (what == coll::collective::all_gather) {
        auto const counts = counts_of<std::size_t>(c, size);
        return [=](std::byte* in, std::size_t n, std::byte* out, std::size_t) {
            gloo::AllgathervOptions o(context);
            if (!own) { o.setInput(as<T>(in), n); }
            o.setOutput(as<T>(out), counts);
            gloo::allgatherv(o);
        };
    }
    if (what != coll::collective::all_to_all || own) { return {}; }
    auto const counts = counts_of<std::int64_t>(c, size);
    return [=](std::byte* in, std::size_t, std::byte* out, std::size_t) {
        gloo::AlltoallvOptions o(context);
        o.setInput(as<T>(in), counts);
        o.setOutput(as<T>(out), counts);
        gloo::alltoallv(o);
    };
}

template <class T>
peer_call find_typed(measured_case const& c, context_pointer const& context) {
    auto const reducer = reducer_of<T>(c.op);
    bool const own = c.in_place;
    auto const root = c.root;
    switch (collective_of(c.collective)) {
        case coll::collective::all_reduce:
            return [=](std::byte* in, std::size_t n, std::byte* out, std::size_t) {
                gloo::AllreduceOptions o(context);
                if (!own) { o.setInput(as<T>(in), n); }
                o.setOutput(as<T>(out), n);
                o.setReduceFunction(reducer);
                gloo::allreduce(o);
            };
        case coll::collective::reduce:
            return [=](std::byte* in, std::size_t n, std::byte* out, std::size_t) {
                gloo::ReduceOptions o(context);
                if (!own) { o.setInput(as<T>(in), n); }
                o.setOutput(as<T>(own ? in : out), n);
                o.setReduceFunction(reducer);
                o.setRoot(root);
                gloo::reduce(o);
            };
        case coll::collective::all_gather:
            return [=](std::byte* in, std::size_t n, std::byte* out, std::size_t whole) {
                gloo::AllgatherOptions o(context);
                if (!own) { o.setInput(as<T>(in), n); }
                o.setOutput(as<T>(out), whole);
                gloo::allgather(o);
            };
        case coll::collective::gather:
            if (own) { return {}; }
            return [=](std::byte* in, std::size_t n, std::byte* out, std::size_t whole) {
                gloo::GatherOptions o(context);
                o.setInput(as<T>(in), n);
                if (context->rank == root) { o.setOutput(as<T>(out), whole); }
                o.setRoot(root);
                gloo::gather(o);
            };
        case coll::collective::scatter:
            if (own) { return {}; }
            return [=](std::byte* in, std::size_t, std::byte* out, std::size_t n) {
                gloo::ScatterOptions o(context);
                std::vector<T*> blocks;
                for (int r = 0; context->rank == root && r < context->size; ++r) {
                    blocks.push_back(as<T>(in) + static_cast<std::size_t>(r) * n);
                }
                o.setInputs(blocks, n);
                o.setOutput(as<T>(out), n);
                o.setRoot(root);
                gloo::scatter(o);
            };
        case coll::collective::broadcast:
            return [=](std::byte*, std::size_t, std::byte* out, std::size_t n) {
                gloo::BroadcastOptions o(context);
                o.setOutput(as<T>(out), n);
                o.setRoot(root);
                gloo::broadcast(o);
            };
        case coll::collective::all_to_all:
            if (own) { return {}; }
            return [=](std::byte* in, std::size_t n, std::byte* out, std::size_t) {
                gloo::AlltoallOptions o(context);
                o.setInput(as<T>(in), n);
                o.setOutput(as<T>(out), n);
                gloo::alltoall(o);
            };
        case coll::collective::barrier:
            return [=](std::byte*, std::size_t, std::byte*, std::size_t) {
                gloo::BarrierOptions o(context);
                gloo::barrier(o);
            };
        default:
            return {};  // scans, and a reduce_scatter for every number of ranks it does not have
    }
}

int live(order const& o, int rank, std::string const& folder) try {
    gloo::rendezvous::FileStore store(folder);
    std::shared_ptr<gloo::transport::Device> device =
        gloo::transport::tcp::CreateDevice(gloo::transport::tcp::attr("127.0.0.1"));
    auto const context = std::make_shared<gloo::rendezvous::Context>(rank, o.how.ranks);
    context->connectFullMesh(store, device);
    return run(o, rank, o.how.ranks, [&](measured_case const& c) {
        peer_call call;
        auto const how = kind::of(c.collective).how;
        visit_type(c.type, [&]<class T>(T) {
            if (how == form::call) { call = find_typed<T>(c, context); }
            if (how == form::counts) { call = find_with_counts<T>(c, context); }
        });
        return call;
    });
} catch (std::exception const& e) {
    std::cerr << e.what() << std::endl;
    return 1;
}

// A rank has a second thread that moves the bytes. On one core with the first it would wait for its
// turn for milliseconds, and so it would behind a rank that spins.
order with_two_threads(order o) {
    o.core_per_rank = false;
    return o;
}

}  // namespace

/// As all ranks, or with `as_member RANK FOLDER` before the order as one of them.
int main(int argc, char** argv) try {
    if (is_member(argc, argv)) {
        auto const o = with_two_threads(order::read(argc, argv, 4));
        return live(o, std::stoi(argv[2]), argv[3]);
    }
    auto const o = with_two_threads(order::read(argc, argv));
    std::string folder = (std::filesystem::temp_directory_path() / "coll_perf-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) { throw std::runtime_error("cannot make " + folder); }
    std::vector<pid_t> children;
    for (int r = 0; r < o.how.ranks; ++r) {
        auto const child = ::fork();
        if (child == 0) { ::_exit(live(o, r, folder)); }
        children.push_back(child);
    }
    ::signal(SIGTERM, [](int) {});  // the ranks end; this process then removes the folder
    int result = 0;
    for (std::size_t i = 0; i < children.size(); ++i) {
        int status = 0;
        ::wait(&status);
        if (status != 0 && result == 0) {  // the others would wait for it
            for (auto const child : children) { ::kill(child, SIGTERM); }
        }
        result = status != 0 ? 1 : result;
    }
    std::filesystem::remove_all(folder);
    return result;
} catch (std::exception const& e) {
    std::cerr << e.what() << std::endl;
    return 1;
}
