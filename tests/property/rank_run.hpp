// SPDX-License-Identifier: BSD-3-Clause
// One rank's run of a random program of collectives, held against a serial model that every rank
// computes for itself.
#pragma once

#include "instruction.hpp"

#include <collectives/collectives.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace random_programs {

namespace coll = collectives;
using number = std::uint64_t;

/// Composition of x -> a x + b: associative, not commutative.
struct affine {
    std::uint32_t a = 1, b = 0;
    friend bool operator==(affine, affine) = default;
};
inline affine then(affine const& f, affine const& g) { return {g.a * f.a, g.a * f.b + g.b}; }

inline number value(int rank, std::size_t call, std::size_t i) {
    return static_cast<number>(rank + 1) * 1'000'003 + call * 77'777 + i * 13;
}

/// One rank's run of a program.
class rank_run {
public:
    explicit rank_run(coll::communicator& comm, coll::timeout time = std::chrono::seconds(60))
        : comm_(comm), time_(time), pool_(comm.allocate<number>(pool_size)) {}

    void run(std::span<instruction const> program) {
        for (std::size_t call = 0; call < program.size(); ++call) {
            if (open_.size() == 6) { end_oldest(); }
            issue(program[call], call);
            if (!program[call].started) {
                while (!open_.empty()) { end_oldest(); }
            }
        }
        while (!open_.empty()) { end_oldest(); }
    }

private:
    static constexpr std::size_t pool_size = 1 << 17;

    struct call_under_way {
        std::vector<std::vector<number>> kept;  // goes after `pending`, which may use it
        coll::pending pending;
        std::function<void()> check;
    };

    void end_oldest() {
        open_.front().pending.wait();
        open_.front().check();
        open_.erase(open_.begin());
    }

    /// Allocated memory on some ranks, private on others; the pool is used round and round.
    std::span<number> memory(instruction const& i, std::size_t n,
                             std::vector<std::vector<number>>& kept) {
        if (comm_.rank() >= i.reachable_ranks || n > pool_size / 16) {
            kept.emplace_back(n, 0xdead);
            return kept.back();
        }
        if (next_ + n > pool_size) { next_ = 0; }
        auto const result = std::span(pool_.data() + next_, n);
        next_ += n;
        return result;
    }
    static void expect(bool fine, std::size_t call, instruction const& i) {
        if (fine) { return; }
        throw std::runtime_error("call " + std::to_string(call) + " (what " +
                                 std::to_string(i.what) + ") has a wrong result");
    }

