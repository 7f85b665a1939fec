// SPDX-License-Identifier: BSD-3-Clause
// The bodies of all kernels against the host's reductions: the same bits, at any address, for any
// count, number of sources and of destinations, however many workers share the work.
#include <collectives/space/cuda/find_kernels.hpp>
#include <collectives/space/cuda/launch.hpp>
#include <collectives/space/host.hpp>

#include <conformance/world.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace {

namespace coll = collectives;
namespace cuda = collectives::cuda;
using conformance::scramble;

/// Runs a body at once, with as many workers as the test says, in any order.
struct at_once {
    static inline std::size_t workers = 1;
    static inline std::size_t packs = 0, launches = 0;
    template <class Body>
    static void launch(Body const& body, std::size_t, void*) {
        if constexpr (requires { body.packs; }) { packs += body.packs; }
        ++launches;
        for (auto i = workers; i-- > 0;) { body({i, workers}); }
    }
};

template <class T>
T any_value(std::uint64_t x) {
    if constexpr (std::is_same_v<T, bool>) {
        return x % 2 != 0;
    } else if constexpr (std::integral<T>) {
        return static_cast<T>(x);
    } else if constexpr (coll::complex_number<T>) {
        using part = typename T::value_type;
        return T(any_value<part>(x), any_value<part>(scramble(x)));
    } else {
        auto const small = static_cast<float>(static_cast<std::int32_t>(x)) * 0x1p-28F;
        return static_cast<T>(x % 16 == 0 ? 0.0F : small);
    }
}

template <class Op>
Op make_operator() {
    if constexpr (requires(Op op) { op.factor; }) {
        return Op{static_cast<decltype(Op::factor)>(3)};
    } else {
        return Op{};
    }
}

/// An operator on a type: what the comparison needs of both, which is compiled once for all.
struct kernel_case {
    std::string name;
    std::size_t size;  ///< of an element, in bytes
    void const* op;
    void (*put)(std::byte* at, std::uint64_t x);
    void (*on_host)(void const* op, coll::reduction const& r);
    coll::reducer::reduce_function on_device;
};

/// Reductions of any shape on both, by `seed`: the same bits, and nothing is written beside them.
void compare(kernel_case const& of, std::uint64_t seed) {
    auto const pick = [&](std::uint64_t of_what, std::uint64_t below) {
        return scramble(seed * 97 + of_what) % below;
    };
    auto const n = static_cast<int>(1 + pick(1, 9));
    auto const others = static_cast<int>(pick(2, 3));
    std::size_t const count = pick(3, 4) == 0 ? pick(4, 3) : pick(5, 90);
    auto const odd = pick(6, 2) != 0;  // addresses that differ within a pack
    at_once::workers = 1 + pick(7, 4);
    auto const bytes = count * of.size;
    auto const room = bytes + 64;
    auto const offset = [&](std::uint64_t k) {
        return odd ? pick(20 + k, 33) : pick(8, 5) * of.size;
    };

    std::vector<std::vector<std::byte>> inputs, outputs;
    std::vector<void const*> sources;
    for (int k = 0; k < n; ++k) {
        auto& input = inputs.emplace_back(room);
        auto* const at = input.data() + offset(static_cast<std::uint64_t>(k));
        for (std::size_t i = 0; i < count; ++i) {
            of.put(at + i * of.size,
                   scramble(seed << 20 | static_cast<std::uint64_t>(k) << 10 | i));
        }
        sources.push_back(at);
    }
    std::vector<void*> to;
    for (int k = 0; k <= others; ++k) {
        outputs.emplace_back(room, std::byte{0x5a});
        to.push_back(outputs.back().data() + offset(40 + static_cast<std::uint64_t>(k)));
    }
    std::vector<std::byte> expected(room, std::byte{0x5a});
    coll::reduction r;
    r.sources = sources.data();
    r.n = n;
    r.count = count;
    r.finish_size = pick(9, 2) != 0 ? n : 0;
    r.raw = pick(10, 2) != 0;
    r.dst = expected.data();
    of.on_host(of.op, r);
    r.dst = to[0];
    r.other_dsts = to.data() + 1;
    r.others = others;
    of.on_device(of.op, r);
    for (std::size_t k = 0; k < to.size(); ++k) {
        INFO(of.name, ", ", n, " sources, ", count, " elements, seed ", seed);
        auto const* const got = static_cast<std::byte const*>(to[k]);
        REQUIRE(std::memcmp(got, expected.data(), bytes) == 0);
        auto const untouched = [](std::byte b) { return b == std::byte{0x5a}; };
        auto const& all = outputs[k];
        REQUIRE(std::all_of(all.data(), got, untouched));
        REQUIRE(std::all_of(got + bytes, all.data() + all.size(), untouched));
    }
}

template <class T>
void put_value(std::byte* at, std::uint64_t x) {
    auto const value = any_value<T>(x);
    std::memcpy(at, &value, sizeof value);
}

}  // namespace

