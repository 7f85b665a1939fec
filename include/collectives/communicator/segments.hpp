// SPDX-License-Identifier: BSD-3-Clause
// Chooses the number and the length of a vector's segments if the caller does not.
#pragma once

#include <collectives/communicator/call_fingerprint.hpp>
#include <collectives/communicator/program_cache.hpp>
#include <collectives/core/text.hpp>
#include <collectives/schedule/any_algorithm.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::detail {

/// How vectors move from rank to rank on a communicator.
enum class way_of_data : std::uint8_t { by_messages, in_memory, on_device };

/// The bytes of a segment of a vector; 0: one segment. In memory that peers reach, at most half of
/// a core's own cache: what a rank has staged or added up is still there when it, or a peer, reads
/// it again. Over messages, four segments side by side: while one waits for an answer, the others
/// use the link, or add up within a host. One segment if all ranks send to one peer in this round
/// and to another in the next: segments in different rounds would share links unevenly, and all
/// ranks wait for those that are served late.
inline std::size_t best_segment(std::size_t bytes, any_algorithm by, int size, way_of_data how) {
    constexpr auto kilo = std::size_t{1024};
    if (how == way_of_data::on_device) { return 0; }
    if (how == way_of_data::in_memory) { return 256 * kilo; }
    auto const one_peer = size == 2 || by.hints().overlap_segments;
    return one_peer ? std::clamp((bytes + 3) / 4, 256 * kilo, 4096 * kilo) : 0;
}

/// The number of segments of a call's vector under algorithm `by`. `refuse(why)` throws if there
/// would be too many.
template <class Refuse>
int segments_of(call_request const& r, any_algorithm by, way_of_data way, Refuse&& refuse) {
    auto const& s = r.shape;
    auto const chosen = r.how.segment == chosen_segment;
    auto const segment =
        chosen ? best_segment(s.count * s.elem_size, by, s.size, way) : r.how.segment;
    if (segment == 0 || s.count == 0 || s.size == 1 || blocks_vary(r) || !s.recv_counts.empty()) {
        return 1;
    }
    auto const elements = std::max<std::size_t>(segment / s.elem_size, 1);
    auto const segments = (s.count + elements - 1) / elements;
    auto const whole = !has_blocks(s.what);
    auto const most = whole ? std::size_t{524287} : std::size_t{4096};
    // Segments of blocks have a plan each.
    if (chosen) { return static_cast<int>(std::min(segments, whole ? most : 64)); }
    if (segments > most) {
        refuse("a segment of ", r.how.segment, " bytes cuts the vector into ", segments,
               " parts; the most is ", most);
    }
    return static_cast<int>(segments);
}

}  // namespace collectives::detail
