// SPDX-License-Identifier: BSD-3-Clause
// Types and operators of your own: one whose order matters, and one that commutes.
#include <collectives/collectives.hpp>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace coll = collectives;

namespace {

/// x -> factor x + offset. Any trivially copyable type may be sent and reduced.
struct affine {
    long factor, offset;
    friend bool operator==(affine const&, affine const&) = default;
};
/// First f, then g. Another order gives another map, so the ranks' order is kept.
constexpr auto then = [](affine const& f, affine const& g) {
    return affine{g.factor * f.factor, g.factor * f.offset + g.offset};
};

/// Number, mean and sum of squared deviations of some samples.
struct moments {
    double number, mean, squares;
};
/// Those of two sets of samples together (Chan, Golub, LeVeque 1979).
constexpr auto together = [](moments const& a, moments const& b) {
    double const n = a.number + b.number;
    double const apart = b.mean - a.mean;
    return moments{n, a.mean + apart * b.number / n,
                   a.squares + b.squares + apart * apart * a.number * b.number / n};
};

}  // namespace

int main() {
    coll::threads::run(5, [](coll::communicator& comm) {
        int const me = comm.rank();

        // Rank r maps x to 2 x + r. An operator of your own is taken as one whose order matters.
        std::vector<affine> maps(3, affine{2, me});
        comm.all_reduce(maps, then);
        affine const wanted{32, 26};  // ((((2x + 0) 2 + 1) 2 + 2) 2 + 3) 2 + 4
        if (maps != std::vector(3, wanted)) { throw std::runtime_error("a wrong composition"); }

        // The ring breaks the order; asking for it with such an operator is refused, not ignored.
        bool refused = false;
        try {
            comm.all_reduce(maps, then, {.algorithm = coll::ring{}});
        } catch (coll::usage_error const& e) {
            refused = true;
            if (me == 0) { std::printf("refused: %s\n", e.what()); }
        }
        if (!refused) { throw std::runtime_error("the ring took an operator it cannot have"); }

        // Ten samples on each rank, 0 to 49 in all. This operator commutes, so it may say so.
        moments samples{0, 0, 0};
        for (int i = 0; i < 10; ++i) {
            double const x = 10 * me + i;
            samples = i == 0 ? moments{1, x, 0} : together(samples, moments{1, x, 0});
        }
        std::vector<moments> all{samples};
        comm.all_reduce(all, coll::commutative(together), {.algorithm = coll::ring{}});
        double const variance = all[0].squares / all[0].number;
        if (std::abs(all[0].mean - 24.5) > 1e-12 || std::abs(variance - 208.25) > 1e-9) {
            throw std::runtime_error("wrong moments");
        }
        if (me == 0) {
            std::printf("the five maps in a row: x -> %ld x + %ld\n", maps[0].factor,
                        maps[0].offset);
            std::printf("%g samples of five ranks: mean %g, variance %g\n", all[0].number,
                        all[0].mean, variance);
        }
    });
}
