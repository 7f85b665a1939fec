// SPDX-License-Identifier: BSD-3-Clause
// Fused tensors have the results of tensors by themselves: all thresholds, with and without a
// thread, many small tensors, empty ones, mixed types, waited for in any way.
#include <collectives/core/fingerprint.hpp>

#include <fusion/suites.hpp>
#include <fusion/tensors.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace fusion_tests {

namespace {

/// What is no number has operators too, which need not commute.
struct point {
    int x, y;
    friend point operator+(point const& a, point const& b) { return {a.x + b.x, a.y + b.y}; }
};

}  // namespace

void every_threshold(world const& over) {
    for (int const size : conformance::sizes({1, 2, 3, 5})) {
        over.run(size, [](coll::communicator& comm) {
            for (auto const threshold : thresholds) {
                for (bool const thread : {false, true}) {
                    coll::fusion_buffer fusion(comm,
                                               {.threshold = threshold, .progress_thread = thread});
                    auto tensors = mixed_tensors(60);
                    for (int step = 0; step < 4; ++step) {
                        std::uint64_t salt = 0;
                        for (auto& t : tensors) {
                            t.fill(comm.rank(), salt);
                            auto done = t.visit([&](auto& v) { return fusion.add(v); });
                            if (step == 2 && salt == 30) {
                                done.wait();
                                expect(done.test(), "what was waited for is done");
                                t.require_sum(comm.size(), salt);
                            }
                            ++salt;
                        }
                        fusion.flush();
                        salt = 0;
                        for (auto& t : tensors) { t.require_sum(comm.size(), salt++); }
                    }
                }
            }
        });
    }
}

/// Without a flush, by handles alone; and handles that outlive the buffer.
void handles(world const& over) {
    over.run(3, [](coll::communicator& comm) {
        for (bool const thread : {false, true}) {
            auto tensors = mixed_tensors(20);
            std::vector<coll::fused_tensor> all;
            {
                coll::fusion_buffer fusion(comm, {.threshold = 2000, .progress_thread = thread});
                for (int step = 0; step < 5; ++step) {
                    all.clear();
                    std::uint64_t salt = 0;
                    for (auto& t : tensors) {
                        t.fill(comm.rank(), salt++);
                        all.push_back(t.visit([&](auto& v) { return fusion.add(v, "t"); }));
                    }
                    if (step == 4) { break; }  // the destructor flushes
                    for (auto& h : all) { h.wait(); }
                    salt = 0;
                    for (auto& t : tensors) { t.require_sum(comm.size(), salt++); }
                }
            }
            std::uint64_t salt = 0;
            for (auto& t : tensors) { t.require_sum(comm.size(), salt++); }
            for (auto& h : all) { expect(h.test(), "done"); }
            auto const moved = std::move(all.front());
            [[maybe_unused]] auto const copy = all.front();  // of one that was moved from

            // An exception takes the buffer and the tensors away; what was started ends.
            all.clear();
            try {
                std::vector<float> first(600, 1.0F), second(600), third(10);
                coll::fusion_buffer fusion(comm, {.threshold = 2400, .progress_thread = thread});
                all.push_back(fusion.add(first));
                all.back().wait();
                all.push_back(fusion.add(second));
                all.push_back(fusion.add(third));
                throw std::runtime_error("it has enough");
            } catch (std::runtime_error const&) {}  // NOLINT: the handles stay
            expect(all[0].test(), "it was done");
            expect_throw<coll::error>([&] { all[2].wait(); }, "it never comes");
            comm.barrier();
        }
    });
}

/// The operators, by their name in the options; other calls in between; two buffers at once.
void operators(world const& over) {
    over.run(4, [](coll::communicator& comm) {
        auto const rank = static_cast<float>(comm.rank());
        auto const reduced = [&](coll::named_op op) {
            std::vector<float> v{rank + 1, 2};
            coll::fusion_buffer fusion(comm, {.op = op});
            (void)fusion.add(v);
            std::vector<int> between{1};
            comm.all_reduce(between);
            expect(between[0] == 4, "a call in between");
            coll::fusion_buffer other(comm, {.threshold = 0});
            std::vector<double> w{1};
            (void)other.add(w);
            other.flush();
            fusion.flush();
            expect(w[0] == 4, "another buffer");
            return v;
        };
        using v = std::vector<float>;
        expect(reduced(coll::sum{}) == v{10, 8}, "sum");
        expect(reduced(coll::product{}) == v{24, 16}, "product");
        expect(reduced(coll::min{}) == v{1, 2}, "min");
        expect(reduced(coll::max{}) == v{4, 2}, "max");
        expect(reduced(coll::average{}) == v{2.5, 2}, "average");
        expect(reduced(coll::logical_and{}) == v{1, 1}, "logical_and");
        expect(reduced(coll::premultiplied_sum{0.5}) == v{5, 4}, "premultiplied_sum");
        expect(reduced(coll::premultiplied_sum{3}) == v{30, 24}, "premultiplied_sum of an integer");

        coll::fusion_buffer bits(comm, {.op = coll::bit_or{}});
        std::vector<float> no{1};
        expect_throw<coll::usage_error>([&] { (void)bits.add(no); }, "bit_or of floats");
        std::vector<std::int32_t> some{1 << comm.rank()};
        (void)bits.add(some);
        bits.flush();
        expect(some[0] == 15, "still usable");

        for (bool const thread : {false, true}) {
            coll::fusion_buffer points(comm, {.progress_thread = thread});
            std::vector<point> p{{comm.rank(), 1}};
            std::vector<int> n{1};
            (void)points.add(n);
            (void)points.add(p);
            points.flush();
            expect(p[0].x == 6 && p[0].y == 4 && n[0] == 4, "an element type of the user's");
            coll::fusion_buffer folds(
                comm, {.algorithm = coll::ring{}, .reproducible = true, .progress_thread = thread});
            auto const text =
                expect_throw<coll::usage_error>([&] { (void)folds.add(n); }, "ring in rank order");
            expect(text.find("ring") != text.npos, text);
            folds.flush();
        }
    });
}

