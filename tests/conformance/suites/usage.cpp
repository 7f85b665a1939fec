// SPDX-License-Identifier: BSD-3-Clause
// Mistakes of the caller: each is found before anything is sent, and the communicator goes on.
#include <conformance/cells.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>
#include <conformance/operators.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace conformance {

namespace {

void still_works(coll::communicator& comm) {
    std::vector<int> v(100, 1);
    comm.all_reduce(v);
    expect(v == std::vector<int>(100, comm.size()), "the communicator goes on");
}

/// The message must say which rank, what was called, and what is wrong.
template <class F>
void refused(coll::communicator& comm, char const* what, char const* why, F&& f) {
    auto const text = expect_throw<coll::usage_error>(f, std::string(what) + ": " + why);
    expect(text.find("rank " + std::to_string(comm.rank())) != std::string::npos &&
               text.find(what) != std::string::npos && text.find(why) != std::string::npos,
           [&] { return std::string("'") + why + "' is not said by: " + text; });
    if (comm.size() < 4) { still_works(comm); }
}

void wrong_sizes(coll::communicator& comm) {
    auto const p = static_cast<std::size_t>(comm.size());
    std::vector<int> in(10 * p), out(10 * p), one(1), none;
    std::vector<std::size_t> counts(p, 10), few(p - 1, 10), more(p, 11);
    std::vector<int> negative(p, 10);
    negative[p / 2] = -1;
    auto const block = std::span(out).first(10);
    refused(comm, "all_reduce", "elements", [&] { comm.all_reduce(in, one); });
    refused(comm, "all_reduce", "elements", [&] { comm.start_all_reduce(in, one).wait(); });
    refused(comm, "reduce_scatter", "elements", [&] { comm.reduce_scatter(in, none); });
    refused(comm, "all_gather", "elements", [&] { comm.all_gather(one, out); });
    refused(comm, "all_to_all", "elements", [&] { comm.all_to_all(in, one); });
    refused(comm, "all_gather", "counts", [&] { comm.all_gather(block, in, few); });
    refused(comm, "all_gather", "-1", [&] { comm.all_gather(block, in, negative); });
    refused(comm, "all_gather", "elements", [&] { comm.all_gather(block, in, more); });
    refused(comm, "reduce_scatter", "elements", [&] { comm.reduce_scatter(in, one, counts); });
    refused(comm, "gather", "elements", [&] { comm.gather(one, out, counts, 0); });
    refused(comm, "scatter", "elements", [&] { comm.scatter(in, one, counts, 0); });
    refused(comm, "all_to_all", "elements", [&] { comm.all_to_all(in, out, counts, more); });
    refused(comm, "all_to_all", "elements", [&] { comm.all_to_all(in, out, more, counts); });
    std::vector<std::size_t> const twos(p, 2);
    auto three = twos;
    three[static_cast<std::size_t>(comm.rank())] = 3;
    std::vector<int> shorter(2 * p), longer(2 * p + 1);
    refused(comm, "all_to_all", "own block",
            [&] { comm.all_to_all(shorter, longer, twos, three); });
    refused(comm, "all_to_all", "own block",
            [&] { comm.all_to_all(longer, shorter, three, twos); });
    if (p > 1) {
        std::vector<int> odd(10 * p + 1), too(10 * p + 1);
        refused(comm, "all_to_all", "counts", [&] { comm.all_to_all(odd, too); });
        counts[0] = counts[1] = std::numeric_limits<std::size_t>::max();
        refused(comm, "all_gather", "counted", [&] { comm.all_gather(block, in, counts); });
    }
    // What only the root can see, it sees; the others wait until it has called rightly.
    if (comm.rank() == 0) {
        expect_throw<coll::usage_error>([&] { comm.reduce(in, one); }, "reduce at the root");
        expect_throw<coll::usage_error>([&] { comm.gather(one, in); }, "gather at the root");
        expect_throw<coll::usage_error>([&] { comm.scatter(in, one); }, "scatter at the root");
    }
    comm.reduce(in, out);
    comm.gather(std::span(in).first(10), out);
    comm.scatter(in, std::span(out).first(10));
}

void wrong_places(coll::communicator& comm) {
    auto const p = static_cast<std::size_t>(comm.size());
    auto const me = static_cast<std::size_t>(comm.rank());
    std::vector<int> v(20 * p);
    auto const at = [&](std::size_t first, std::size_t n) {
        return std::span(v).subspan(first, n);
    };
    refused(comm, "all_reduce", "overlap", [&] { comm.all_reduce(at(0, 10), at(1, 10)); });
    refused(comm, "all_reduce", "overlap", [&] { comm.all_reduce(at(9, 10), at(0, 10)); });
    refused(comm, "all_to_all", "overlap", [&] { comm.all_to_all(at(0, 2 * p), at(1, 2 * p)); });
    refused(comm, "all_gather", "overlap",
            [&] { comm.all_gather(at(2 * me + 1, 2), at(0, 2 * p)); });
    refused(comm, "reduce_scatter", "overlap",
            [&] { comm.reduce_scatter(at(0, 4 * p), at(4 * me + 2, 4)); });
    if (comm.rank() == 0) {
        expect_throw<coll::usage_error>([&] { comm.reduce(at(0, 10), at(5, 10)); }, "overlap");
        expect_throw<coll::usage_error>([&] { comm.gather(at(3, 4), at(0, 4 * p)); }, "overlap");
        expect_throw<coll::usage_error>([&] { comm.scatter(at(0, 4 * p), at(1, 4)); }, "overlap");
    }
}

void wrong_cuts(coll::communicator& comm) {
    auto const p = static_cast<std::size_t>(comm.size());
    auto const last = "block " + std::to_string(p - 1);
    std::vector<int> v(4 * p), own(2), w(4 * p);
    std::vector<int> const counts(p, 2);
    std::vector<long> firsts(p), few(p - 1), negative(p, 1), far(p);
    for (std::size_t r = 0; r < p; ++r) { firsts[r] = static_cast<long>(4 * r + 1); }
    negative.back() = -7;
    far = firsts;
    far.back() = static_cast<long>(4 * p - 1);
    using coll::cut;
    auto const good = cut{counts, firsts};
    refused(comm, "all_gather", "displacements for", [&] {
        comm.all_gather(own, v, cut{counts, few});
    });
    refused(comm, "all_gather", "counts for", [&] { comm.all_gather(own, v, cut{few, firsts}); });
    refused(comm, "reduce_scatter", "displacement of -7", [&] {
        comm.reduce_scatter(v, own, cut{counts, negative});
    });
    refused(comm, "reduce_scatter", "count of -7", [&] {
        comm.reduce_scatter(v, own, cut{negative, firsts});
    });
    refused(comm, "all_gather", last.c_str(), [&] { comm.all_gather(own, v, cut{counts, far}); });
    refused(comm, "reduce_scatter", last.c_str(), [&] {
        comm.start_reduce_scatter(v, own, cut{counts, far}).wait();
    });
    refused(comm, "all_to_all", "within in", [&] {
        comm.all_to_all(v, w, cut{counts, far}, good);
    });
    refused(comm, "all_to_all", "within out", [&] {
        comm.all_to_all(v, w, good, cut{counts, far});
    });
    refused(comm, "all_gather", "elements", [&] { comm.all_gather(v, w, good); });
    far.back() = std::numeric_limits<long>::max();
    refused(comm, "all_gather", last.c_str(), [&] { comm.all_gather(own, v, cut{counts, far}); });
    if (p == 1) { return; }
    auto twice = firsts;
    twice.back() = 2;
    auto const pair = "blocks 0 and " + std::to_string(p - 1) + " overlap";
    auto const overlaps = cut{counts, twice};
    refused(comm, "all_gather", pair.c_str(), [&] { comm.all_gather(own, v, overlaps); });
    refused(comm, "gather", pair.c_str(), [&] { comm.gather(own, v, overlaps); });
    refused(comm, "all_to_all", pair.c_str(), [&] { comm.all_to_all(v, w, good, overlaps); });
    refused(comm, "all_to_all", pair.c_str(), [&] { comm.all_to_all(v, v, overlaps, good); });
    auto const me = static_cast<std::size_t>(comm.rank());
    auto const in_place = std::span(v).subspan(static_cast<std::size_t>(twice[me]), 2);
    refused(comm, "reduce_scatter", pair.c_str(),
            [&] { comm.reduce_scatter(v, in_place, overlaps); });
    refused(comm, "all_gather", "not in place",
            [&] { comm.all_gather(std::span(v).subspan(4 * me, 2), v, good); });
    if (me == 0) {
        expect_throw<coll::usage_error>([&] { comm.scatter(v, in_place, overlaps); }, "in place");
        expect_throw<coll::usage_error>([&] { comm.scatter(own, v, good); }, "at the root");
    }
}

void wrong_ranks(coll::communicator& comm) {
    std::vector<int> v(8), w(8);
    for (int const r : {-1, comm.size(), std::numeric_limits<int>::max()}) {
        refused(comm, "broadcast", "root", [&] { comm.broadcast(v, r); });
        refused(comm, "reduce", "root", [&] { comm.reduce(v, w, coll::sum{}, r); });
        refused(comm, "gather", "root", [&] { comm.gather(v, w, r); });
        refused(comm, "scatter", "root", [&] { comm.scatter(v, w, r); });
        refused(comm, "send", "peer", [&] { comm.send(v, r); });
        refused(comm, "recv", "peer", [&] { comm.recv(v, r); });
    }
}

void wrong_algorithms(coll::communicator& comm) {
    std::vector<int> v(5'000);
    take_first const first;
    for (auto const a : coll::all_algorithms) {
        auto const proof = a.check(comm.size());
        auto const run = [&] { comm.all_reduce(v, first, {.algorithm = a}); };
        if (proof.order_preserving) {
            run();
        } else {
            refused(comm, "all_reduce", "order", run);
        }
        auto const fold = [&] {
            comm.all_reduce(v, coll::sum{}, {.algorithm = a, .reproducible = true});
        };
        if (proof.left_fold) {
            fold();
        } else {
            refused(comm, "all_reduce", "reproducible", fold);
        }
    }
    comm.all_reduce(v, first);
    if (comm.size() > 2) {
        refused(comm, "all_reduce", "mixed_radix",  // one that would do is named
                [&] { comm.all_reduce(v, first, {.algorithm = coll::ring{}}); });
    }
    std::vector<char> large(1 << 19);
    if (comm.size() > 1) {
        refused(comm, "all_reduce", "524287",
                [&] { comm.all_reduce(large, coll::max{}, {.segment = 1}); });
    }
    refused(comm, "allocate", "elements",
            [&] { comm.allocate<long>(std::numeric_limits<std::size_t>::max() / 2); });
}

void wrong_links(coll::communicator& comm) {
    auto const nan = std::numeric_limits<double>::quiet_NaN();
    for (double const rate : {0.0, -25e6, nan}) {
        refused(comm, "with", "bytes_per_second above 0",
                [&] { (void)comm.with(coll::throttled{.bytes_per_second = rate}); });
    }
    refused(comm, "with", "latency of -1 ns",
            [&] { (void)comm.with(coll::throttled{.latency = std::chrono::nanoseconds(-1)}); });
    auto unlimited =
        comm.with(coll::throttled{.bytes_per_second = std::numeric_limits<double>::infinity()});
    still_works(unlimited);
}

/// A call that is refused names the number that it would have had, and takes none.
void numbers_of_calls(coll::communicator& comm) {
    std::vector<int> two(2), three(3);
    auto const refused_as = [](char const* name, auto const& call) {
        auto const text = expect_throw<coll::usage_error>(call, name);
        auto const at = text.find(name);
        expect(at != text.npos, text);
        return std::stoul(text.substr(at + std::string(name).size()));
    };
    auto const all_reduce = [&] {
        return refused_as("all_reduce #", [&] { comm.all_reduce(two, three); });
    };
    auto const send = [&] { return refused_as("send #", [&] { comm.send(two, comm.size()); }); };
    auto const first = all_reduce(), first_sent = send();
    expect(all_reduce() == first && send() == first_sent, "a refused call takes a number");
    comm.barrier();
    auto const self = comm.rank();
    comm.send_recv(two, self, two = {}, self);
    expect(all_reduce() == first + 1, "a barrier takes no number, or two");
    expect(send() == first_sent + 2, "a message takes no number");
}

}  // namespace

void mistakes(world const& w) {
    for (int const size : sizes({1, 2, 3, 5, 8})) {
        CAPTURE(size);
        w.run(size, [](coll::communicator& comm) {
            wrong_sizes(comm);
            still_works(comm);
            wrong_places(comm);
            still_works(comm);
            wrong_cuts(comm);
            still_works(comm);
            wrong_ranks(comm);
            still_works(comm);
            wrong_algorithms(comm);
            still_works(comm);
            wrong_links(comm);
            still_works(comm);
            numbers_of_calls(comm);
        });
    }
    auto const nothing = [](auto&) {};
    CHECK_THROWS_AS(w.run(0, nothing), coll::usage_error);
    CHECK_THROWS_AS(w.run(-3, nothing), coll::usage_error);
}

}  // namespace conformance
