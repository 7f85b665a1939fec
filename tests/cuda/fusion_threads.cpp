// SPDX-License-Identifier: BSD-3-Clause
// Tensor fusion in the memory of devices, without a GPU: ranks that are threads.
#include <cuda/fusion_suite.hpp>

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace fake;

template <class... T>
bool provide_some() {
    (cuda::provide_with<launcher, coll::sum, T>(), ...);
    (cuda::provide_with<launcher, coll::average, T>(), ...);
    return true;
}
bool const kernels_are_there =
    provide_some<float, double, coll::float16, coll::bfloat16, std::int32_t, std::int64_t>() &&
    cuda::provide_with<launcher, coll::min, std::uint64_t>() &&
    cuda::provide_moves_with<launcher>();

/// Any body at once, with so many workers.
struct at_once {
    static inline std::size_t workers = 1;
    template <class Body>
    static void launch(Body const& body, std::size_t, void*) {
        for (auto i = workers; i-- > 0;) { body({i, workers}); }
    }
};

template <class Own, class Wire>
void pack_and_unpack() {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        auto const pick = [&](std::uint64_t of, std::uint64_t below) {
            return static_cast<std::size_t>(scramble(seed * 91 + of) % below);
        };
        at_once::workers = 1 + pick(0, 100);
        auto const lead = pick(1, 5);
        std::vector<std::byte> memory(8 * 130 * sizeof(Own));
        std::vector<coll::packed_range> ranges;
        auto first = lead;
        std::size_t at = 0;
        for (std::size_t t = 0; t < 1 + pick(2, 6); ++t) {
            auto const odd = pick(30 + t, 4) == 0;  // not even aligned for its elements
            at += odd ? pick(40 + t, 20) : (sizeof(Own) - at % sizeof(Own)) % sizeof(Own);
            ranges.push_back({memory.data() + at, first, pick(10 + t, 120)});
            for (std::size_t i = 0; i < ranges.back().count; ++i, at += sizeof(Own)) {
                auto const value = static_cast<float>(scramble(seed << 20 | at) % 250);
                auto const x = static_cast<Own>(value);
                std::memcpy(memory.data() + at, &x, sizeof x);
            }
            first += ranges.back().count;
        }
        std::vector<Wire> bucket(first + 8, Wire(77)), expected(bucket);
        for (auto const& p : ranges) {
            for (std::size_t i = 0; i < p.count; ++i) {
                Own x;
                std::memcpy(&x, p.tensor + i * sizeof(Own), sizeof x);
                expected[p.first + i] = static_cast<Wire>(x);
            }
        }
        coll::pack_task task{ranges.data(), ranges.size(),
                             reinterpret_cast<std::byte*>(bucket.data()), false};
        cuda::enqueue_pack<at_once, Own, Wire>(task, nullptr);
        REQUIRE(std::memcmp(bucket.data(), expected.data(), bucket.size() * sizeof(Wire)) == 0);
        for (auto& x : bucket) { x = static_cast<Wire>(static_cast<Own>(x) + Own(1)); }
        task.back = true;
        cuda::enqueue_pack<at_once, Own, Wire>(task, nullptr);
        for (auto const& p : ranges) {
            for (std::size_t i = 0; i < p.count; ++i) {
                Own x;
                std::memcpy(&x, p.tensor + i * sizeof(Own), sizeof x);
                REQUIRE(x == static_cast<Own>(bucket[p.first + i]));
            }
        }
    }
}

}  // namespace

TEST_CASE("the kernel that packs: any addresses, any number of workers") {
    pack_and_unpack<std::uint8_t, std::uint8_t>();
    pack_and_unpack<std::uint16_t, std::uint16_t>();
    pack_and_unpack<std::uint32_t, std::uint32_t>();
    pack_and_unpack<std::uint64_t, std::uint64_t>();
    pack_and_unpack<float, coll::float16>();
    pack_and_unpack<float, coll::bfloat16>();
    pack_and_unpack<float, coll::float8_e4m3>();
    pack_and_unpack<float, coll::float8_e5m2>();
    pack_and_unpack<double, float>();
}