    void issue(instruction const& i, std::size_t call) {
        auto const size = comm_.size(), me = comm_.rank(), root = i.root % size;
        auto const mine = static_cast<std::size_t>(me);
        auto const sum_of = [call](int ranks, std::size_t k) {
            number s = 0;
            for (int r = 0; r < ranks; ++r) { s += value(r, call, k); }
            return s;
        };
        auto const sum = [=](std::size_t k) { return sum_of(size, k); };
        coll::options how{.segment = i.segment, .timeout = time_};
        if (i.algorithm > 0) {
            how.algorithm = coll::all_algorithms[static_cast<std::size_t>(i.algorithm - 1)];
        }
        std::vector<std::size_t> counts;
        std::vector<std::size_t> first{0};
        for (int r = 0; r < size; ++r) {
            auto const share = i.n * static_cast<std::size_t>(r + 1) / 7 % (i.n + 1);
            auto const uneven = (call + static_cast<std::size_t>(r)) % 2 == 0 ? 0 : share;
            counts.push_back(i.counted ? uneven : coll::block(i.n, size, r).size);
            first.push_back(first.back() + counts.back());
        }
        auto const total = first.back();
        std::vector<std::vector<number>> kept;
        kept.reserve(3);
        auto const fill = [&](std::span<number> to, int rank, std::size_t from) {
            for (std::size_t k = 0; k < to.size(); ++k) { to[k] = value(rank, call, from + k); }
        };
        auto const open = [&](coll::pending h, std::function<void()> check) {
            open_.push_back({std::move(kept), std::move(h), std::move(check)});
        };
        auto const block_or_open = [&](auto const& block, auto const& start,
                                       std::function<void()> check) {
            if (i.started) { return open(start(), std::move(check)); }
            block();
            check();
        };
        switch (i.what) {
            case 0: {
                auto const in = memory(i, i.n, kept);
                auto const here = i.in_place && (i.counted || me % 2 == 0);  // some or all
                auto const out = here ? in : memory(i, i.n, kept);
                fill(in, me, 0);
                return block_or_open(
                    [&] { comm_.all_reduce(in, out, coll::sum{}, how); },
                    [&] { return comm_.start_all_reduce(in, out, coll::sum{}, how); },
                    [=] {
                        for (std::size_t k = 0; k < i.n; ++k) { expect(out[k] == sum(k), call, i); }
                    });
            }
            case 1: {
                auto const in = memory(i, i.n, kept);
                auto const out = i.in_place ? in : memory(i, i.n, kept);
                fill(in, me, 0);
                return block_or_open(
                    [&] { comm_.reduce(in, out, coll::sum{}, root, how); },
                    [&] { return comm_.start_reduce(in, out, coll::sum{}, root, how); },
                    [=] {
                        for (std::size_t k = 0; k < i.n && me == root; ++k) {
                            expect(out[k] == sum(k), call, i);
                        }
                    });
            }
            case 2: {
                auto const data = memory(i, i.n, kept);
                if (me == root) { fill(data, root, 0); }
                return block_or_open([&] { comm_.broadcast(data, root, how); },
                                     [&] { return comm_.start_broadcast(data, root, how); },
                                     [=] {
                                         for (std::size_t k = 0; k < i.n; ++k) {
                                             expect(data[k] == value(root, call, k), call, i);
                                         }
                                     });
            }
            case 3: {
                auto const in = memory(i, total, kept);
                auto const out = i.in_place ? in.subspan(first[mine], counts[mine])
                                            : memory(i, counts[mine], kept);
                fill(in, me, 0);
                open(i.counted ? comm_.start_reduce_scatter(in, out, counts, coll::sum{}, how)
                               : comm_.start_reduce_scatter(in, out, coll::sum{}, how),
                     [=] {
                         for (std::size_t k = 0; k < out.size(); ++k) {
                             expect(out[k] == sum(first[mine] + k), call, i);
                         }
                     });
                return;
            }
            case 4:
            case 5: {
                auto const sees = i.what == 4 || me == root;
                auto const out = memory(i, total, kept);
                auto const in = i.in_place && sees ? out.subspan(first[mine], counts[mine])
                                                   : memory(i, counts[mine], kept);
                fill(in, me, first[mine]);
                auto pending = i.what == 4
                                   ? (i.counted ? comm_.start_all_gather(in, out, counts, how)
                                                : comm_.start_all_gather(in, out, how))
                                   : (i.counted ? comm_.start_gather(in, out, counts, root, how)
                                                : comm_.start_gather(in, out, root, how));
                open(std::move(pending), [=] {
                    for (int r = 0; r < size && sees; ++r) {
                        auto const block = static_cast<std::size_t>(r);
                        for (auto k = first[block]; k < first[block + 1]; ++k) {
                            expect(out[k] == value(r, call, k), call, i);
                        }
                    }
                });
                return;
            }
            case 6: {
                auto const in = memory(i, total, kept);
                auto const out = i.in_place && me == root ? in.subspan(first[mine], counts[mine])
                                                          : memory(i, counts[mine], kept);
                if (me == root) { fill(in, root, 0); }
                open(i.counted ? comm_.start_scatter(in, out, counts, root, how)
                               : comm_.start_scatter(in, out, root, how),
                     [=] {
                         for (std::size_t k = 0; k < out.size(); ++k) {
                             expect(out[k] == value(root, call, first[mine] + k), call, i);
                         }
                     });
                return;
            }
            case 7: {
                auto const m = i.n / static_cast<std::size_t>(size);
                auto const all = m * static_cast<std::size_t>(size);
                auto const in = memory(i, all, kept);
                auto const out = i.in_place ? in : memory(i, all, kept);
                fill(in, me, 0);
                open(comm_.start_all_to_all(in, out, how), [=] {
                    for (std::size_t k = 0; k < all; ++k) {
                        auto const from = static_cast<int>(k / m);
                        expect(out[k] == value(from, call, mine * m + k % m), call, i);
                    }
                });
                return;
            }
            case 8: return fold_in_parts(i, call);
            case 9: {
                auto const in = memory(i, i.n, kept);
                auto const out = i.in_place ? in : memory(i, i.n, kept);
                fill(in, me, 0);
                auto const ranks = i.counted ? me : me + 1;
                open(i.counted ? comm_.start_exscan(in, out, coll::sum{}, how)
                               : comm_.start_scan(in, out, coll::sum{}, how),
                     [=] {
                         for (std::size_t k = 0; k < i.n && ranks > 0; ++k) {
                             expect(out[k] == sum_of(ranks, k), call, i);
                         }
                     });
                return;
            }
            default: return fuse(i, call, how);
        }
    }

