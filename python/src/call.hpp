// SPDX-License-Identifier: BSD-3-Clause
// A call with everything that has to live until it is done.
#pragma once

#include "array.hpp"
#include "waiting.hpp"

#include <collectives/communicator.hpp>
#include <collectives/fusion/named_op.hpp>

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string_view>

namespace python {

/// Its address must not change, because the library keeps addresses inside.
struct call {
    call() = default;
    call(call const&) = delete;
    call& operator=(call const&) = delete;
    ~call();

    /// Takes the operator, for elements of the type of `in`.
    void reduce_by(std::string_view op_name);
    /// Throws where `out` holds elements of another type than `in`.
    void require_one_type() const;

    array in, out;
    coll::named_op op;
    coll::reducer reducer;
    coll::detail::call_request request;
    nb::object result = nb::none();
    std::optional<coll::pending> started;
};

/// The library's operator of this name.
coll::named_op operator_of(std::string_view name);
/// The options of a call, from keywords. Throws what is wrong with them.
coll::options options_of(nb::kwargs const& keywords);
/// Seconds, or None for the default.
coll::timeout timeout_of(nb::handle seconds);

/// A handle to a started call: calls with wait=False return it.
class pending_call {
public:
    pending_call(std::shared_ptr<call> of, std::shared_ptr<rank_use> use)
        : call_(std::move(of)), use_(std::move(use)), result_(call_->result) {}
    pending_call(pending_call&&) noexcept = default;
    ~pending_call() {
        if (call_) { use_->drop(std::move(call_)); }
    }

    /// Whether it is done; never waits.
    bool test();
    /// Returns the result once it is there.
    nb::object wait();

private:
    std::shared_ptr<call> call_;  // null: done
    std::shared_ptr<rank_use> use_;
    nb::object result_;
};

void bind_calls(nb::module_& m);

}  // namespace python
