// SPDX-License-Identifier: BSD-3-Clause
// The host's reductions against a plain left fold: every operator, number of sources, length,
// alignment, and every way the destination may be a source.
#include <collectives/space/host.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace coll = collectives;
using coll::bfloat16;
using coll::float16;
using coll::float8_e4m3;
using coll::float8_e5m2;

namespace {

/// Arrays of T at odd addresses, with guard bytes on both sides of each.
template <class T>
class arrays {
public:
    arrays(int n, std::size_t count, std::vector<T> const& pool)
        : count_(count),
          stride_(count * sizeof(T) + 67),
          bytes_(static_cast<std::size_t>(n) * stride_ + 67, std::byte{0x5a}) {
        for (int k = 0; k < n; ++k) {
            for (std::size_t i = 0; i < count; ++i) {
                set(k, i, pool[(i * 7 + static_cast<std::size_t>(k) * 13) % pool.size()]);
            }
        }
    }
    std::byte* at(int k, std::size_t i = 0) {
        return bytes_.data() + static_cast<std::size_t>(k) * stride_ + 33 + i * sizeof(T);
    }
    void set(int k, std::size_t i, T const& value) { std::memcpy(at(k, i), &value, sizeof(T)); }
    T get(int k, std::size_t i) {
        std::array<std::byte, sizeof(T)> raw;
        std::memcpy(raw.data(), at(k, i), sizeof(T));
        return std::bit_cast<T>(raw);
    }
    bool guards_are_whole(int k) {
        for (int g = 1; g <= 33; ++g) {
            if (*(at(k) - g) != std::byte{0x5a} || *(at(k, count_) + g - 1) != std::byte{0x5a}) {
                return false;
            }
        }
        return true;
    }

private:
    std::size_t count_;
    std::size_t stride_;
    std::vector<std::byte> bytes_;
};

/// The definition, for one element.
template <class Op, class T>
T expected(Op const& op, arrays<T>& in, std::vector<int> const& order, std::size_t i,
           int finish_size, bool raw) {
    using acc = coll::host::detail::accumulator<Op, T>;
    auto const read = [&](int k) {
        auto const value = static_cast<acc>(in.get(k, i));
        if constexpr (requires { op.prepare(value); }) {  // rounded to T before it is added
            return raw ? static_cast<acc>(static_cast<T>(op.prepare(value))) : value;
        }
        return value;
    };
    acc total = read(order[0]);
    for (std::size_t k = 1; k < order.size(); ++k) {
        acc const next = static_cast<acc>(op(total, read(order[k])));
        std::memcpy(&total, &next, sizeof(acc));
    }
    if constexpr (requires { op.finish(total, finish_size); }) {
        if (finish_size > 0) { return static_cast<T>(op.finish(total, finish_size)); }
    }
    return static_cast<T>(total);
}

template <class T, class Op>
void check_one(Op const& op, std::vector<T> const& pool, int n, std::size_t count, int dst,
               int finish_size, bool raw) {
    auto const reducer = coll::host::make_reducer<T>(op);
    arrays<T> data(n + 1, count, pool);  // array n is a destination that is no source
    arrays<T> before(n + 1, count, pool);
    std::vector<int> order;
    std::vector<void const*> sources;
    for (int k = 0; k < n; ++k) {
        order.push_back((k + 1) % n);  // the given order counts, not that of the addresses
        sources.push_back(data.at(order.back()));
    }
    auto const run = raw ? &coll::reducer::raw : &coll::reducer::run;
    auto const to =
        count % 2 == 0 ? coll::destination::not_read_soon : coll::destination::read_soon;
    (reducer.*run)(data.at(dst), sources.data(), n, count, finish_size, to);
    for (std::size_t i = 0; i < count; ++i) {
        T const right = expected(op, before, order, i, finish_size, raw);
        REQUIRE_MESSAGE(std::memcmp(data.at(dst, i), &right, sizeof(T)) == 0, coll::op_name(op),
                        " of ", n, " sources of ", count, " ", coll::type_name<T>(), " into ", dst,
                        " at ", i);
    }
    for (int k = 0; k <= n; ++k) {
        REQUIRE(data.guards_are_whole(k));
        REQUIRE((k == dst || std::memcmp(data.at(k), before.at(k), count * sizeof(T)) == 0));
    }
}

template <class T, class Op>
void check_all(Op const& op, std::vector<T> const& pool) {
    for (int const n : {1, 2, 3, 4, 5, 6, 9}) {
        for (std::size_t const count : {0U, 1U, 63U, 64U, 65U, 200U, 2500U}) {
            for (int const dst : {0, n / 2, n - 1, n}) {
                if (count > 65 && dst == n / 2) { continue; }
                check_one(op, pool, n, count, dst, 0, false);
                check_one(op, pool, n, count, dst, n, true);
            }
        }
    }
}

template <class T>
std::vector<T> numbers() {
    std::mt19937 random(7);
    std::vector<T> pool;
    for (int i = 0; i < 97; ++i) {
        if constexpr (coll::complex_number<T>) {
            using part = typename T::value_type;
            pool.emplace_back(static_cast<part>(static_cast<int>(random() % 2001) - 1000) / 7,
                              static_cast<part>(static_cast<int>(random() % 2001) - 1000) / 3);
        } else if constexpr (std::integral<T>) {
            pool.push_back(static_cast<T>(random() % 5 == 0 ? 0 : random()));
        } else {
            pool.push_back(static_cast<T>(static_cast<float>(random() % 2001) / 7.0F - 140.0F));
        }
    }
    return pool;
}

template <class T>
void check_arithmetic() {
    auto const pool = numbers<T>();
    check_all(coll::sum{}, pool);
    check_all(coll::product{}, pool);
    check_all(coll::average{}, pool);
}

struct affine {  // x -> a x + b: composing such functions is associative, and does not commute
    std::uint32_t a, b;
    affine() = delete;
    constexpr affine(std::uint32_t slope, std::uint32_t offset) : a(slope), b(offset) {}
};
constexpr auto compose = [](affine const& f, affine const& g) {
    return affine(f.a * g.a, f.b * g.a + g.b);
};

struct page {
    std::array<std::uint16_t, 3000> words;
};

}  // namespace

