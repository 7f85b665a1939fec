// SPDX-License-Identifier: BSD-3-Clause
// One call of a collective against what it must give.
#pragma once

#include <conformance/call.hpp>
#include <conformance/elements.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace conformance {

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

/// Calls part(begin, elements, how many) for what a rank gets: `begin` is an index of its output.
template <class Part>
void each_expected(setup const& s, int size, int rank, coll::extent out, Part&& part) {
    auto const all_to_all = s.what == coll::collective::all_to_all;
    if (all_to_all || s.what == coll::collective::all_gather ||
        s.what == coll::collective::gather) {
        for (int r = 0; out.size != 0 && r < size; ++r) {
            auto const b = coll::block(s.count, size, r);
            auto const from = all_to_all ? coll::block(s.count, size, rank).first : b.first;
            part(b.first, contributions(s.salt, r, from), b.size);
        }
    } else if (coll::reduces(s.what)) {
        part(0, totals(s.salt, coll::reduced_ranks(s.what, size, rank), out.first), out.size);
    } else {
        part(0, contributions(s.salt, s.root, out.first), out.size);
    }
}

template <class T>
void write_expected(setup const& s, int size, int rank, coll::extent out, T* to) {
    each_expected(s, size, rank, out, [to](std::size_t begin, progression const& p, std::size_t n) {
        write(p, n, to + begin);
    });
}

/// A rank's buffers for calls of up to `most` elements, private and allocated.
template <class T>
class arena {
public:
    static constexpr std::size_t margin = 4;  // guards on either side

    arena(coll::communicator& comm, std::size_t most)
        : most_(most + 2 * margin),
          own_{std::vector<T>(most_), std::vector<T>(most_)},
          shared_(comm.allocate<T>(2 * most_)) {}

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
        progression const guards{0xa5a5a5a5a5a5a5a5ULL, 0};
        auto const guard = linear<T>::from(guards.first);
        write(guards, v.out.size + 2, out - 1);
        auto const given = contributions(s.salt, rank, v.in.first);
        write(given, v.in.size, in);
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
        each_expected(
            s, size, rank, v.out, [&](std::size_t begin, progression const& p, std::size_t n) {
                auto const wrong = first_wrong(p, n, out + begin);
                expect(wrong == n, [&] {
                    return s.text(size, rank) + ": element " + std::to_string(begin + wrong);
                });
            });
        if (in_place && v.in.size > v.out.size) { return; }
        expect(out[-1] == guard && out[v.out.size] == guard,
               [&] { return s.text(size, rank) + ": wrote beyond its output"; });
        expect(in_place || first_wrong(given, v.in.size, in) == v.in.size,
               [&] { return s.text(size, rank) + ": its input was written to"; });
    }

private:
    std::size_t most_;
    std::array<std::vector<T>, 2> own_;
    coll::buffer<T> shared_;
};

}  // namespace conformance