/// Sums of 16 or 8 bits come back as floats; other types are not touched.
void compressed(world const& over) {
    over.run(3, [](coll::communicator& comm) {
        for (auto const threshold : {std::size_t{0}, std::size_t{1} << 20}) {
            struct format {
                coll::compression how;
                std::size_t values;  // so many whole numbers give sums that it holds
            };
            for (auto const [how, values] :
                 {format{coll::compress<float, coll::bfloat16>(), 64},
                  format{coll::compress<float, coll::float16>(), 64},
                  format{coll::compress<float, coll::float8_e4m3>(), 4},
                  format{coll::compress<float, coll::float8_e5m2>(), 3}}) {
                coll::fusion_buffer fusion(
                    comm, {.threshold = threshold, .op = coll::average{}, .compress = how});
                std::vector<float> v(1000);
                std::vector<double> w(10, 1.0 / 3);
                for (std::size_t i = 0; i < v.size(); ++i) {
                    v[i] = static_cast<float>(comm.rank() + 1) * static_cast<float>(i % values);
                }
                (void)fusion.add(v);
                (void)fusion.add(w);
                fusion.flush();
                for (std::size_t i = 0; i < v.size(); ++i) {
                    expect(v[i] == 2 * static_cast<float>(i % values), "a compressed average");
                }
                expect(w[0] == (1.0 / 3 + 1.0 / 3 + 1.0 / 3) / 3, "not compressed");
            }
        }
    });
}

/// With `reproducible`: the left fold in rank order, for every threshold, order of waits, thread,
/// and, since the figure is the same in all programs, transport.
namespace {

/// The left fold of the ranks' values, rounded where the library rounds it: to T each value that
/// the operator prepares, and once the whole.
template <class T, class Op>
T folded(Op const& op, int size, auto&& value) {
    auto const part = [&](int r) {
        if constexpr (requires { op.factor; }) {
            return static_cast<float>(static_cast<T>(op.factor * static_cast<float>(value(r))));
        } else {
            return static_cast<float>(value(r));
        }
    };
    auto sum = part(0);
    for (int r = 1; r < size; ++r) { sum += part(r); }
    return static_cast<T>(std::is_same_v<Op, coll::average> ? sum / static_cast<float>(size) : sum);
}

/// The bits do not depend on the threshold, nor on the thread.
template <class T, class Op>
void same_bits_of(world const& over, Op const& op) {
    constexpr std::size_t n = 40;
    auto const value = [](int rank, std::size_t tensor, std::size_t i) {
        auto const x = scramble(tensor * 100'000 + i * 16 + static_cast<std::size_t>(rank));
        return static_cast<T>(static_cast<float>(x % 1'000'003) / 777.0F - 600.0F);
    };
    auto const count = [](std::size_t t) { return t % 9 == 4 ? 5000 : scramble(t) % 300; };
    auto const stir = [](std::uint64_t hash, T x) {
        return coll::mix(hash, std::bit_cast<std::uint32_t>(static_cast<float>(x)));
    };
    for (int const size : {2, 4}) {
        std::uint64_t expected = 0;
        for (std::size_t t = 0; t < n; ++t) {
            for (std::size_t i = 0; i < count(t); ++i) {
                expected =
                    stir(expected, folded<T>(op, size, [&](int r) { return value(r, t, i); }));
            }
        }
        over.run(size, [&](coll::communicator& comm) {
            for (auto const threshold : thresholds) {
                for (bool const thread : {false, true}) {
                    coll::fusion_buffer fusion(comm, {.threshold = threshold,
                                                      .op = op,
                                                      .reproducible = true,
                                                      .progress_thread = thread});
                    std::vector<std::vector<T>> all(n);
                    for (std::size_t k = 0; k < n; ++k) {
                        auto const t = thread ? n - 1 - k : k;  // another order
                        all[t].resize(count(t));
                        for (std::size_t i = 0; i < count(t); ++i) {
                            all[t][i] = value(comm.rank(), t, i);
                        }
                        (void)fusion.add(all[t]);
                    }
                    fusion.flush();
                    std::uint64_t sum = 0;
                    for (auto const& v : all) {
                        for (auto const x : v) { sum = stir(sum, x); }
                    }
                    expect(sum == expected, "other bits");
                }
            }
        });
    }
}

}  // namespace

void same_bits(world const& over) {
    same_bits_of<float>(over, coll::sum{});
    same_bits_of<coll::float16>(over, coll::average{});
    same_bits_of<coll::bfloat16>(over, coll::premultiplied_sum{0.1F});
}

}  // namespace fusion_tests
