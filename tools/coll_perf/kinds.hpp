// SPDX-License-Identifier: BSD-3-Clause
// What is measured: a collective in one of its forms, messages, or the making of communicators.
#pragma once

#include <collectives/core/types.hpp>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace coll_perf {

namespace coll = collectives;

inline coll::collective collective_of(std::string_view name) {
    for (auto const what : coll::scheduled_collectives) {
        if (coll::name(what) == name) { return what; }
    }
    throw std::runtime_error("there is no collective \"" + std::string(name) + "\"");
}

/// Whether the vector is cut into blocks, one per rank. Its elements are then made a multiple of
/// the ranks, which MPI asks for.
inline bool cuts_blocks(coll::collective what) {
    using enum coll::collective;
    return what == all_gather || what == reduce_scatter || what == gather || what == scatter ||
           what == all_to_all;
}

enum class form {
    call,        ///< a blocking call
    counts,      ///< a blocking call with counts: NAME_v
    started,     ///< start, work, wait: start_NAME
    planned,     ///< planned once, started and waited for again and again: plan_NAME
    exchange,    ///< to the next rank and from the one before
    ping_pong,   ///< there and back between ranks 0 and 1
    one_way,     ///< many messages from rank 0 to rank 1
    both_ways,   ///< many messages each way
    fusion,      ///< many vectors, through a fusion buffer
    split,       ///< a communicator of all ranks
    split_half,  ///< two communicators
    shrink,      ///< of a communicator that has lost no rank
    creation     ///< the communicator that everything runs on
};

/// What has no collective in its name.
struct named_form {
    std::string_view name;
    form how;
    bool sized = true;  ///< a vector belongs to it
    int parts = 1;      ///< of which one call has so many: messages of one size
};
inline constexpr int window = 64;  ///< messages under way at once, as in the OSU benchmarks
inline constexpr std::array other_forms{named_form{"send_recv", form::exchange},
                                        named_form{"send_latency", form::ping_pong, true, 2},
                                        named_form{"send_bandwidth", form::one_way, true, window},
                                        named_form{"send_both_ways", form::both_ways, true, window},
                                        named_form{"fusion", form::fusion},
                                        named_form{"split", form::split, false},
                                        named_form{"split_half", form::split_half, false},
                                        named_form{"shrink", form::shrink, false},
                                        named_form{"creation", form::creation, false}};

/// `all_reduce`, `start_all_reduce`, `plan_all_reduce`, `all_gather_v`, `send_recv`, ...
struct kind {
    form how = form::call;
    coll::collective like = coll::collective::all_reduce;  ///< whose vectors it has
    int parts = 1;

    static kind of(std::string_view name) {
        for (auto const& f : other_forms) {
            if (f.name != name) { continue; }
            auto const like = !f.sized                ? coll::collective::barrier
                              : f.how == form::fusion ? coll::collective::all_reduce
                                                      : coll::collective::broadcast;
            return {f.how, like, f.parts};
        }
        auto const stem = [&](std::size_t first, std::size_t last) {
            return collective_of(name.substr(first, name.size() - first - last));
        };
        if (name.starts_with("start_")) { return {form::started, stem(6, 0)}; }
        if (name.starts_with("plan_")) { return {form::planned, stem(5, 0)}; }
        if (name.ends_with("_v") && cuts_blocks(stem(0, 2))) { return {form::counts, stem(0, 2)}; }
        return {form::call, collective_of(name)};
    }

    /// Messages between ranks, each of the whole vector.
    bool is_message() const { return how >= form::exchange && how <= form::both_ways; }
    bool reduces() const { return !is_message() && coll::reduces(like); }
    bool is_rooted() const { return !is_message() && coll::is_rooted(like); }
    bool is_sized() const { return like != coll::collective::barrier; }
    /// A sample is one call, however short.
    bool is_single() const { return how >= form::fusion; }
    /// An algorithm of the library's carries it out.
    bool has_algorithm() const { return how <= form::planned || how == form::fusion; }
    /// It has a form whose output is its input.
    bool may_be_in_place() const { return how <= form::planned && is_sized(); }
    bool only_in_place() const {
        return how == form::fusion || (!is_message() && like == coll::collective::broadcast);
    }
    /// The rank whose vector a message brings to `rank`; -1 where none comes.
    int sender_to(int rank, int ranks) const {
        switch (how) {
            case form::exchange: return (rank + ranks - 1) % ranks;
            case form::ping_pong:
            case form::both_ways: return rank < 2 ? 1 - rank : -1;
            case form::one_way: return rank == 1 ? 0 : -1;
            default: return -1;
        }
    }
};

}  // namespace coll_perf
