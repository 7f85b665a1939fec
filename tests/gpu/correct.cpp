// SPDX-License-Identifier: BSD-3-Clause
// Results on a GPU: right, the same bits as on the host, never of memory that is gone.
#include "checks.hpp"
#include "own_operator.hpp"

#include <conformance/call.hpp>
#include <conformance/linear.hpp>

namespace {

using namespace gpu;
using conformance::scramble;
using T = std::uint32_t;

/// Fills `in` on the device with numbers of this rank and call.
std::vector<T> fill(T* to, std::uint64_t call, int rank, std::size_t n) {
    std::vector<T> v(n);
    for (std::size_t i = 0; i < n; ++i) {
        v[i] = static_cast<T>(scramble(call << 40 | static_cast<std::uint64_t>(rank) << 32 | i));
    }
    to_device(to, v);
    return v;
}
void expect_sum(T const* out, std::uint64_t call, int size, std::size_t n) {
    auto const got = from_device(out, n);
    for (std::size_t i = 0; i < n; ++i) {
        T sum = 0;
        for (int r = 0; r < size; ++r) {
            sum += static_cast<T>(scramble(call << 40 | static_cast<std::uint64_t>(r) << 32 | i));
        }
        require(got[i] == sum,
                "a wrong sum, call " + std::to_string(call) + ", element " + std::to_string(i));
    }
}

/// A call of the conformance suite, whose numbers go to the device and back.
template <class Comm>
void run_one(Comm& comm, conformance::setup const& s, T* in, T* out) {
    auto const size = comm.size();
    auto const rank = comm.rank();
    auto const v = conformance::view_of(s, size, rank);
    auto& source = s.what == coll::collective::broadcast ? out : in;
    std::vector<T> sent(v.in.size);
    for (std::size_t i = 0; i < sent.size(); ++i) {
        sent[i] = static_cast<T>(conformance::contribution(s.salt, rank, v.in.first + i));
    }
    check(::cudaMemset(out, 0xa5, (v.out.size + 1) * sizeof(T)), "cudaMemset");
    to_device(source, sent);  // both are there then
    conformance::call(comm, s.what, std::span<T const>(in, v.in.size),
                      std::span<T>(out, v.out.size), coll::sum{}, s.root, s.how);
    std::vector<T> expected(v.out.size);
    conformance::write_expected(s, size, rank, v.out, expected.data());
    require(from_device(out, v.out.size) == expected, s.text(size, rank));
    require(from_device(out + v.out.size, 1)[0] == 0xa5a5a5a5U,
            s.text(size, rank) + ": wrote beyond");
}
template <class Comm>
std::size_t run_all(Comm& comm, int turns, std::uint64_t seed = 0) {
    constexpr coll::collective all[] = {
        coll::collective::all_reduce, coll::collective::reduce_scatter,
        coll::collective::all_gather, coll::collective::broadcast,
        coll::collective::reduce,     coll::collective::gather,
        coll::collective::scatter,    coll::collective::all_to_all,
        coll::collective::scan,       coll::collective::exscan};
    std::size_t const most = 1'000'003;
    void *in = nullptr, *out = nullptr;
    check(::cudaMalloc(&in, (most + 64) * sizeof(T)), "cudaMalloc");
    check(::cudaMalloc(&out, (most + 64) * sizeof(T)), "cudaMalloc");
    auto shared = comm.template allocate<T>(2 * (most + 64));
    std::size_t calls = 0;
    auto const p = static_cast<std::size_t>(comm.size());
    for (int turn = 0; turn < turns; ++turn) {
        for (auto const algorithm : coll::all_algorithms) {
            for (auto const what : all) {
                auto const pick =
                    scramble((seed << 32) + calls * 8 + static_cast<std::uint64_t>(turn));
                constexpr std::size_t counts[] = {0, 1, 7, 331, 20'011, 1'000'003};
                conformance::setup s;
                s.what = what;
                s.how.algorithm = algorithm;
                s.count = counts[pick % 6];
                if (what == coll::collective::all_to_all) { s.count = s.count / p * p; }
                s.root = static_cast<int>(pick / 6 % p);
                s.salt = pick;
                auto const own = scramble(pick + static_cast<std::uint64_t>(comm.rank()));
                auto* const from = own % 2 == 0 ? shared.data() : static_cast<T*>(in);
                auto* const to = own % 3 == 0 ? shared.data() + most + 64 : static_cast<T*>(out);
                run_one(comm, s, from + own / 6 % 5, to + own / 30 % 5);
                ++calls;
            }
        }
    }
    comm.barrier();
    check(::cudaFree(in), "cudaFree");
    check(::cudaFree(out), "cudaFree");
    return calls;
}

template <class F>
void on_processes(int size, F const& f) {
    coll::shm::run(size, [&](auto& base) {
        auto comm = coll::cuda::communicator(base, 0);
        f(comm);
    });
}

void collectives_over_threads() {
    for (int const size : {1, 2, 3, 5, 8}) {
        coll::threads::run(size, [](auto& base) {
            auto comm = coll::cuda::communicator(base, 0);
            run_all(comm, 2);
        });
    }
    report("every collective and algorithm, threads: wrong results", 0, "", '<', 0);
}
void collectives_over_processes() {
    for (int const size : {2, 3, 8}) {
        on_processes(size, [](auto& comm) { run_all(comm, 2); });
    }
    report("every collective and algorithm, processes: wrong results", 0, "", '<', 0);
}
void ordered_by_host() {
    ::setenv("COLLECTIVES_CUDA_ORDER", "host", 1);
    on_processes(3, [](auto& comm) { run_all(comm, 1); });
    report("the same where the host keeps the order: wrong results", 0, "", '<', 0);
}
void many_mixed() {
    on_processes(8, [](auto& comm) {
        std::size_t calls = 0;
        for (std::uint64_t turn = 0; calls < 10'000; ++turn) {
            calls += run_all(comm, 1, turn);
            if (comm.rank() != 0) { continue; }
            std::printf("%zu calls\n", calls);  // how far it came, if it is ended
            std::fflush(stdout);
        }
    });
    report("10,000 mixed collectives of 8 processes: hangs", 0, "", '<', 0);
}

void handles() {
    on_processes(4, [](auto& comm) {
        std::size_t const n = 10'000;
        for (std::uint64_t call = 0; call < 1'000; ++call) {
            void* p = nullptr;
            check(::cudaMalloc(&p, (n + 100) * sizeof(T)), "cudaMalloc");
            auto* const at = static_cast<T*>(p) + call % 97;
            fill(at, call, comm.rank(), n);
            comm.all_reduce(std::span(at, n));
            if (call % 10 == 0) { expect_sum(at, call, comm.size(), n); }
            check(::cudaFree(p), "cudaFree");
        }
        comm.barrier();
    });
    report("1,000 cycles of free and allocate: stale reads", 0, "", '<', 0);
}

void other_memory() {
    on_processes(2, [](auto& comm) {
        std::size_t const n = 100'000;
        void *managed = nullptr, *pool = nullptr, *pinned = nullptr;
        check(::cudaMallocManaged(&managed, n * sizeof(T)), "cudaMallocManaged");
        check(::cudaMallocAsync(&pool, n * sizeof(T), nullptr), "cudaMallocAsync");
        check(::cudaMallocHost(&pinned, n * sizeof(T)), "cudaMallocHost");
        for (auto* const p : {managed, pool, pinned}) {
            fill(static_cast<T*>(p), 5, comm.rank(), n);
            comm.all_reduce(std::span(static_cast<T*>(p), n));
            expect_sum(static_cast<T*>(p), 5, 2, n);
        }
        void *small = nullptr, *beside = nullptr;  // CUDA may cut both from one block
        check(::cudaMalloc(&small, 4096), "cudaMalloc");
        check(::cudaMalloc(&beside, 4096), "cudaMalloc");
        fill(static_cast<T*>(small), 6, comm.rank(), 1'024);
        comm.all_reduce(std::span(static_cast<T*>(small), 1'024),
                        std::span(static_cast<T*>(beside), 1'024));
        expect_sum(static_cast<T*>(beside), 6, 2, 1'024);
        std::vector<T> host(10);
        try {
            comm.all_reduce(host);
            require(false, "memory of the host was taken");
        } catch (coll::usage_error const&) {}  // NOLINT: that is what is expected
        comm.barrier();
        for (auto* const p : {small, beside, managed}) { check(::cudaFree(p), "cudaFree"); }
        check(::cudaFreeAsync(pool, nullptr), "cudaFreeAsync");
        check(::cudaFreeHost(pinned), "cudaFreeHost");
    });
    report("managed, pooled, pinned and small memory: wrong results", 0, "", '<', 0);
}

/// Every kernel on the device against the host's reduction.
void bits() {
    coll::threads::run(1, [](auto& base) { auto comm = coll::cuda::communicator(base, 0); });
    std::size_t const n = 4'099;
    std::size_t wrong = 0, kernels = 0;
    coll::cuda::for_each_kernel([&]<class Op, class E>() {
        ++kernels;
        auto const op = [] {
            if constexpr (requires(Op o) { o.factor; }) {
                return Op{static_cast<decltype(Op::factor)>(3)};
            } else {
                return Op{};
            }
        }();
        for (std::size_t const shift : {std::size_t{0}, std::size_t{1}}) {
            constexpr int sources = 5;
            std::vector<std::vector<std::byte>> host(sources,
                                                     std::vector<std::byte>(n * sizeof(E)));
            std::vector<void*> device(sources + 1);
            std::vector<void const*> from, from_there;
            for (int k = 0; k < sources; ++k) {
                auto& bytes = host[static_cast<std::size_t>(k)];
                for (std::size_t i = 0; i < bytes.size(); ++i) {
                    bytes[i] = static_cast<std::byte>(
                        scramble(i * 8 + static_cast<std::uint64_t>(k)) & 0x3fU);
                    if constexpr (std::is_same_v<E, bool>) { bytes[i] &= std::byte{1}; }
                }
                from.push_back(bytes.data());
            }
            for (int k = 0; k <= sources; ++k) {
                auto& p = device[static_cast<std::size_t>(k)];
                check(::cudaMalloc(&p, (n + 2) * sizeof(E)), "cudaMalloc");
                p = static_cast<E*>(p) + shift * (k % 2 == 0 ? 1U : 0U);
                if (k == sources) { continue; }
                auto const& bytes = host[static_cast<std::size_t>(k)];
                check(::cudaMemcpy(p, bytes.data(), bytes.size(), cudaMemcpyDefault), "copy");
                from_there.push_back(p);
            }
            std::vector<std::byte> expected(n * sizeof(E));
            coll::reduction r;
            r.sources = from.data();
            r.n = sources;
            r.count = n;
            r.finish_size = sources;
            r.raw = true;
            r.dst = expected.data();
            coll::host::detail::run_portable<Op, E>(&op, r);
            r.sources = from_there.data();
            r.dst = device.back();
            coll::cuda::kernels().find(typeid(Op), typeid(E))(&op, r);
            check(::cudaDeviceSynchronize(), "a kernel");
            auto const got = from_device(static_cast<std::byte*>(device.back()), expected.size());
            if (got != expected) {
                ++wrong;
                report(std::string(coll::type_name<Op>()) + " on " +
                           std::string(coll::type_name<E>()) + ": other bits",
                       1, "", '<', 0);
            }
            for (int k = 0; k <= sources; ++k) {
                auto* const p = static_cast<E*>(device[static_cast<std::size_t>(k)]);
                check(::cudaFree(p - shift * (k % 2 == 0 ? 1U : 0U)), "cudaFree");
            }
        }
    });
    control("kernels compared with the host", static_cast<double>(kernels), "");
    report("kernels whose bits differ from the host's", static_cast<double>(wrong), "", '<', 0);
}

void own_operator() {
    coll::threads::run(4, [](auto& base) {
        auto comm = coll::cuda::communicator(base, 0);
        auto buffer = comm.template allocate<pair>(1'001);
        std::vector<pair> mine(1'001);
        for (std::size_t i = 0; i < mine.size(); ++i) {
            mine[i] = {static_cast<std::int32_t>(scramble(i) % 3) + comm.rank() % 2, comm.rank(),
                       7};
        }
        to_device(buffer.data(), mine);
        comm.all_reduce(buffer, weaker{});
        auto const got = from_device(buffer.data(), mine.size());
        for (std::size_t i = 0; i < mine.size(); ++i) {
            require(got[i] == pair{static_cast<std::int32_t>(scramble(i) % 3), 0, 7},
                    "a user's operator");
        }
    });
    report("a user's operator that does not commute: wrong results", 0, "", '<', 0);
}

}  // namespace

int main(int argc, char** argv) {
    return gpu::run_check(argc, argv,
                          {{"1_bits", bits},
                           {"2_threads", collectives_over_threads},
                           {"3_processes", collectives_over_processes},
                           {"4_host_order", ordered_by_host},
                           {"5_handles", handles},
                           {"6_other_memory", other_memory},
                           {"7_own_operator", own_operator},
                           {"8_many", many_mixed}});
}
