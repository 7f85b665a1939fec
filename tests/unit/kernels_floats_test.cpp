// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the floating-point numbers, at every level, offset and tail; copies; and how a
// level is chosen.
#include <collectives/core/error.hpp>
#include <collectives/core/isa.ipp>
#include <unit/kernels.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <vector>

namespace coll = collectives;
namespace host = collectives::host;

namespace {

template <class T, class F>
void check_sums(F factor) {
    kernels::check<T>(coll::sum{});
    kernels::check<T>(coll::product{});
    kernels::check<T>(coll::average{});
    kernels::check<T>(coll::premultiplied_sum{factor});
}

template <class T, class F>
void check_floats(F factor) {
    check_sums<T>(factor);
    kernels::check<T>(coll::min{});
    kernels::check<T>(coll::max{});
    kernels::check<T>(coll::logical_and{});
    kernels::check<T>(coll::logical_or{});
}

}  // namespace

TEST_CASE_TEMPLATE("kernels of floating-point numbers", T, float, double, long double) {
    check_floats<T>(T(1.1));
}

TEST_CASE_TEMPLATE("kernels of narrow floats", T, coll::float16, coll::bfloat16, coll::float8_e4m3,
                   coll::float8_e5m2) {
    check_floats<T>(1.1F);
}

TEST_CASE_TEMPLATE("kernels of complex numbers", T, std::complex<float>, std::complex<double>) {
    check_sums<T>(T(1, 0.25));
}

TEST_CASE_TEMPLATE("a sum keeps the payload of its NaN at every level", T, coll::float16,
                   coll::bfloat16) {
    constexpr std::size_t n = 77;  // whole registers of each level, and a tail
    std::vector<T> nans(n), ones(n, T(1.0F)), out(n);
    for (std::size_t i = 0; i < n; ++i) {
        auto const sign = i % 2 == 0 ? 0x8000U : 0U;
        auto const quiet = std::is_same_v<T, coll::float16> ? 0x7e00U : 0x7fc0U;
        nans[i] = T::from_bits(static_cast<std::uint16_t>(sign | quiet | i % 64));
    }
    for (auto const level : kernels::levels()) {
        CAPTURE(host::isa_name(level));
        for (auto const& sources : {std::array<void const*, 2>{nans.data(), ones.data()},
                                    std::array<void const*, 2>{ones.data(), nans.data()}}) {
            host::make_reducer<T>(coll::sum{}, level).run(out.data(), sources.data(), 2, n);
            for (std::size_t i = 0; i < n; ++i) { REQUIRE(out[i].bits() == nans[i].bits()); }
        }
    }
}

TEST_CASE("a user's operator at every level") {
    auto const sum = coll::commutative([](float a, float b) { return a + b; });
    std::array<float, 3> const a{1, 2, 3}, b{10, 20, 30};
    std::array<void const*, 2> const sources{a.data(), b.data()};
    for (auto const level : kernels::levels()) {
        std::array<float, 3> out{};
        host::make_reducer<float>(sum, level).run(out.data(), sources.data(), 2, out.size());
        CHECK(out == std::array<float, 3>{11, 22, 33});
    }
}

TEST_CASE("copies past the caches, of any length from and to any offset") {
    std::vector<std::byte> from(400), to(400);
    for (std::size_t i = 0; i < from.size(); ++i) { from[i] = static_cast<std::byte>(i * 7 + 1); }
    for (std::size_t offset = 0; offset < 80; ++offset) {
        for (std::size_t const bytes : {0U, 1U, 15U, 63U, 64U, 65U, 130U, 256U, 300U}) {
            std::fill(to.begin(), to.end(), std::byte{});
            host::copy(to.data() + offset, from.data() + offset % 17, bytes,
                       coll::destination::not_read_soon);
            for (std::size_t i = 0; i < to.size(); ++i) {
                auto const copied = i >= offset && i < offset + bytes;
                auto const right = copied ? from[i - offset + offset % 17] : std::byte{};
                REQUIRE(to[i] == right);
            }
        }
    }
}

TEST_CASE("the level of instructions that COLLECTIVES_ISA names") {
    std::string const before = std::getenv("COLLECTIVES_ISA") ? std::getenv("COLLECTIVES_ISA") : "";
    for (auto const level : {host::isa::portable, host::isa::avx2, host::isa::avx512}) {
        ::setenv("COLLECTIVES_ISA", std::string(host::isa_name(level)).c_str(), 1);
        if (host::supports(level)) {
            CHECK(host::detail::choose_isa() == level);
        } else {
            CHECK_THROWS_AS(host::detail::choose_isa(), coll::usage_error);
        }
    }
    ::setenv("COLLECTIVES_ISA", "sse9", 1);
    CHECK_THROWS_WITH_AS(host::detail::choose_isa(),
                         "COLLECTIVES_ISA is 'sse9'; there are portable, avx2 and avx512",
                         coll::usage_error);
    ::setenv("COLLECTIVES_ISA", before.c_str(), 1);
    CHECK(host::supports(host::current_isa()));
}

TEST_CASE("only what is large goes past the caches") {
    CHECK(host::destination_of(4096) == coll::destination::read_soon);
    CHECK(host::destination_of(std::size_t{1} << 40) == (host::detail::can_pass_caches
                                                             ? coll::destination::not_read_soon
                                                             : coll::destination::read_soon));
}
