// SPDX-License-Identifier: BSD-3-Clause
// Nobody reads or writes what lies between the blocks of a cut.
#include <conformance/cells.hpp>
#include <conformance/places.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace conformance {

namespace {

/// Blocks on pages of their own; nobody may touch the pages between them.
class guarded_blocks {
public:
    explicit guarded_blocks(places& at) : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
        bytes_ = (2 * at.counts.size() + 1) * page_;
        start_ = ::mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        expect(start_ != MAP_FAILED, "memory");
        for (std::size_t r = 0; r < at.counts.size(); ++r) {
            auto const page = 2 * (at.counts.size() - r) - 1;
            at.firsts.push_back(page * page_ / sizeof(double));
            expect(::mprotect(static_cast<std::byte*>(start_) + page * page_, page_,
                              PROT_READ | PROT_WRITE) == 0,
                   "access");
        }
    }
    guarded_blocks(guarded_blocks const&) = delete;
    guarded_blocks& operator=(guarded_blocks const&) = delete;
    ~guarded_blocks() { ::munmap(start_, bytes_); }

    std::span<double> whole() const {
        return {static_cast<double*>(start_), bytes_ / sizeof(double)};
    }
    void fill(places const& at, double value) const {
        for (std::size_t r = 0; r < at.counts.size(); ++r) {
            auto const its = whole().subspan(at.first_of(r), at.size_of(r));
            std::fill(its.begin(), its.end(), value);
        }
    }

private:
    std::size_t page_, bytes_ = 0;
    void* start_ = nullptr;
};

void keep_off(coll::communicator& comm, coll::options how, int longest) {
    auto const size = static_cast<std::size_t>(comm.size());
    auto const me = static_cast<std::size_t>(comm.rank());
    places at;
    for (std::size_t r = 0; r < size; ++r) { at.counts.push_back(longest - static_cast<int>(r)); }
    guarded_blocks const a(at);
    auto const mine = a.whole().subspan(at.first_of(me), at.size_of(me));
    std::vector<double> own(at.size_of(me));
    auto const cut = coll::cut{at.counts, std::as_const(at.firsts)};
    auto const is = [](std::span<double const> v, double x) {
        return std::all_of(v.begin(), v.end(), [x](double y) { return y == x; });
    };
    auto const sum = comm.size() * (comm.size() + 1) / 2.0;

    a.fill(at, comm.rank() + 1);
    comm.reduce_scatter(a.whole(), own, cut, coll::sum{}, how);
    expect(is(own, sum), "reduce_scatter");
    comm.reduce_scatter(a.whole(), own, cut, coll::premultiplied_sum{0.5}, how);
    expect(is(own, sum / 2), "reduce_scatter with a factor");
    comm.scatter(a.whole(), own, cut, comm.size() - 1, how);
    expect(is(own, comm.size()), "scatter");
    comm.all_gather(std::vector<double>(own.size(), 3), a.whole(), cut, how);
    expect(is(mine, 3), "all_gather");
    comm.gather(std::vector<double>(own.size(), 4), a.whole(), cut, 0, how);
    expect(is(mine, comm.rank() == 0 ? 4 : 3), "gather");
    a.fill(at, comm.rank() + 1);
    comm.reduce_scatter(a.whole(), mine, cut, coll::sum{}, how);
    expect(is(mine, sum), "reduce_scatter in place");

    places even;
    even.counts.assign(size, longest);
    guarded_blocks const b(even);
    b.fill(even, comm.rank());
    auto const ways = coll::cut{even.counts, even.firsts};
    comm.all_to_all(b.whole(), b.whole(), ways, ways, how);
    for (std::size_t r = 0; r < size; ++r) {
        expect(is(b.whole().subspan(even.first_of(r), even.size_of(r)), static_cast<double>(r)),
               "all_to_all in place");
    }
}

}  // namespace

void untouched_gaps(world const& w) {
    for (int const size : sizes({1, 2, 3, 4, 6})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            for (auto const algorithm : algorithms_and_automatic(size)) {
                for (int const longest : {9, 500}) {
                    keep_off(comm, {.algorithm = algorithm}, longest);
                    keep_off(comm, {.algorithm = algorithm, .segment = 512}, longest);
                }
            }
        });
    }
}

}  // namespace conformance
