// SPDX-License-Identifier: BSD-3-Clause
// Measures one case on one rank. Ours and the peers' drivers run this very text.
#pragma once

#include "sample_board.hpp"
#include "copies.hpp"
#include "model.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>

namespace coll_perf {

using timer = std::chrono::steady_clock;

inline double seconds_since(timer::time_point start) {
    return std::chrono::duration<double>(timer::now() - start).count();
}

/// What stands in this memory is moved on from call to call where a measurement is to be cold.
inline constexpr std::size_t larger_than_caches = std::size_t{128} << 20;

/// Two vectors per slot; with `cold` so many slots that no cache holds them all.
class slots {
public:
    slots(settings const& how, measured_case const& c)
        : stride_((std::max<std::size_t>(how.offset + c.bytes(), 1) + 4095) / 4096 * 4096),
          offset_(how.offset),
          count_(how.cold ? std::max<std::size_t>(larger_than_caches / (2 * stride_), 2) : 1) {}

    std::size_t bytes() const { return 2 * stride_ * count_; }
    std::size_t count() const { return count_; }
    std::byte* vector(std::byte* memory, std::size_t slot, int which) const {
        return memory + stride_ * (2 * slot + static_cast<std::size_t>(which)) + offset_;
    }

private:
    std::size_t stride_;
    std::size_t offset_;
    std::size_t count_;
};

/// Vectors that lie where the host fills and looks at them, and the copies to compare with.
struct host_place {
    void filled(std::byte const*, std::size_t) const {}
    void fetch(std::byte*, std::size_t) const {}
    void copy(std::byte* to, std::byte const* from, std::size_t bytes) const {
        plain_copy(to, from, bytes);
    }
    void other_copy(std::byte* to, std::byte const* from, std::size_t bytes) const {
        copy_past_cache(to, from, bytes);
    }
};

/// `call(in, in_count, out, out_count)` makes one call on this rank; before each sample of one call
/// it may `prepare`; it may bring a `loop` to time beside it. Ranks meet on a `board`, or on what
/// has its functions. `memory` holds what `slots` asks for; where the vectors lie elsewhere it is
/// the host's copy, and `place` carries over what has been `filled`, `fetch`es what is looked at,
/// and copies there.
template <class Meeting, class Call, class Place = host_place>
class sampling {
public:
    sampling(Meeting& meeting, int rank, settings const& how, measured_case const& c,
             model const& m, std::byte* memory, Call call, Place place = {})
        : meeting_(meeting),
          rank_(rank),
          how_(how),
          case_(c),
          what_(kind::of(c.collective)),
          model_(m),
          memory_(memory),
          slots_(how, c),
          shape_(shape::of(what_, c.count, c.in_place, rank, how.ranks, c.root)),
          call_(call),
          place_(place) {}

    /// Complete on rank 0.
    case_result run(std::size_t index) {
        for (std::size_t s = 0; s < slots_.count(); ++s) { fill(s); }
        iterations_ = agree_on_iterations();
        for (int i = 0; i < iterations_; ++i) {
            if (how_.controls) { time_controls(i); }
            time_loop(i);
            if (how_.touch) { touch(); }
            prepare();
            record(
                figure::sample, i, [&] { call_batch(); }, case_.batch * what_.parts);
        }
        case_result r;
        r.index = index;
        r.wrong = how_.check ? check() : 0;
        r.pinned = static_cast<int>(meeting_.sum(rank_, on_one_core() ? 1 : 0));
        meeting_.collect();
        if (rank_ == 0) {
            auto const read = [&](figure f, std::vector<double>& list) {
                for (int i = 0; i < iterations_; ++i) {
                    list.push_back(slowest(meeting_, f, i) * 1e9);
                }
            };
            read(figure::sample, r.samples);
            for (int rank = 0; rank < how_.ranks; ++rank) {
                r.ranks.push_back(mean(meeting_, figure::sample, rank, iterations_) * 1e9);
            }
            if (how_.controls) {
                read(figure::copy, r.copies);
                read(figure::copy_past_cache, r.copies_past_cache);
                read(figure::round_trip, r.round_trips);
            }
            if (has_loop()) { read(figure::loop, r.loops); }
        }
        meeting_.meet();  // the next case overwrites the times
        return r;
    }

