// SPDX-License-Identifier: BSD-3-Clause
// Collectives whose blocks are cut otherwise than by coll::block: uneven, empty, one that is all.
#include <conformance/cells.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace conformance {

namespace {

std::vector<std::vector<int>> cuts_for(int size) {
    std::vector<std::vector<int>> result(4, std::vector<int>(static_cast<std::size_t>(size), 0));
    for (std::size_t r = 0; r < result[0].size(); ++r) {
        result[0][r] = static_cast<int>(r * r % 5 * 3);
        result[1][r] = static_cast<int>((r + 1) * 2'003);
    }
    result[2].back() = 1'001;
    return result;
}

/// One rank's calls with one cut.
class cut_calls {
public:
    using T = std::uint32_t;

    cut_calls(coll::communicator& comm, std::vector<int> const& counts, coll::options how,
              std::uint64_t salt)
        : comm_(comm), counts_(counts), how_(how), salt_(salt) {
        std::size_t all = 0;
        for (std::size_t r = 0; r < counts.size(); ++r) {
            firsts_.push_back(all);
            all += size_of(r);
        }
        whole_.resize(all);
        block_.resize(size_of(me()));
    }

    void all_gather(bool in_place, bool started) {
        fill(part(in_place), firsts_[me()]);
        if (started) {
            comm_.start_all_gather(part(in_place), whole_, counts_, how_).wait();
        } else {
            comm_.all_gather(part(in_place), whole_, counts_, how_);
        }
        check_whole("all_gather with counts");
    }
    void gather(bool in_place, bool started, int root) {
        auto const mine = part(in_place && comm_.rank() == root);
        fill(mine, firsts_[me()]);
        if (started) {
            comm_.start_gather(mine, whole_, counts_, root, how_).wait();
        } else {
            comm_.gather(mine, whole_, counts_, root, how_);
        }
        if (comm_.rank() == root) { check_whole("gather with counts"); }
    }
    void scatter(bool in_place, bool started, int root) {
        auto const mine = part(in_place && comm_.rank() == root);
        fill(whole_, 0);
        if (started) {
            comm_.start_scatter(whole_, mine, counts_, root, how_).wait();
        } else {
            comm_.scatter(whole_, mine, counts_, root, how_);
        }
        expect(holds(mine, of(root, firsts_[me()])), "scatter with counts");
    }
    void reduce_scatter(bool in_place, bool started) {
        fill(whole_, 0);
        auto const mine = part(in_place);
        if (started) {
            comm_.start_reduce_scatter(whole_, mine, counts_, coll::sum{}, how_).wait();
        } else {
            comm_.reduce_scatter(whole_, mine, counts_, coll::sum{}, how_);
        }
        expect(holds(mine, totals(salt_, comm_.size(), firsts_[me()])),
               "reduce_scatter with counts");
    }
    /// Rank i sends rank j as many as block 2i + j has: what comes is not what goes.
    void all_to_all(bool started) {
        std::vector<std::size_t> sends, recvs;
        for (std::size_t j = 0; j < counts_.size(); ++j) {
            sends.push_back(size_of((2 * me() + j) % counts_.size()));
            recvs.push_back(size_of((2 * j + me()) % counts_.size()));
        }
        std::vector<T> in(sum_of(sends)), out(sum_of(recvs));
        std::size_t next = 0;
        for (std::size_t j = 0; j < sends.size(); next += sends[j], ++j) {
            write(of(comm_.rank(), j << 20), sends[j], in.data() + next);
        }
        if (started) {
            comm_.start_all_to_all(in, out, sends, recvs, how_).wait();
        } else {
            comm_.all_to_all(in, out, sends, recvs, how_);
        }
        next = 0;
        for (std::size_t j = 0; j < recvs.size(); next += recvs[j], ++j) {
            expect(
                holds(std::span(out).subspan(next, recvs[j]), of(static_cast<int>(j), me() << 20)),
                "all_to_all with counts");
        }
    }

private:
    std::size_t me() const { return static_cast<std::size_t>(comm_.rank()); }
    std::size_t size_of(std::size_t r) const { return static_cast<std::size_t>(counts_[r]); }
    static std::size_t sum_of(std::vector<std::size_t> const& v) {
        std::size_t sum = 0;
        for (auto const n : v) { sum += n; }
        return sum;
    }
    std::span<T> part(bool in_place) {
        return in_place ? std::span(whole_).subspan(firsts_[me()], size_of(me()))
                        : std::span(block_);
    }
    progression of(int rank, std::size_t first) const { return contributions(salt_, rank, first); }
    void fill(std::span<T> v, std::size_t first) const {
        write(of(comm_.rank(), first), v.size(), v.data());
    }
    void check_whole(char const* what) {
        for (std::size_t r = 0; r < counts_.size(); ++r) {
            expect(holds(std::span(whole_).subspan(firsts_[r], size_of(r)),
                         of(static_cast<int>(r), firsts_[r])),
                   what);
        }
    }

    coll::communicator& comm_;
    std::vector<int> const& counts_;
    coll::options how_;
    std::uint64_t salt_;
    std::vector<std::size_t> firsts_;
    std::vector<T> whole_, block_;
};

}  // namespace

void any_cut(world const& w) {
    for (int const size : sizes()) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            std::uint64_t turn = 0;
            for (auto const algorithm : algorithms_and_automatic()) {
                for (auto const& counts : cuts_for(size)) {
                    ++turn;
                    coll::options how;
                    how.algorithm = algorithm;
                    how.segment = turn % 3 == 0 ? 4'096 : turn % 3 == 1 ? 0 : coll::chosen_segment;
                    auto const root = static_cast<int>(turn) % size;
                    auto const in_place = turn % 2 == 0;
                    auto const started = turn / 2 % 2 == 0;
                    cut_calls calls(comm, counts, how, turn);
                    calls.all_gather(in_place, started);
                    calls.gather(in_place, started, root);
                    calls.scatter(in_place, started, root);
                    calls.reduce_scatter(in_place, started);
                    calls.all_to_all(started);
                }
            }
        });
    }
}

}  // namespace conformance
