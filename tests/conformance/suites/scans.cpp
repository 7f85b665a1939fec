// SPDX-License-Identifier: BSD-3-Clause
// scan and exscan: every operator in rank order, in place or not, and the bits of `.reproducible`.
#include <conformance/cells.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>
#include <conformance/operators.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace conformance {

namespace {

/// The contributions of all ranks, and what each rank must get: folded from the left in `Wide`, and
/// rounded once.
template <class T, class Wide>
struct prefixes {
    std::vector<std::vector<T>> in, scan, exscan;  // [rank][element]

    template <class Make, class Fold>
    prefixes(int size, std::size_t n, Make const& make, Fold const& fold) {
        std::vector<Wide> so_far;
        for (int r = 0; r < size; ++r) {
            auto& own = in.emplace_back();
            std::vector<T> before, now;
            for (std::size_t i = 0; i < n; ++i) {
                own.push_back(make(scramble(static_cast<std::uint64_t>(r) << 32 | i)));
                auto const x = static_cast<Wide>(own[i]);
                if (r == 0) {
                    so_far.push_back(x);
                } else {
                    before.push_back(static_cast<T>(so_far[i]));
                    so_far[i] = fold(so_far[i], x);
                }
                now.push_back(static_cast<T>(so_far[i]));
            }
            exscan.push_back(before);
            scan.push_back(now);
        }
    }
};

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Both calls, out of place, in place by one range and by two, blocking and started.
template <class T, class Wide, class Op>
void run_scans(coll::communicator& comm, prefixes<T, Wide> const& all, Op const& op,
               coll::options const& how) {
    auto const me = static_cast<std::size_t>(comm.rank());
    auto const& in = all.in[me];
    if (!is_taken(comm.size(), in.size() + coll::hash_text(how.algorithm.name()))) { return; }
    auto const guard = all.in[0];  // anything
    auto const check = [&](std::vector<T> const& got, std::vector<T> const& wanted,
                           char const* what) {
        expect(same_bits(got, wanted), [&] {
            return std::string(what) + " by " + coll::name(how.algorithm) + ", " +
                   std::to_string(in.size()) + " elements, segment " + std::to_string(how.segment) +
                   ", rank " + std::to_string(me) + " of " + std::to_string(comm.size());
        });
    };
    auto out = guard;
    comm.scan(in, out, op, how);
    check(out, all.scan[me], "scan");
    out = in;
    comm.scan(out, op, how);
    check(out, all.scan[me], "scan in place");
    out = in;
    comm.start_scan(out, op, how).wait();
    check(out, all.scan[me], "start_scan in place");
    comm.start_scan(in, out = guard, op, how).wait();
    check(out, all.scan[me], "start_scan");

    comm.exscan(in, out = guard, op, how);
    check(out, me == 0 ? guard : all.exscan[me], "exscan");
    out = in;
    comm.exscan(out, out, op, how);
    check(out, me == 0 ? in : all.exscan[me], "exscan in place");
    out = in;
    comm.start_exscan(out, op, how).wait();
    check(out, me == 0 ? in : all.exscan[me], "start_exscan in place");
    comm.start_exscan(in, out = guard, op, how).wait();
    check(out, me == 0 ? guard : all.exscan[me], "start_exscan");
    std::vector<T> none;
    comm.exscan(in, me == 0 ? none : out, op, how);
    check(out, me == 0 ? guard : all.exscan[me], "exscan without an output on rank 0");
}

constexpr std::size_t few_elements[]{0, 1, 37}, more_elements[]{5'003};

template <class T, class Op, class Make, class Fold>
void run_operator(coll::communicator& comm, Op const& op, Make const& make, Fold const& fold) {
    for (auto const n : few_elements) {
        prefixes<T, T> const all(comm.size(), n, make, fold);
        for (auto const a : algorithms_and_automatic(comm.size())) {
            run_scans(comm, all, op, {.algorithm = a});
        }
    }
    for (auto const n : more_elements) {
        prefixes<T, T> const all(comm.size(), n, make, fold);
        for (coll::any_algorithm const a :
             {coll::any_algorithm(coll::star{}), coll::any_algorithm(coll::ring{}),
              coll::any_algorithm(coll::tree{}), coll::any_algorithm(coll::butterfly{})}) {
            run_scans(comm, all, op, {.algorithm = a, .segment = 4'096});
        }
    }
}

/// Results that are `finish(fold of the contributions)`, also where there is one contribution.
template <class T, class Op, class Finish>
void run_finished(coll::communicator& comm, Op const& op, Finish const& finish) {
    auto const make = [](std::uint64_t x) { return static_cast<T>(x % 4 == 0 ? x % 9 : 0); };
    for (auto const n : {100U, 5'003U}) {
        prefixes<T, T> all(comm.size(), n, make, [](T a, T b) { return static_cast<T>(a + b); });
        for (auto* const results : {&all.scan, &all.exscan}) {
            for (auto& v : *results) {
                for (auto& x : v) { x = finish(x); }
            }
        }
        for (auto const a : algorithms_and_automatic(comm.size())) {
            run_scans(comm, all, op, {.algorithm = a});
        }
    }
}

template <class T>
T rough_number(std::uint64_t h) {
    auto const fraction = 1.0 + static_cast<double>(h >> 12) * 0x1p-52;
    auto const value = std::ldexp(h & 1 ? fraction : -fraction, static_cast<int>(h >> 1 & 15) - 8);
    return T(static_cast<float>(value));
}

/// The left fold in rank order, rounded once; the algorithms that round more often are refused.
template <class T>
void run_reproducible_scans(coll::communicator& comm) {
    for (auto const n : {1U, 777U, 20'011U}) {
        prefixes<T, float> const all(comm.size(), n, rough_number<T>,
                                     [](float a, float b) { return a + b; });
        for (auto const a : algorithms_and_automatic(comm.size())) {
            coll::options how{.algorithm = a, .segment = n % 2 == 0 ? 0U : 4'096U};
            how.reproducible = true;
            using enum coll::collective;
            for (auto const what : {scan, exscan}) {
                if (a.is_automatic() || a.check(comm.size(), what).left_fold) { continue; }
                std::vector<T> v(n);
                auto const run = [&] {
                    call<T>(comm, what, v, std::span<T>(v), coll::sum{}, 0, how);
                };
                expect_throw<coll::usage_error>(run, "a scan that is no left fold");
            }
            if (a.is_automatic() || a.check(comm.size(), scan).left_fold) {
                run_scans(comm, all, coll::sum{}, how);
            }
        }
    }
}

}  // namespace

void scans(world const& w) {
    for (int const size : sizes()) {
        CAPTURE(size);
        w.run(size, [](coll::communicator& comm) {
            auto const product = [](matrix const& a, matrix const& b) { return a * b; };
            run_operator<matrix>(comm, matrix_product{}, matrix::random, product);
            auto const number = [](std::uint64_t x) { return static_cast<std::int16_t>(x % 100); };
            run_operator<std::int16_t>(comm, coll::max{}, number,
                                       [](auto a, auto b) { return std::max(a, b); });
            using number_type = std::int64_t;
            run_finished<number_type>(comm, coll::premultiplied_sum{3},
                                      [](auto x) { return 3 * x; });
            run_finished<number_type>(comm, coll::logical_or{},
                                      [](auto x) { return number_type{x != 0}; });
            run_reproducible_scans<coll::float16>(comm);
            run_reproducible_scans<coll::bfloat16>(comm);
            run_reproducible_scans<float>(comm);
        });
    }
}

}  // namespace conformance
