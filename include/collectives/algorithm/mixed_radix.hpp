// SPDX-License-Identifier: BSD-3-Clause
// mixed_radix: ranks are numbers with one digit per prime factor of P; two_shot along each digit.
//
//     round   rank 0    rank 1   rank 2   rank 3         P = 4 = 2 x 2; of chunks a, b, c, d each
//             abcd      abcd     abcd     abcd           rank answers for those shown
//       0     ab 0+1    cd 0+1   ab 2+3   cd 2+3         last digit: 0 with 1, 2 with 3
//       1     a  S      c  S     b  S     d  S           first digit: 0 with 2, 1 with 3
//      2-3    all-gather: the same rounds backwards, copying
//
//     rounds         2 D, D prime factors; f-1 messages of each rank in the round of a factor f
//     busiest sends  2 n (P-1)/P, as all do: the lower bound; it adds n (P-1)/P, the lower bound
//     memory         at most n
//     operator       associative; the order of the ranks is kept
//
// Digits are taken from the least significant, smallest factor first, and each round sums in digit
// order: so sums are over consecutive ranks, bracketed alike for every chunk. Chunk numbers have
// the digits reversed, which keeps what a rank answers for one range. For P = 2^k it is halving,
// for a prime P two_shot. Direct exchange per dimension as on a torus or in BCube; Kolmakov, Zhang,
// A Generalization of the Allreduce Operation, arXiv 2004.09362.
#pragma once

#include <collectives/schedule/proof.hpp>
#include <collectives/schedule/step.hpp>

#include <string_view>
#include <type_traits>

namespace collectives::inline v0 {

struct mixed_radix {
    static constexpr std::string_view name = "mixed_radix";
    static constexpr int chunks(int size) { return size; }
    /// With a prime number of ranks there is one round of sums.
    static constexpr detail::sum_order sums(std::type_identity<mixed_radix>, collective, int size) {
        return rounds(size) <= 1 ? detail::sum_order::left_fold : detail::sum_order::consecutive;
    }

    [[gnu::cold]] static constexpr rank_t owner(int chunk, int size) {
        rank_t result = 0;
        for (digit d(0, size); d.radix > 1; d = d.next()) {
            int const part = size / (d.stride * d.radix);
            result += chunk / part * d.stride;
            chunk %= part;
        }
        return result;
    }

    /// Of each half: the prime factors of `size`.
    [[gnu::cold]] static constexpr int rounds(int size) {
        int result = 0;
        for (digit d(0, size); d.radix > 1; d = d.next()) { ++result; }
        return result;
    }

    [[gnu::cold]] static constexpr void reduce_scatter(rank_t me, int size, step_sink auto&& emit) {
        int first = 0;
        int round = 0;
        for (digit d(me, size); d.radix > 1; d = d.next(), ++round) {
            int const part = size / (d.stride * d.radix);
            for (int i = 0; i < d.radix; ++i) {
                if (i != d.value) {
                    emit(step{round, verb::send, d.peer(i), {first + i * part, part}});
                }
            }
            first += d.value * part;
            for (int i = 0; i < d.radix; ++i) {
                if (i != d.value) {
                    emit(step{round, verb::recv_reduce, d.peer(i), {first, part}});
                }
            }
        }
    }

    [[gnu::cold]] static constexpr void all_gather(rank_t me, int size, step_sink auto&& emit) {
        int const digits = rounds(size);
        int first = 0;
        for (digit d(me, size); d.radix > 1; d = d.next()) {
            first += d.value * (size / (d.stride * d.radix));
        }
        for (int round = 0; round < digits; ++round) {
            digit d(me, size);
            for (int i = 0; i < digits - 1 - round; ++i) { d = d.next(); }
            int const part = size / (d.stride * d.radix);
            for (int i = 0; i < d.radix; ++i) {
                if (i != d.value) { emit(step{round, verb::send, d.peer(i), {first, part}}); }
            }
            first -= d.value * part;
            for (int i = 0; i < d.radix; ++i) {
                if (i == d.value) { continue; }
                emit(step{round, verb::recv_copy, d.peer(i), {first + i * part, part}});
            }
        }
    }

private:
    /// One digit of a rank. Its weight is `stride`; the radices are the prime factors, ascending.
    struct digit {
        rank_t me;
        int rest;  // what is left of the size to factor, this radix included
        int stride;
        int radix;
        int value;

        constexpr digit(rank_t rank, int size) : digit(rank, size, 1, 2) {}

        [[gnu::cold]] constexpr digit(rank_t rank, int left, int weight, int factor)
            : me(rank), rest(left), stride(weight), radix(left), value(0) {
            for (int f = factor; f * f <= left; ++f) {
                if (left % f == 0) {
                    radix = f;
                    break;
                }
            }
            value = rank / stride % radix;
        }

        constexpr digit next() const { return {me, rest / radix, stride * radix, radix}; }
        constexpr rank_t peer(int i) const { return me + (i - value) * stride; }
    };
};

}  // namespace collectives
