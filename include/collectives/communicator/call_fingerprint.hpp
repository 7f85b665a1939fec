// SPDX-License-Identifier: BSD-3-Clause
// The part of a call that must be equal on all ranks.
#pragma once

#include <collectives/communicator/call_request.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/schedule/any_algorithm.hpp>

#include <cstdint>
#include <string_view>

namespace collectives::inline v0::detail {

/// Whether not every rank knows the whole count: gather and scatter without counts.
inline bool blocks_vary(call_request const& r) {
    return is_rooted(r.shape.what) && has_blocks(r.shape.what) && r.shape.counts.empty() &&
           r.shape.size > 1;
}

inline fingerprint fingerprint_of(call_request const& r, any_algorithm chosen) {
    auto const& s = r.shape;
    fingerprint f;
    f.what = r.reported_as;
    f.count = blocks_vary(r) ? 0 : s.count;
    for (auto const n : s.counts) { f.counts = mix(f.counts + 1, n); }
    if (r.reported_as != s.what) { f.count = r.reported_count; }
    if (!s.recv_counts.empty()) { f.count = f.counts = 0; }  // each rank has its own
    f.type = r.type;
    f.op = r.op == nullptr ? 0 : r.op->fingerprint;
    auto const its_name = name(chosen);
    f.algorithm = hash_text(its_name);
    f.segment = r.how.segment;
    f.root = is_rooted(s.what) ? s.root : 0;
    f.reproducible = r.how.reproducible;
    f.type_name = r.type_name;
    f.op_name = r.op == nullptr ? std::string_view("none") : r.op->op_name;
    f.algorithm_name = std::string_view(its_name);
    return f;
}

}  // namespace collectives::detail