    /// The samples that the ranks agreed on.
    int iterations() const { return iterations_; }
    /// Starts the call, if it is one that starts.
    auto start() {
        return call_.start(at(shape_.in, 0), shape_.in.count, at(shape_.out, 0), shape_.out.count);
    }

private:
    std::byte* at(shape::part const& p, std::size_t slot) const {
        return slots_.vector(memory_, slot, p.vector) + p.first * case_.element;
    }
    void fill(std::size_t slot) {
        // What is no input holds neither zeros nor anything that is right by accident.
        std::memset(slots_.vector(memory_, slot, 0), 0xa5, case_.bytes());
        std::memset(slots_.vector(memory_, slot, 1), 0xa5, case_.bytes());
        fill_input(slot);
        for (int which : {0, 1}) {
            place_.filled(slots_.vector(memory_, slot, which), case_.bytes());
        }
    }
    void fill_input(std::size_t slot) {
        bool const rooted_input =
            !what_.is_message() &&
            (what_.like == coll::collective::broadcast || what_.like == coll::collective::scatter);
        if (!rooted_input || rank_ == case_.root) {
            model_.fill(at(shape_.in, slot), shape_.in.count, rank_);
        }
    }
    /// What programs do between two calls: they read the last one's result and write what goes
    /// into the next.
    void touch() {
        auto const* const result = at(shape_.out, next_);
        auto const bytes = shape_.has_result ? shape_.out.count * case_.element : 0;
        place_.fetch(at(shape_.out, next_), bytes);
        std::byte all{};
        for (std::size_t i = 0; i < bytes; ++i) { all ^= result[i]; }
        read_ = all;
        fill_input(next_);
        place_.filled(at(shape_.in, next_), shape_.in.count * case_.element);
    }
    void call_once() {
        call_(at(shape_.in, next_), shape_.in.count, at(shape_.out, next_), shape_.out.count);
        if (++next_ == slots_.count()) { next_ = 0; }
    }
    void prepare() {
        if constexpr (requires { call_.prepare(); }) { call_.prepare(); }
    }
    void call_batch() {
        for (int k = 0; k < case_.batch; ++k) { call_once(); }
    }

    /// Rank 0 alone decides, since ranks that counted differently would wait for each other.
    int agree_on_iterations() {
        double last = 0;
        for (int w = 0; w < how_.warmup; ++w) {
            auto const start = timer::now();
            if (how_.controls && w + 1 == how_.warmup) { time_controls(0); }
            if (how_.touch) { touch(); }
            prepare();
            call_batch();
            last = seconds_since(start);
        }
        double n = how_.iterations;
        if (how_.budget > 0 && last > 0) { n = std::clamp(how_.budget / last, std::min(5., n), n); }
        return static_cast<int>(meeting_.agree(rank_, static_cast<std::uint64_t>(n)));
    }

    template <class Work>
    void record(figure f, int iteration, Work const& work, int calls) {
        meeting_.meet();
        auto const start = timer::now();
        work();
        meeting_.time(f, rank_, iteration) = seconds_since(start) / calls;
    }

    /// Whether the call brings a `loop` that sends its messages without it.
    bool has_loop() const {
        if constexpr (requires { call_.has_loop(); }) { return call_.has_loop(); }
        return false;
    }
    /// Then a batch that is not timed, as after the other controls.
    void time_loop(int i) {
        if constexpr (requires { call_.loop(); }) {
            if (!has_loop()) { return; }
            auto const calls = case_.batch;
            record(
                figure::loop, i,
                [&] {
                    for (int k = 0; k < calls; ++k) { call_.loop(); }
                },
                calls * what_.parts);
            meeting_.meet();
            prepare();
            call_batch();
        }
    }

    /// Each rank copies as many bytes at the same time; then a cache line goes to and fro. Cold
    /// copies keep away from the slot that the next call uses. Ends with calls that are not timed,
    /// so that the caches are as they are between calls.
    void time_controls(int i) {
        auto const slot = (next_ + slots_.count() / 2) % slots_.count();
        auto* const from = slots_.vector(memory_, slot, 0);
        auto* const to = slots_.vector(memory_, slot, 1);
        auto const bytes = case_.bytes();
        auto const repeat = [&](auto const& copy) {
            for (int k = 0; k < case_.batch; ++k) { copy(to, from, bytes); }
        };
        record(
            figure::copy_past_cache, i,
            [&] { repeat([&](auto... a) { place_.other_copy(a...); }); }, case_.batch);
        if (!how_.cold) { place_.copy(to, from, bytes); }
        record(
            figure::copy, i, [&] { repeat([&](auto... a) { place_.copy(a...); }); }, case_.batch);
        auto const turns = meeting_.core_per_rank() ? 200 : 20;
        record(
            figure::round_trip, i, [&] { meeting_.exchange_line(rank_, turns); }, turns);
        if (how_.cold) { return; }
        meeting_.meet();
        prepare();
        call_batch();
    }

    /// One more call, from fresh inputs.
    std::size_t check() {
        next_ = 0;
        fill(0);
        meeting_.meet();
        prepare();
        call_once();
        std::size_t wrong = 0;
        if (shape_.has_result && what_.is_sized()) {
            auto const root = what_.is_message() ? what_.sender_to(rank_, how_.ranks) : case_.root;
            place_.fetch(at(shape_.out, 0), shape_.out.count * case_.element);
            wrong = model_.count_wrong(at(shape_.out, 0), shape_.out.count, what_.like, rank_,
                                       how_.ranks, root, case_.count);
        }
        return meeting_.sum(rank_, wrong);
    }

    Meeting& meeting_;
    int rank_;
    settings how_;
    measured_case case_;
    kind what_;
    model model_;
    std::byte* memory_;
    slots slots_;
    shape shape_;
    Call call_;
    Place place_;
    std::size_t next_ = 0;
    int iterations_ = 0;
    std::byte volatile read_{};  // by `touch`, which must not be left out
};

}  // namespace coll_perf
