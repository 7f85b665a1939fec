// SPDX-License-Identifier: BSD-3-Clause
// One call of a collective against what it must give. Elements are linear in a 64-bit number, so
// that sums over ranks need no loop over ranks and large vectors stay cheap.
#pragma once

#include <conformance/call.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace conformance {

/// An unsigned number of N bytes and no alignment, with `add` as its operator.
template <std::size_t N>
struct word {
    std::array<std::uint8_t, N> bytes;
    friend bool operator==(word const&, word const&) = default;
};

template <class T>
struct linear {  // the unsigned integers
    static T from(std::uint64_t x) { return static_cast<T>(x); }
    static constexpr coll::sum op{};
};
template <std::size_t N>
struct linear<word<N>> {
    static constexpr std::size_t low = N < 8 ? N : 8;
    static word<N> from(std::uint64_t x) {
        word<N> w{};
        for (std::size_t i = 0; i < low; ++i) {
            w.bytes[i] = static_cast<std::uint8_t>(x >> (8 * i));
        }
        for (auto i = low; i < N; ++i) { w.bytes[i] = w.bytes[i - low]; }
        return w;
    }
    static std::uint64_t number(word<N> const& w) {
        std::uint64_t x = 0;
        for (std::size_t i = 0; i < low; ++i) { x |= std::uint64_t{w.bytes[i]} << (8 * i); }
        return x;
    }
    struct add {
        word<N> operator()(word<N> const& a, word<N> const& b) const {
            return from(number(a) + number(b));
        }
    };
    static constexpr auto op = coll::commutative(add{});
};

/// Contribution of a rank at global index i of call `salt`, and the sum over all ranks.
constexpr std::uint64_t contribution(std::uint64_t salt, int rank, std::size_t i) {
    auto const r = static_cast<std::uint64_t>(rank);
    return (i * 0x9e3779b97f4a7c15ULL + salt) * (r + 1) + r * 0x2545f4914f6cdd1dULL;
}
constexpr std::uint64_t total(std::uint64_t salt, int size, std::size_t i) {
    auto const p = static_cast<std::uint64_t>(size);
    return (i * 0x9e3779b97f4a7c15ULL + salt) * (p * (p + 1) / 2) +
           p * (p - 1) / 2 * 0x2545f4914f6cdd1dULL;
}

enum class memory { own, allocated, mixed };

struct setup {
    coll::collective what{};
    coll::options how;
    std::size_t count = 0;
    int root = 0;
    bool in_place = false;
    memory where = memory::own;
    bool started = false;
    std::uint64_t salt = 0;

    std::string text(int size, int rank) const {
        return std::string(coll::name(what)) + " " + std::string(how.algorithm.name()) + ", rank " +
               std::to_string(rank) + " of " + std::to_string(size) + ", " + std::to_string(count) +
               " elements, root " + std::to_string(root) +
               (in_place ? ", in place" : ", out of place") + ", memory " +
               std::to_string(static_cast<int>(where)) + (started ? ", started" : "") +
               ", segment " + std::to_string(how.segment);
    }
};

/// What a rank passes and gets: elements [first, first + size) of the whole; nothing if size is 0.
struct view {
    coll::extent in, out;
};
inline view view_of(setup const& s, int size, int rank) {
    coll::extent const whole{0, s.count}, none{};
    auto const own = coll::block(s.count, size, rank);
    auto const at_root = rank == s.root;
    switch (s.what) {
        using enum coll::collective;
        case reduce_scatter: return {whole, own};
        case all_gather: return {own, whole};
        case reduce: return {whole, at_root ? whole : none};
        case gather: return {own, at_root ? whole : none};
        case scatter: return {at_root ? whole : none, own};
        case exscan: return {whole, rank == 0 ? none : whole};
        case barrier: return {none, none};
        default: return {whole, whole};
    }
}