TEST_CASE("every kernel gives the host's bits") {
    cuda::provide_all_with<at_once>();
    CHECK(cuda::kernels().size() > 120);
    at_once::packs = 0;
    cuda::for_each_kernel([]<class Op, class T>() {
        auto const op = make_operator<Op>();
        kernel_case const of{
            std::string(coll::op_name<Op>()) + " on " + std::string(coll::type_name<T>()),
            sizeof(T),
            &op,
            put_value<T>,
            coll::host::detail::run_portable<Op, T>,
            cuda::kernels().find(typeid(Op), typeid(T))};
        for (std::uint64_t seed = 1; seed <= 60; ++seed) { compare(of, seed); }
    });
    CHECK(at_once::packs > 10'000);
}

void copy(coll::copy_task const& only) { cuda::enqueue_copies<at_once>({&only, 1}, nullptr); }

TEST_CASE("copies of any bytes at any address") {
    std::vector<std::byte> from(400), to(400);
    for (std::size_t i = 0; i < from.size(); ++i) { from[i] = static_cast<std::byte>(i * 7 + 1); }
    for (std::size_t a = 0; a < 18; ++a) {
        for (std::size_t b = 0; b < 18; ++b) {
            for (std::size_t const n : {0UL, 1UL, 15UL, 16UL, 17UL, 33UL, 300UL}) {
                at_once::workers = 1 + (a + b + n) % 3;
                std::fill(to.begin(), to.end(), std::byte{0});
                auto* const only = to.data() + a;
                copy({from.data() + b, n, {&only, 1}});
                std::vector<std::byte> expected(400);
                std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(b), n,
                            expected.begin() + static_cast<std::ptrdiff_t>(a));
                REQUIRE(to == expected);
            }
        }
    }
}

TEST_CASE("a copy to several places, more than a kernel takes, aligned alike or not") {
    std::vector<std::byte> const from(333, std::byte{0x21});
    for (std::size_t const apart : {400UL, 401UL}) {
        for (std::size_t const places : {2UL, 3UL, 300UL}) {
            at_once::workers = 3;
            std::vector<std::byte> to(apart * places);
            std::vector<std::byte*> all;
            for (std::size_t k = 0; k < places; ++k) { all.push_back(to.data() + k * apart + 3); }
            copy({from.data(), from.size(), all});
            for (std::size_t i = 0; i < to.size(); ++i) {
                auto const at = i % apart;
                REQUIRE(to[i] == (at >= 3 && at < 336 ? from[0] : std::byte{}));
            }
        }
    }
}

TEST_CASE("many copies, of any bytes at any address, in few kernels") {
    std::mt19937 random(5);
    auto const below = [&](std::size_t n) { return random() % n; };
    std::vector<std::byte> from(20'000);
    for (auto& b : from) { b = static_cast<std::byte>(below(256)); }
    for (int turn = 0; turn < 50; ++turn) {
        std::size_t const number = 1 + below(100);
        std::vector<std::byte> to(number * 1'000), expected(to.size());
        std::vector<std::vector<std::byte*>> places(number);
        std::vector<coll::copy_task> all;
        for (std::size_t k = 0; k < number; ++k) {  // each has 1,000 bytes
            auto const bytes = below(150), source = below(from.size() - bytes);
            for (std::size_t n = below(6), i = 0; i < n; ++i) {
                auto const at = 1'000 * k + 170 * i + below(2) * below(20);
                places[k].push_back(to.data() + at);
                std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(source), bytes,
                            expected.begin() + static_cast<std::ptrdiff_t>(at));
            }
            all.push_back({from.data() + source, bytes, places[k]});
        }
        at_once::workers = 1 + below(3);
        auto const before = at_once::launches;
        cuda::enqueue_copies<at_once>(all, nullptr);
        REQUIRE(to == expected);
        CHECK(at_once::launches - before <= number / 16 + 1);
    }
}

TEST_CASE("more vectors than a kernel takes are refused") {
    std::vector<void const*> sources(cuda::most_operands + 1);
    float one = 0;
    for (auto& s : sources) { s = &one; }
    coll::reduction r;
    r.sources = sources.data();
    r.n = static_cast<int>(sources.size());
    r.count = 1;
    r.dst = &one;
    coll::sum const op;
    CHECK_THROWS_AS((cuda::enqueue_reduction<at_once, coll::sum, float>(&op, r)),
                    coll::usage_error);
}

TEST_CASE("the kernel that does for an operator") {
    cuda::provide_all_with<at_once>();
    auto const finds = [](auto const& op, auto value) {
        auto r = coll::host::make_reducer<decltype(value)>(op);
        return cuda::bind_kernel(r);
    };
    CHECK(finds(coll::sum{}, 1LL));
    CHECK(finds(coll::sum{}, 'a'));
    CHECK(finds(coll::commutative(coll::sum{}), 1.0F));
    CHECK(finds(coll::premultiplied_sum{3}, 1.0F));
    CHECK(finds(coll::premultiplied_sum{0.5}, 1.0F));
    CHECK(finds(coll::premultiplied_sum{0.5F}, 1.0));
    CHECK(finds(coll::premultiplied_sum{coll::float16(0.5F)}, coll::bfloat16(1.0F)));
    CHECK(finds(coll::premultiplied_sum{coll::float8_e4m3(0.5F)}, coll::float8_e5m2(1.0F)));
    CHECK(finds(coll::premultiplied_sum{2}, std::complex<float>(1)));
    CHECK(finds(coll::premultiplied_sum{std::complex<double>(2)}, std::complex<double>(1)));
    CHECK_FALSE(finds(coll::sum{}, 1.0L));
    CHECK_FALSE(finds([](float a, float b) { return a + b; }, 1.0F));
    // The factor is converted once, as the operator itself would.
    for (float const x : {0.3F, -7.25F, 1e20F}) {
        auto const op = coll::premultiplied_sum{0.1};
        float got = 0;
        auto r = coll::host::make_reducer<float>(op);
        REQUIRE(cuda::bind_kernel(r));
        r.prepare(&got, &x, 1);
        CHECK(std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(op.prepare(x)));
    }
}
