// SPDX-License-Identifier: BSD-3-Clause
// What all peers share: coll_perf's own sampling, around another library's calls.
#pragma once

#include "../overlap.hpp"
#include "../sampling.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coll_perf::foreign {

/// The types and operators that all peers know.
template <class Visit>
bool visit_type(std::string_view name, Visit const& visit) {
    auto const is = [&]<class T>(std::string_view type, T) {
        if (type == name) { visit(T{}); }
        return type == name;
    };
    return is("float", 0.0F) || is("double", 0.0) || is("int32", std::int32_t{}) ||
           is("int64", std::int64_t{}) || is("int8", std::int8_t{}) || is("uint8", std::uint8_t{});
}

template <class Visit>
bool visit_operator(std::string_view name, Visit const& visit) {
    auto const is = [&](auto op) {
        if (op.name == name) { visit(op); }
        return op.name == name;
    };
    return is(coll::sum{}) || is(coll::product{}) || is(coll::min{}) || is(coll::max{});
}

inline std::optional<model> find_model(measured_case const& c) {
    std::optional<model> found;
    visit_type(c.type, [&]<class T>(T) {
        visit_operator(c.op, [&]<class Op>(Op) { found = model_of<T, Op>(); });
    });
    return found;
}

/// Measures all cases on this rank. `find(case)` gives a function (in, in_count, out, out_count),
/// or an empty one where the peer has no such call. `tell` takes rank 0's results as lines.
template <class Meeting, class Find, class Tell>
void measure(Meeting& meeting, int rank, settings const& how,
             std::vector<measured_case> const& cases, Find const& find, Tell const& tell) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
        auto const& c = cases[i];
        auto const known = find_model(c);
        if (!known) { continue; }
        auto const call = find(c);
        if (!call) { continue; }
        private_memory own(slots(how, c).bytes());
        sampling one(meeting, rank, how, c, *known, own.data(), call);
        auto result = one.run(i);
        if constexpr (requires(std::byte* b) { call.start(b, 0, b, 0); }) {
            if (kind::of(c.collective).how == form::started) {
                result.overlap = measure_overlap(meeting, rank, how, one, result);
            }
        }
        if (rank == 0) { tell(as_text(result)); }
    }
}

}  // namespace coll_perf::foreign
