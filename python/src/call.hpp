// SPDX-License-Identifier: BSD-3-Clause
// A call with everything that has to live until it is done.
#pragma once

#include "array.hpp"
#include "waiting.hpp"

#include <collectives/communicator.hpp>
#include <collectives/communicator/persistent.hpp>
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
    void reduce_by(nb::handle given);
    /// Holds `given`, or for None the array that `make` makes, for the result.
    template <class Make>
    void hold_out(nb::handle given, Make const& make) {
        result = given.is_none() ? make() : nb::borrow(given);
        out.hold(result, "out", array::access::write);
        require_one_type();
    }
    /// Throws where `out` holds elements of another type than `in`.
    void require_one_type() const;

    array in, out;
    coll::named_op op;
    coll::reducer reducer;
    coll::detail::call_request request;
    nb::object result = nb::none();
    std::optional<coll::pending> started;
    std::optional<coll::persistent> planned;
};

/// The library's operator of this name, or a collectives.premultiplied_sum, for elements of type
/// `of`; null: of any. Throws usage_error.
coll::named_op operator_of(nb::handle given, coll::fused_type const* of = nullptr);
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

/// A handle to a planned call: the plan_ forms return it.
class persistent_call {
public:
    persistent_call(std::shared_ptr<call> of, std::shared_ptr<rank_use> use)
        : call_(std::move(of)), use_(std::move(use)) {}
    persistent_call(persistent_call&&) noexcept = default;
    ~persistent_call() {
        if (call_) { use_->drop(std::move(call_)); }
    }

    /// Begins the call with what its arrays hold now.
    void start();
    /// Whether it is done, or not under way; never waits.
    bool test();
    /// Returns the result once it is there.
    nb::object wait();
    /// Starts it and waits.
    nb::object run();

private:
    std::shared_ptr<call> call_;
    std::shared_ptr<rank_use> use_;
};

void bind_calls(nb::module_& m);

}  // namespace python