TEST_CASE_TEMPLATE("arithmetic", T, std::int8_t, std::uint16_t, int, std::uint64_t, float, double,
                   std::complex<float>, std::complex<double>, float16, bfloat16, float8_e4m3,
                   float8_e5m2) {
    check_arithmetic<T>();
}

TEST_CASE_TEMPLATE("min and max", T, std::int8_t, std::uint64_t, float, double, float16, bfloat16,
                   float8_e4m3, float8_e5m2) {
    check_all(coll::min{}, numbers<T>());
    check_all(coll::max{}, numbers<T>());
}

TEST_CASE("bits") {
    check_all(coll::bit_and{}, numbers<std::uint8_t>());
    check_all(coll::bit_or{}, numbers<int>());
    check_all(coll::bit_xor{}, numbers<std::uint64_t>());
}

TEST_CASE("factors") {
    check_all(coll::premultiplied_sum{1.0 / 3}, numbers<float>());
    check_all(coll::premultiplied_sum{1.0F / 3}, numbers<float16>());
    check_all(coll::premultiplied_sum{1.0F / 3}, numbers<float8_e4m3>());
    check_all(coll::premultiplied_sum{3}, numbers<int>());
    check_all(coll::premultiplied_sum{std::complex<float>(0.5F, 3)},
              numbers<std::complex<float>>());

    coll::premultiplied_sum const third{1.0 / 3};
    auto const reducer = coll::host::make_reducer<float>(third);
    REQUIRE(reducer.prepares);
    std::vector<float> values(1000, 3.3F);
    reducer.prepare(values.data(), values.data(), values.size());
    CHECK(values == std::vector<float>(1000, third.prepare(3.3F)));
    CHECK_FALSE(coll::host::make_reducer<float>(coll::sum{}).prepares);
}

TEST_CASE("truth values, also of a single contribution") {
    std::vector<int> values{5, 0, -3};
    std::vector<int> const more{0, 0, 2};
    for (bool const all : {true, false}) {
        coll::logical_and const conjunction;
        coll::logical_or const disjunction;
        auto const reducer = all ? coll::host::make_reducer<int>(conjunction)
                                 : coll::host::make_reducer<int>(disjunction);
        std::vector<int> out(3);
        std::array<void const*, 2> const sources{values.data(), more.data()};
        reducer.run(out.data(), sources.data(), 1, 3, 1);
        CHECK(out == std::vector<int>{1, 0, 1});
        reducer.run(out.data(), sources.data(), 2, 3, 2);
        CHECK(out == (all ? std::vector<int>{0, 0, 1} : std::vector<int>{1, 0, 1}));
    }
}