template <class T>
void write_expected(setup const& s, int size, int rank, coll::extent out, T* to) {
    auto const blocks = s.what == coll::collective::all_gather ||
                        s.what == coll::collective::gather ||
                        s.what == coll::collective::all_to_all;
    for (int r = 0; blocks && out.size != 0 && r < size; ++r) {
        auto const b = coll::block(s.count, size, r);
        auto const from = s.what == coll::collective::all_to_all
                              ? coll::block(s.count, size, rank).first
                              : b.first;
        for (std::size_t i = 0; i < b.size; ++i) {
            to[b.first + i] = linear<T>::from(contribution(s.salt, r, from + i));
        }
    }
    for (std::size_t i = 0; !blocks && i < out.size; ++i) {
        auto const g = out.first + i;
        to[i] = linear<T>::from(coll::reduces(s.what)
                                    ? total(s.salt, coll::reduced_ranks(s.what, size, rank), g)
                                    : contribution(s.salt, s.root, g));
    }
}

/// A rank's buffers for calls of up to `most` elements, private and allocated.
template <class T>
class arena {
public:
    static constexpr std::size_t margin = 4;  // guards on either side

    arena(coll::communicator& comm, std::size_t most)
        : most_(most + 2 * margin),
          own_{std::vector<T>(most_), std::vector<T>(most_)},
          shared_(comm.allocate<T>(2 * most_)),
          expected_(most_) {}

    /// Runs one call on this rank and checks its result, its input, and what lies around both.
    void run(coll::communicator& comm, setup const& s) {
        auto const size = comm.size();
        auto const rank = comm.rank();
        auto const v = view_of(s, size, rank);
        auto const seed = scramble(s.salt * 31 + static_cast<std::uint64_t>(rank));
        auto const place = [&](int which) {
            auto const allocated =
                s.where == memory::allocated || (s.where == memory::mixed && (seed >> which & 1));
            auto* const start = allocated ? shared_.data() + static_cast<std::size_t>(which) * most_
                                          : own_[static_cast<std::size_t>(which)].data();
            return start + 1 + (seed >> 8) % 3;
        };
        auto const in_place = (s.in_place && v.in.size != 0 && v.out.size != 0) ||
                              s.what == coll::collective::broadcast;
        auto* in = place(0);
        auto* out = place(1);
        if (in_place && v.in.size >= v.out.size) {
            out = in + (v.out.first - v.in.first);
        } else if (in_place) {
            in = out + (v.in.first - v.out.first);
        }
        auto const guard = linear<T>::from(0xa5a5a5a5a5a5a5a5ULL);
        std::fill_n(out - 1, v.out.size + 2, guard);
        for (std::size_t i = 0; i < v.in.size; ++i) {
            in[i] = linear<T>::from(contribution(s.salt, rank, v.in.first + i));
        }
        // An output that the call does not look at may have any size: that of a rank that is not
        // the root, or of rank 0 in an exscan.
        auto const exscans = s.what == coll::collective::exscan && rank == 0;
        auto const unseen = rank != s.root || exscans ? seed >> 16 & 1 : 0;
        auto const scatters = s.what == coll::collective::scatter;
        auto const collects =
            s.what == coll::collective::gather || s.what == coll::collective::reduce || exscans;
        std::span<T const> const from(in, v.in.size + (scatters ? unseen : 0));
        std::span<T> const to(out, v.out.size + (collects ? unseen : 0));
        if (s.started) {
            start(comm, s.what, from, to, linear<T>::op, s.root, s.how).wait();
        } else {
            call(comm, s.what, from, to, linear<T>::op, s.root, s.how);
        }
        write_expected(s, size, rank, v.out, expected_.data());
        for (std::size_t i = 0; i < v.out.size; ++i) {
            expect(out[i] == expected_[i],
                   [&] { return s.text(size, rank) + ": element " + std::to_string(i); });
        }
        if (in_place && v.in.size > v.out.size) { return; }
        expect(out[-1] == guard && out[v.out.size] == guard,
               [&] { return s.text(size, rank) + ": wrote beyond its output"; });
        for (std::size_t i = 0; !in_place && i < v.in.size; ++i) {
            expect(in[i] == linear<T>::from(contribution(s.salt, rank, v.in.first + i)),
                   [&] { return s.text(size, rank) + ": its input was written to"; });
        }
    }

private:
    std::size_t most_;
    std::array<std::vector<T>, 2> own_;
    coll::buffer<T> shared_;
    std::vector<T> expected_;
};

}  // namespace conformance