    /// An operator that does not commute, on the ranks of a split: blocking.
    void fold_in_parts(instruction const& i, std::size_t call) {
        auto const size = comm_.size(), me = comm_.rank();
        auto part = comm_.split(me % 2, -me);
        std::vector<affine> data(i.n % 100 + 1);
        auto const of = [call](int r) {
            return affine{static_cast<std::uint32_t>(2 * r + 3), static_cast<std::uint32_t>(call)};
        };
        for (auto& x : data) { x = of(me); }
        part.all_reduce(data, then, {.timeout = time_});
        std::vector<int> members;
        for (int r = size - 1; r >= 0; --r) {
            if (r % 2 == me % 2) { members.push_back(r); }
        }
        auto expected = of(members.front());
        for (std::size_t k = 1; k < members.size(); ++k) {
            expected = then(expected, of(members[k]));
        }
        for (auto const& x : data) { expect(x == expected, call, i); }
    }
    /// Tensors of two types that share buckets or not, started in their order or by priority:
    /// blocking.
    void fuse(instruction const& i, std::size_t call, coll::options const& how) {
        auto const size = comm_.size();
        std::vector<std::vector<number>> tensors(i.n % 5 + 1);
        std::vector<std::uint32_t> ones(i.n % 300, 1);
        coll::fusion_buffer fusion(comm_, {.threshold = i.counted ? 0 : 4 * i.n,
                                           .algorithm = how.algorithm,
                                           .segment = how.segment,
                                           .timeout = how.timeout,
                                           .under_way = i.started ? 2U : 64U,
                                           .priorities = i.in_place});
        for (std::size_t t = 0; t < tensors.size(); ++t) {
            tensors[t].resize(i.n / (t + 1));
            for (std::size_t k = 0; k < tensors[t].size(); ++k) {
                tensors[t][k] = value(comm_.rank(), call, k + t);
            }
            (void)fusion.add(tensors[t], {}, static_cast<int>(t * 3 % 5));
            if (t == 0) { (void)fusion.add(ones); }
        }
        fusion.flush();
        for (std::size_t t = 0; t < tensors.size(); ++t) {
            for (std::size_t k = 0; k < tensors[t].size(); ++k) {
                number sum = 0;
                for (int r = 0; r < size; ++r) { sum += value(r, call, k + t); }
                expect(tensors[t][k] == sum, call, i);
            }
        }
        for (auto const x : ones) { expect(x == static_cast<std::uint32_t>(size), call, i); }
    }

    coll::communicator& comm_;
    coll::timeout time_;
    coll::buffer<number> pool_;
    std::size_t next_ = 0;
    std::vector<call_under_way> open_;
};

}  // namespace random_programs
