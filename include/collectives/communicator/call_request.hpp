// SPDX-License-Identifier: BSD-3-Clause
// A call without its types.
#pragma once

#include <collectives/communicator/arguments.hpp>
#include <collectives/communicator/options.hpp>
#include <collectives/core/type_name.hpp>
#include <collectives/lower/call_shape.hpp>
#include <collectives/space/reducer.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collectives::inline v0::detail {

/// What one rank asked for, without its types.
struct call_request {
    call_request() {}  // not constexpr, else g++ clears all of it first, by an instruction that
                       // takes as long as a cache line between two cores

    lowering::call_shape shape;
    std::uint64_t type = 0;
    std::string_view type_name;
    void const* in = nullptr;
    void* out = nullptr;
    reducer const* op = nullptr;
    options how;
    collective reported_as{};        // its name in messages, if not shape.what (split)
    std::size_t reported_count = 0;  // the count of `reported_as`, if not shape.count (allocate)
};

/// A send, which only reads the data, or a receive, without its type.
struct pair_call {
    collective what;
    element_type of;
    memory_span data;
    rank_t peer;
    int tag;
    options const& how;
};

}  // namespace collectives::detail
