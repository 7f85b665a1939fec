// SPDX-License-Identifier: BSD-3-Clause
#include "call.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/core/text.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

namespace python {

call::~call() {
    if (!started && !planned) { return; }
    {
        nb::gil_scoped_release const others_run;
        started.reset();  // waits
        planned.reset();  // likewise
    }
    repeat_signal();
}

void call::reduce_by(nb::handle given) {
    op = operator_of(given, &in.type());
    reducer = in.type().reducer_of(op);
}

void call::require_one_type() const {
    if (in.type().id == out.type().id) { return; }
    throw coll::usage_error(coll::text_of("x has elements of type ",
                                          std::string_view(in.of().numpy_name), ", and out of ",
                                          std::string_view(out.of().numpy_name)));
}

coll::timeout timeout_of(nb::handle seconds) {
    if (seconds.is_none()) { return {}; }
    double value = 0;
    if (!nb::try_cast(seconds, value) || std::isnan(value) || value < 0) {
        throw coll::usage_error("timeout is a number of seconds, not below 0");
    }
    return std::chrono::duration<double>(std::min(value, 1e10));
}

namespace {

/// An option's value as a T; else UsageError says what it must be.
template <class T>
T option_of(nb::handle given, char const* what_it_is) {
    T value{};
    if (!nb::try_cast(given, value)) { throw coll::usage_error(what_it_is); }
    return value;
}

coll::progress_by progress_of(nb::handle given) {
    if (given.is_none()) { return coll::progress_by::own_calls; }
    std::string_view name;
    if (nb::try_cast(given, name) && name == "background") { return coll::background; }
    throw coll::usage_error("progress is 'background' or None");
}

}  // namespace

coll::options options_of(nb::kwargs const& keywords) {
    coll::options how;
    if (keywords.size() == 0) { return how; }
    for (auto const& [key, value] : keywords) {
        auto const name = nb::cast<std::string_view>(key);
        if (name == "algorithm") {
            if (!value.is_none()) {
                how.algorithm = coll::parse_algorithm(
                    option_of<std::string_view>(value, "algorithm is the name of an algorithm"));
            }
        } else if (name == "segment") {
            if (!value.is_none()) {
                how.segment = option_of<std::size_t>(
                    value, "segment is a whole number of bytes, not below 0");
            }
        } else if (name == "reproducible") {
            how.reproducible = option_of<bool>(value, "reproducible is True or False");
        } else if (name == "timeout") {
            how.timeout = timeout_of(value);
        } else if (name == "progress") {
            how.progress = progress_of(value);
        } else {
            throw nb::type_error(coll::text_of("there is no option '", name,
                                               "'; the options are algorithm, segment, "
                                               "reproducible, timeout and progress")
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

void persistent_call::start() {
    rank_use::stay const inside(*use_);
    without_gil([&] { call_->planned->start(); });
}

bool persistent_call::test() {
    rank_use::stay const inside(*use_);
    bool done = false;
    without_gil([&] { done = call_->planned->test(); });
    return done;
}

nb::object persistent_call::wait() {
    rank_use::stay const inside(*use_);
    without_gil([&] { call_->planned->wait(); });
    return call_->result;
}

nb::object persistent_call::run() {
    rank_use::stay const inside(*use_);
    without_gil([&] {
        call_->planned->start();
        call_->planned->wait();
    });
    return call_->result;
}

void bind_calls(nb::module_& m) {
    auto const test = "Whether it is done; never waits. Raises what the blocking call would raise.";
    nb::class_<pending_call>(
        m, "Pending", "A started call. Holds its arrays until it is done; dropped, it waits.")
        .def("test", &pending_call::test, test)
        .def("wait", &pending_call::wait,
             "Waits, and returns what the blocking call returns. Raises what it would raise.");
    nb::class_<persistent_call>(
        m, "Persistent",
        "A call that was planned once and can be started any number of times.\n\n"
        "Holds its arrays, and its communicator. All ranks plan it and start it at the same\n"
        "places among their other calls. Each start overwrites the result of the one before.\n"
        "Dropped, it waits.")
        .def(
            "start", &persistent_call::start,
            "Begins the call with what its arrays hold now. Until it is done they belong to it.\n\n"
            "Raises UsageError if the call is under way, and what the blocking call would raise.")
        .def("test", &persistent_call::test, test)
        .def("wait", &persistent_call::wait,
             "Waits, and returns what the blocking call returns. Raises what it would raise.")
        .def("__call__", &persistent_call::run, "start(), then wait().");
}

}  // namespace python
