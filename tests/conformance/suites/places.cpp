// SPDX-License-Identifier: BSD-3-Clause
// Collectives whose blocks stand anywhere in the vector: in any order, with gaps, with room behind.
#include <conformance/cells.hpp>
#include <conformance/places.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

namespace conformance {

namespace {

/// One rank's calls with one cut, in memory that peers reach or not.
template <class T>
class placed_calls {
public:
    placed_calls(coll::communicator& comm, places const& at, coll::options how, std::uint64_t salt,
                 std::span<T> memory)
        : comm_(comm), at_(at), how_(how), salt_(salt), own_(at.whole), block_(at.size_of(me())) {
        whole_ = at.whole <= memory.size() ? memory.first(at.whole) : std::span(own_);
    }

    void all_gather(bool in_place, bool started) {
        clear();
        auto const mine = part(in_place);
        fill(mine, comm_.rank(), me());
        if (started) {
            comm_.start_all_gather(mine, whole_, at_.cut(), how_).wait();
        } else {
            comm_.all_gather(mine, whole_, at_.cut(), how_);
        }
        check_all("all_gather");
    }
    void gather(bool in_place, bool started, int root) {
        clear();
        auto const mine = part(in_place && comm_.rank() == root);
        auto const out = comm_.rank() == root ? whole_ : std::span<T>();
        fill(mine, comm_.rank(), me());
        if (started) {
            comm_.start_gather(mine, out, at_.cut(), root, how_).wait();
        } else {
            comm_.gather(mine, out, at_.cut(), root, how_);
        }
        if (comm_.rank() == root) { check_all("gather"); }
    }
    void scatter(bool in_place, bool started, int root) {
        clear();
        fill_all();
        auto const mine = part(in_place && comm_.rank() == root);
        auto const in = comm_.rank() == root ? whole_ : std::span<T>();
        if (started) {
            comm_.start_scatter(in, mine, at_.cut(), root, how_).wait();
        } else {
            comm_.scatter(in, mine, at_.cut(), root, how_);
        }
        expect(holds(mine, of(root, me())), "a block of scatter with a cut");
        check_gaps("scatter");
    }
    void reduce_scatter(bool in_place, bool started) {
        clear();
        fill_all();
        auto const mine = part(in_place);
        auto const op = linear<T>::op;
        if (started) {
            comm_.start_reduce_scatter(whole_, mine, at_.cut(), op, how_).wait();
        } else {
            comm_.reduce_scatter(whole_, mine, at_.cut(), op, how_);
        }
        expect(holds(mine, totals(salt_, comm_.size(), me() << 20)),
               "a block of reduce_scatter with a cut");
        check_gaps("reduce_scatter");
    }

private:
    static constexpr progression guards{0xa5a5a5a5a5a5a5a5ULL, 0};
    std::size_t me() const { return static_cast<std::size_t>(comm_.rank()); }
    std::span<T> block_in_whole(std::size_t r) const {
        return at_.counts[r] == 0 ? std::span<T>()
                                  : whole_.subspan(at_.first_of(r), at_.size_of(r));
    }
    std::span<T> part(bool in_place) { return in_place ? block_in_whole(me()) : std::span(block_); }
    progression of(int rank, std::size_t block) const {
        return contributions(salt_, rank, block << 20);
    }
    void clear() { write(guards, whole_.size(), whole_.data()); }
    void fill(std::span<T> v, int rank, std::size_t block) const {
        write(of(rank, block), v.size(), v.data());
    }
    void fill_all() const {
        for (std::size_t r = 0; r < at_.counts.size(); ++r) {
            fill(block_in_whole(r), comm_.rank(), r);
        }
    }
    void check_all(char const* what) const {
        for (std::size_t r = 0; r < at_.counts.size(); ++r) {
            expect(holds(block_in_whole(r), of(static_cast<int>(r), r)), what);
        }
        check_gaps(what);
    }
    void check_gaps(char const* what) const {
        std::vector<T> gaps(whole_.begin(), whole_.end());
        for (std::size_t r = 0; r < at_.counts.size(); ++r) {
            auto const n = at_.size_of(r);
            if (n != 0) { write(guards, n, gaps.data() + at_.first_of(r)); }
        }
        expect(holds(std::span(gaps), guards), what);
    }

