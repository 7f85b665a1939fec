// SPDX-License-Identifier: BSD-3-Clause
// On which processors a rank runs. It needs no library, so that the peers' drivers can use it.
#pragma once

#include "../collrun/binding.hpp"

#include <collectives/core/processors.hpp>

#include <charconv>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace coll_perf {

/// Adds what a list of the system says, as "0-3,8"; false where it is none.
inline bool read_processors(std::string const& list, collectives::processor_set& all) {
    auto const* at = list.data();
    auto const* const end = at + list.size();
    while (at != end) {
        std::size_t first = 0;
        auto read = std::from_chars(at, end, first);
        if (read.ec != std::errc{}) { return false; }
        auto last = first;
        if (read.ptr != end && *read.ptr == '-') {
            read = std::from_chars(read.ptr + 1, end, last);
        }
        if (read.ec != std::errc{} || last >= all.most) { return false; }
        for (auto i = first; i <= last; ++i) { all.add(i); }
        if (read.ptr != end && *read.ptr != ',') { return false; }
        at = read.ptr == end ? end : read.ptr + 1;
    }
    return !list.empty();
}

/// Whether this thread may use processors of one core alone.
inline bool on_one_core() {
    auto const mine = collectives::processor_set::of(0);
    if (mine.count() < 2) { return mine.count() == 1; }
    std::size_t first = 0;
    while (!mine.has(first)) { ++first; }
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(first) +
                       "/topology/thread_siblings_list");
    std::string list;
    collectives::processor_set core;
    return std::getline(file, list) && read_processors(list, core) && core.has(mine);
}

/// As "0-3,8" is read.
inline std::string text_of(collectives::processor_set const& processors) {
    std::string text;
    for (std::size_t i = 0; i < processors.most; ++i) {
        if (!processors.has(i)) { continue; }
        if (!text.empty()) { text += ','; }
        text += std::to_string(i);
    }
    return text;
}

/// Binds this thread to the place of its rank, if ranks have places. Throws where that is refused.
inline void bind_rank(std::vector<binding::place> const& places, int rank) {
    if (places.empty()) { return; }
    auto const& mine = places.at(static_cast<std::size_t>(rank));
    if (!binding::bind_to(mine)) {
        throw std::runtime_error("rank " + std::to_string(rank) + " cannot be bound to " +
                                 mine.name);
    }
}

}  // namespace coll_perf