TEST_CASE("operators and types of a user: order kept, no default constructor, of any size") {
    std::vector<affine> functions;
    for (std::uint32_t i = 1; i < 50; ++i) { functions.emplace_back(2 * i + 1, 77 * i); }
    check_all(compose, functions);
    CHECK_FALSE(coll::host::make_reducer<affine>(compose).commutative);

    std::vector<page> pages(5);
    for (std::size_t i = 0; i < 5; ++i) { pages[i].words.fill(static_cast<std::uint16_t>(i)); }
    auto const add = [](page const& x, page const& y) {
        page z;
        for (std::size_t i = 0; i < z.words.size(); ++i) {
            z.words[i] = static_cast<std::uint16_t>(x.words[i] * 3 + y.words[i]);
        }
        return z;
    };
    for (int const n : {2, 5}) {
        check_one(add, pages, n, 3, 0, n, false);
        check_one(coll::commutative(add), pages, n, 3, n, n, false);
    }
}

TEST_CASE("narrow floats are rounded once, not once per source") {
    // In float16, 2048 + 1 is 2048; in float four times 1 more gives 2052, which float16 has.
    std::vector<float16> const large(100, float16(2048.0F));
    std::vector<float16> const one(100, float16(1.0F));
    std::vector<float16> out(100);
    std::array<void const*, 5> const sources{large.data(), one.data(), one.data(), one.data(),
                                             one.data()};
    coll::host::make_reducer<float16>(coll::sum{}).run(out.data(), sources.data(), 5, 100);
    CHECK(out == std::vector<float16>(100, float16(2052.0F)));
    // 5 x 60000 is beyond float16, but its average is not.
    std::vector<float16> const huge(100, float16(60000.0F));
    std::array<void const*, 5> const huge_sources{huge.data(), huge.data(), huge.data(),
                                                  huge.data(), huge.data()};
    coll::host::make_reducer<float16>(coll::average{})
        .run(out.data(), huge_sources.data(), 5, 100, 5);
    CHECK(out == std::vector<float16>(100, float16(60000.0F)));
    // In float8_e4m3, 16 + 1 is 16; in float twice 1 more gives 18. Five times 448 is likewise.
    std::vector<float8_e4m3> const sixteen(100, float8_e4m3(16.0F));
    std::vector<float8_e4m3> const unit(100, float8_e4m3(1.0F));
    std::vector<float8_e4m3> const most(100, float8_e4m3(448.0F));
    std::vector<float8_e4m3> result(100);
    std::array<void const*, 3> const small_sources{sixteen.data(), unit.data(), unit.data()};
    coll::host::make_reducer<float8_e4m3>(coll::sum{})
        .run(result.data(), small_sources.data(), 3, 100);
    CHECK(result == std::vector<float8_e4m3>(100, float8_e4m3(18.0F)));
    std::array<void const*, 5> const most_sources{most.data(), most.data(), most.data(),
                                                  most.data(), most.data()};
    coll::host::make_reducer<float8_e4m3>(coll::average{})
        .run(result.data(), most_sources.data(), 5, 100, 5);
    CHECK(result == most);
    coll::host::make_reducer<float8_e4m3>(coll::sum{})
        .run(result.data(), most_sources.data(), 5, 100);
    CHECK(std::isnan(static_cast<float>(result[7])));
}

TEST_CASE("what a reducer says of itself") {
    coll::average const mean;
    auto const reducer = coll::host::make_reducer<float16>(mean);
    CHECK(reducer.elem_size == 2);
    CHECK(reducer.finishes);
    CHECK(reducer.commutative);
    CHECK(reducer.op == &mean);
    CHECK(reducer.op_name == "average");
    CHECK(reducer.type_name == "collectives::float16");
    CHECK(reducer.fingerprint != coll::host::make_reducer<bfloat16>(mean).fingerprint);
    CHECK_FALSE(coll::host::make_reducer<int>(coll::sum{}).finishes);
}