    coll::communicator& comm_;
    places const& at_;
    coll::options how_;
    std::uint64_t salt_;
    std::vector<T> own_, block_;
    std::span<T> whole_;
};

/// all_to_all, where each rank has its own places. Rank i sends rank j as many as i and j say.
void exchange(coll::communicator& comm, coll::options how, std::uint64_t salt) {
    using T = std::uint32_t;
    auto const size = static_cast<std::size_t>(comm.size());
    auto const me = static_cast<std::size_t>(comm.rank());
    auto const length = [&](std::size_t from, std::size_t to) {
        return static_cast<int>(scramble(salt + from * 100 + to) % 40);
    };
    auto const value = [&](std::size_t from, std::size_t to, std::size_t i) {
        return static_cast<T>(scramble(salt + from * 100 + to) + i);
    };
    std::vector<int> sends, receives;
    for (std::size_t r = 0; r < size; ++r) {
        sends.push_back(length(me, r));
        receives.push_back(length(r, me));
    }
    numbers own(salt + me);
    auto const from = placed(sends, own), to = placed(receives, own);
    auto const in_place = salt % 2 == 0;
    std::vector<T> first(in_place ? std::max(from.whole, to.whole) : from.whole, 0xabad1deaU);
    std::vector<T> second(to.whole, 0xabad1deaU);
    for (std::size_t r = 0; r < size; ++r) {
        for (std::size_t i = 0; i < from.size_of(r); ++i) {
            first[from.first_of(r) + i] = value(me, r, i);
        }
    }
    auto& out = in_place ? first : second;
    auto expected = out;
    for (std::size_t r = 0; r < size; ++r) {
        for (std::size_t i = 0; i < to.size_of(r); ++i) {
            expected[to.first_of(r) + i] = value(r, me, i);
        }
    }
    if (salt % 3 == 0) {
        comm.start_all_to_all(first, out, from.cut(), to.cut(), how).wait();
    } else if (salt % 3 == 1 && !in_place) {  // counts on one side
        std::vector<T> packed;
        for (std::size_t r = 0; r < size; ++r) {
            for (std::size_t i = 0; i < from.size_of(r); ++i) { packed.push_back(value(me, r, i)); }
        }
        comm.all_to_all(packed, out, sends, to.cut(), how);
    } else {
        comm.all_to_all(first, out, from.cut(), to.cut(), how);
    }
    expect(out == expected, "all_to_all with cuts");
}

/// Blocks of a vector that the call only reads may overlap.
void overlapping(coll::communicator& comm, coll::options how) {
    auto const size = static_cast<std::size_t>(comm.size());
    std::vector<std::uint32_t> in(size + 2), out(2);
    std::iota(in.begin(), in.end(), 7U);
    std::vector<int> const counts(size, 2);
    std::vector<long> firsts(size);
    std::iota(firsts.rbegin(), firsts.rend(), 0);
    auto const first = in[static_cast<std::size_t>(firsts[static_cast<std::size_t>(comm.rank())])];
    comm.scatter(in, out, coll::cut{counts, firsts}, comm.size() - 1, how);
    expect(out[0] == first && out[1] == first + 1, "scatter of blocks that overlap");
    comm.reduce_scatter(in, out, coll::cut{counts, firsts}, coll::sum{}, how);
    auto const ranks = static_cast<std::uint32_t>(size);
    expect(out[0] == first * ranks && out[1] == (first + 1) * ranks,
           "reduced, though they overlap");
    std::vector<std::uint32_t> all(2 * size);
    std::vector<short> const zeros(size, 0);
    comm.all_to_all(in, all, coll::cut{counts, zeros}, counts, how);
    for (std::size_t i = 0; i < all.size(); ++i) {
        expect(all[i] == 7 + i % 2, "all_to_all of blocks that overlap");
    }
}

/// Blocks one behind the other: the call of those that pass counts.
void plain_cut(coll::communicator& comm) {
    auto const size = static_cast<std::size_t>(comm.size());
    std::vector<std::size_t> counts, firsts;
    std::size_t sum = 0;
    for (std::size_t r = 0; r < size; ++r) {
        counts.push_back(r % 3);
        firsts.push_back(r % 3 == 0 ? 1'000 : sum);
        sum += r % 3;
    }
    auto const mine = counts[static_cast<std::size_t>(comm.rank())];
    std::vector<int> const in(mine, comm.rank());
    std::vector<int> out(sum + 3, -1);
    if (comm.rank() % 2 == 0) {
        comm.all_gather(in, out, coll::cut{counts, std::span(firsts)});
    } else {
        comm.all_gather(in, std::span(out).first(sum), counts);
    }
    for (std::size_t r = 0; r < size; ++r) {
        for (std::size_t i = 0; i < counts[r]; ++i) {
            expect(out[firsts[r] + i] == static_cast<int>(r), "a cut without gaps");
        }
    }
    expect(out[sum] == -1, "behind the last block");
}

template <class T>
void run_calls(coll::communicator& comm, places const& at, coll::options how, std::uint64_t turn,
               std::span<T> memory) {
    auto const root = static_cast<int>(turn) % comm.size();
    auto const in_place = turn % 2 == 0;
    auto const started = turn / 2 % 2 == 0;
    placed_calls<T> calls(comm, at, how, turn, turn / 4 % 2 == 0 ? memory : std::span<T>());
    calls.all_gather(in_place, started);
    calls.gather(in_place, started, root);
    calls.scatter(in_place, started, root);
    if constexpr (std::is_integral_v<T>) { calls.reduce_scatter(in_place, started); }
}

}  // namespace

void any_places(world const& w) {
    for (int const size : sizes()) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            constexpr std::size_t most = 30'000;
            auto words = comm.allocate<std::uint64_t>(most);
            auto const memory = std::span(words);
            auto bytes = comm.allocate<std::uint8_t>(most);
            auto odd = comm.allocate<word<3>>(most);
            numbers pick(sampling::seed(20'261'207U) + static_cast<std::uint64_t>(size));
            std::uint64_t turn = 0;
            for (auto const algorithm : algorithms_and_automatic(size)) {
                for (int const longest : {3, 40, 40, 3'000}) {
                    ++turn;
                    coll::options how;
                    how.algorithm = algorithm;
                    how.segment = turn % 3 == 0 ? 1'024 : turn % 3 == 1 ? 0 : coll::chosen_segment;
                    auto const at =
                        placed(some_counts(static_cast<std::size_t>(size), longest, pick), pick);
                    switch (turn % 4) {
                        case 1: run_calls<word<3>>(comm, at, how, turn / 4, std::span(odd)); break;
                        case 3:
                            run_calls<std::uint8_t>(comm, at, how, turn / 4, std::span(bytes));
                            break;
                        default: run_calls<std::uint64_t>(comm, at, how, turn, memory);
                    }
                    exchange(comm, how, turn);
                }
                overlapping(comm, {.algorithm = algorithm});
            }
            plain_cut(comm);
        });
    }
}

}  // namespace conformance
