// SPDX-License-Identifier: BSD-3-Clause
// How a call waits: without the GIL, one thread of a rank at a time, until a signal's handler
// raises.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/error.hpp>

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>
#include <vector>

namespace python {

namespace coll = collectives;
namespace nb = nanobind;

/// From now on signals are looked at while a rank waits in calls of `comm` and of those split off.
void look_at_signals(coll::communicator& comm);
/// Raises what a signal's handler raised during a wait, if one did.
void raise_from_signal();
/// After a wait that cannot raise: the signal comes again.
void repeat_signal();

/// Calls f() without the GIL. What a signal's handler raises goes before what f throws.
template <class F>
void without_gil(F&& f) {
    try {
        nb::gil_scoped_release const others_run;
        f();
    } catch (...) {
        raise_from_signal();
        throw;
    }
    raise_from_signal();
}

/// What all communicators of a rank share: whether a thread is inside one, and what is to be let go
/// of when none is. All of it needs the GIL.
class rank_use {
public:
    /// A thread's stay. Throws usage_error if another thread is there.
    class stay {
    public:
        explicit stay(rank_use& of) : of_(of) {
            if (of.inside_) {
                throw coll::usage_error(
                    "another thread, or the call that a signal has interrupted, uses this rank's "
                    "communicators; one at a time may");
            }
            of.inside_ = true;
            if (!of.dropped_.empty()) { of.clear(); }
        }
        stay(stay const&) = delete;
        stay& operator=(stay const&) = delete;
        ~stay() { of_.inside_ = false; }

    private:
        rank_use& of_;
    };

    /// Destroys it, which may take a wait; if another thread is inside, later.
    void drop(std::shared_ptr<void> what) {
        dropped_.push_back(std::move(what));
        if (inside_) { return; }
        inside_ = true;
        clear();
        inside_ = false;
    }

private:
    void clear() {
        auto const all = std::exchange(dropped_, {});
        for (auto const& one : all) { static_cast<void>(one); }
    }

    bool inside_ = false;
    std::vector<std::shared_ptr<void>> dropped_;
};

}  // namespace python
