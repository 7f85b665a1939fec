// SPDX-License-Identifier: BSD-3-Clause
#include "call.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/core/text.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

namespace python {

call::~call() {
    if (!started) { return; }
    {
        nb::gil_scoped_release const others_run;
        started.reset();  // waits
    }
    repeat_signal();
}

void call::reduce_by(std::string_view op_name) {
    op = operator_of(op_name);
    reducer = in.type().reducer_of(op);
}

void call::require_one_type() const {
    if (in.type().id == out.type().id) { return; }
    throw coll::usage_error(coll::text_of("x has elements of type ",
                                          std::string_view(in.of().numpy_name), ", and out of ",
                                          std::string_view(out.of().numpy_name)));
}

coll::named_op operator_of(std::string_view name) {
    using entry = std::pair<std::string_view, coll::named_op>;
    static std::array<entry, 10> const all{{{"sum", coll::sum{}},
                                            {"max", coll::max{}},
                                            {"min", coll::min{}},
                                            {"average", coll::average{}},
                                            {"product", coll::product{}},
                                            {"bit_and", coll::bit_and{}},
                                            {"bit_or", coll::bit_or{}},
                                            {"bit_xor", coll::bit_xor{}},
                                            {"logical_and", coll::logical_and{}},
                                            {"logical_or", coll::logical_or{}}}};
    std::string known;
    for (auto const& [known_name, op] : all) {
        if (known_name == name) { return op; }
        known += coll::text_of(known.empty() ? "" : ", ", known_name);
    }
    throw coll::usage_error(
        coll::text_of("there is no operator '", name, "'; the operators are ", known));
}

coll::timeout timeout_of(nb::handle seconds) {
    if (seconds.is_none()) { return {}; }
    double value = 0;
    if (!nb::try_cast(seconds, value) || std::isnan(value) || value < 0) {
        throw coll::usage_error("timeout is a number of seconds, not below 0");
    }
    return std::chrono::duration<double>(std::min(value, 1e10));
}

coll::options options_of(nb::kwargs const& keywords) {
    coll::options how;
    if (keywords.size() == 0) { return how; }
    for (auto const& [key, value] : keywords) {
        auto const name = nb::cast<std::string_view>(key);
        if (name == "algorithm") {
            if (!value.is_none()) {
                how.algorithm = coll::parse_algorithm(nb::cast<std::string_view>(value));
            }
        } else if (name == "segment") {
            if (!value.is_none()) { how.segment = nb::cast<std::size_t>(value); }
        } else if (name == "reproducible") {
            how.reproducible = nb::cast<bool>(value);
        } else if (name == "timeout") {
            how.timeout = timeout_of(value);
        } else {
            throw nb::type_error(coll::text_of("there is no option '", name,
                                               "'; the options are algorithm, segment, "
                                               "reproducible and timeout")
                                     .c_str());
        }
    }
    return how;
}

bool pending_call::test() {
    if (!call_) { return true; }
    rank_use::stay const inside(*use_);
    bool done = false;
    without_gil([&] { done = call_->started->test(); });
    if (done) { call_.reset(); }
    return done;
}

nb::object pending_call::wait() {
    if (!call_) { return result_; }
    rank_use::stay const inside(*use_);
    auto const mine = std::move(call_);
    without_gil([&] { mine->started->wait(); });
    return result_;
}

void bind_calls(nb::module_& m) {
    nb::class_<pending_call>(m, "Pending")
        .def("test", &pending_call::test, "Whether it is done; never waits.")
        .def("wait", &pending_call::wait,
             "Waits, and returns what the blocking call returns. Raises what it would raise.");
}

}  // namespace python
