// SPDX-License-Identifier: BSD-3-Clause
#include "waiting.hpp"

#include <collectives/communicator/core.hpp>
#include <collectives/run/flight_recorder.hpp>

namespace python {

namespace {

namespace detail = coll::detail;

struct raised_exception {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
};
raised_exception raised;  // by the handler of a signal; behind the GIL

detail::flight_recorder const* reporter = nullptr;  // what COLLECTIVES_REPORT asks for

/// The library calls it every 20 ms while a rank waits, and breaks the communicator, on all ranks,
/// with what it throws. A thread of the library's own, which Python does not know, moves calls on
/// while the rank's thread may keep the GIL for long, so it must not ask for it.
void look(detail::flight_view const& of, detail::flight_log& log) {
    if (reporter != nullptr) { reporter->record(of, log); }
    if (of.waits == nullptr || PyGILState_GetThisThreadState() == nullptr) { return; }
    nb::gil_scoped_acquire const mine;
    if (raised.type != nullptr || PyErr_CheckSignals() == 0) { return; }
    PyErr_Fetch(&raised.type, &raised.value, &raised.trace);
    throw coll::error("the handler of a signal has raised an exception");
}

constexpr detail::flight_recorder watcher{nullptr, &look};

}  // namespace

void look_at_signals(coll::communicator& comm) {
    auto& recorder = core_of(comm)->engine().shared()->recorder;
    if (recorder == &watcher) { return; }
    if (recorder != nullptr) { reporter = recorder; }
    recorder = &watcher;
}

void raise_from_signal() {
    if (raised.type == nullptr) { return; }
    auto const e = std::exchange(raised, {});
    PyErr_Restore(e.type, e.value, e.trace);
    throw nb::python_error();
}

void repeat_signal() {
    if (raised.type == nullptr) { return; }
    auto const e = std::exchange(raised, {});
    if (PyErr_GivenExceptionMatches(e.type, PyExc_KeyboardInterrupt) != 0) { PyErr_SetInterrupt(); }
    Py_XDECREF(e.type);
    Py_XDECREF(e.value);
    Py_XDECREF(e.trace);
}

}  // namespace python
