// SPDX-License-Identifier: BSD-3-Clause
// A call that is started again and again.
#pragma once

#include <collectives/communicator/call_request.hpp>
#include <collectives/run/program.hpp>
#include <collectives/run/unsized_operation.hpp>

#include <memory>
#include <utility>

namespace collectives::inline v0::detail {

struct planned_call {
    planned_call(call_request const& r, std::shared_ptr<void const> keep)
        : request(r), kept(std::move(keep)) {}

    call_request request;
    std::shared_ptr<void const> kept;  // what the request points to
    std::shared_ptr<program> made;     // null: each start must hear the whole count first
    unsized_operation run;
    bool under_way = false;
};

}  // namespace collectives::detail