TEST_CASE("fused on devices: the host's bits, for every threshold, thread and order") {
    for (int const size : conformance::sizes({1, 2, 3})) {
        world w;
        auto const all = [](auto& comm, machine& m, void* stream) {
            for (auto const threshold : {0UL, 2000UL, 64UL << 20}) {
                fused_bits(comm, m, {.threshold = threshold, .stream = stream}, 3);
                fused_bits(comm, m,
                           {.threshold = threshold, .stream = stream, .progress_thread = true}, 2);
            }
            fused_bits(comm, m,
                       {.threshold = 2000, .stream = stream, .under_way = 2, .priorities = true},
                       2);
        };
        for (auto const order : {cuda::ordering::events, cuda::ordering::host}) {
            run_threads(w, size, with_streams(w.devices, all), order);
        }
    }
}

TEST_CASE("fused on devices: 16 bits on the wire, and steps like the one before") {
    for (int const size : {1, 3}) {
        world w;
        auto const all = [](auto& comm, machine& m, void* stream) {
            fused_compressed(comm, m, stream);
            fused_steady(comm, m, stream);
        };
        run_threads(w, size, with_streams(w.devices, all));
    }
}

TEST_CASE("fused on devices: ranks that differ") {
    for (int const size : {2, 3}) {
        world w;
        run_threads(w, size, [&](auto& comm, machine& m) {
            m.use(comm.rank() % w.devices);
            fused_dispute(comm, m, nullptr);
        });
    }
}

TEST_CASE("fused on devices: mistakes are met when a tensor comes") {
    world w;
    run_threads(w, 2, [&](auto& comm, machine& m) {
        m.use(comm.rank());
        device_tensor<float> a(m, 10);
        std::vector<float> host(10);
        auto* const stream = m.make_stream();
        coll::fusion_buffer fusion(comm, {.stream = stream});
        auto const refused = [&](auto const& add, std::string const& why) {
            auto const text = expect_throw<coll::usage_error>(add, why);
            expect(text.find(why) != text.npos, text);
        };
        refused([&] { (void)fusion.add(host); }, "no memory that device");
        m.begin_capture(stream);
        refused([&] { (void)fusion.add(a.span()); }, "captures a graph");
        (void)m.end_capture(stream);
        refused(
            [&] {
                coll::fusion_buffer none(comm, {.op = coll::product{}});
                (void)none.add(a.span());
            },
            "no kernel of product on float");
        struct lossy {
            static coll::bfloat16 encode(float x) { return static_cast<coll::bfloat16>(x); }
            static float decode(coll::bfloat16 x) { return static_cast<float>(x); }
        };
        refused(
            [&] {
                coll::fusion_buffer none(
                    comm, {.compress = coll::compress<float, coll::bfloat16, lossy>()});
                (void)none.add(a.span());
            },
            "no kernel compresses float");
        a.put(std::vector<float>(10, 2), stream);
        (void)fusion.add(a.span());
        fusion.flush();
        expect(a.get(stream)[9] == 4, "still usable");
        m.destroy_stream(stream);
    });
    coll::threads::run(2, [](auto& comm) {
        int some = 0;
        auto const text = expect_throw<coll::usage_error>(
            [&] { coll::fusion_buffer none(comm, {.stream = &some}); }, "a stream");
        expect(text.find("for communicators of devices alone") != text.npos, text);
    });
}

TEST_CASE("fused on devices: a call of CUDA that fails is told to all") {
    for (std::string const call : {"record", "wait", "copy", "allocate"}) {
        for (int const n : {1, 2, 5, 20}) {
            if (n > 2 && (call == "copy" || call == "allocate")) {
                continue;
            }  // no step needs so many
            CAPTURE(call);
            CAPTURE(n);
            world w;
            std::barrier<> together(2);
            run_threads(w, 2, [&](auto& comm, machine& m) {
                m.use(comm.rank());
                device_tensor<float> a(m, 100), b(m, 3000);
                bool failed = false;
                try {
                    coll::fusion_buffer fusion(comm, {.threshold = 1000});
                    together.arrive_and_wait();  // no call is under way on either rank
                    if (comm.rank() == 0) { m.fail(call, n); }
                    together.arrive_and_wait();
                    for (int i = 0; i < 20; ++i) {
                        (void)fusion.add(a.span());
                        (void)fusion.add(a.span());
                        (void)fusion.add(b.span());
                        fusion.flush();
                    }
                } catch (coll::transport_error const&) {
                    failed = true;
                } catch (coll::peer_lost_error const&) { failed = true; }
                expect(failed, "it failed");
            });
        }
    }
}
