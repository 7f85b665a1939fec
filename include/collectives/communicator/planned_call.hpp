// SPDX-License-Identifier: BSD-3-Clause
// A call that is started again and again.
#pragma once

#include <collectives/communicator/call_request.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/run/program.hpp>
#include <collectives/run/unsized_operation.hpp>

#include <utility>

namespace collectives::inline v0::detail {

struct planned_call {
    planned_call(call_request const& r, shared_pointer<void const> keep)
        : request(r), kept(std::move(keep)) {}

    call_request request;
    shared_pointer<void const> kept;  // what the request points to
    shared_pointer<program> made;     // null: each start must hear the whole count first
    unsized_operation run;
    bool under_way = false;
};

}  // namespace collectives::detail
