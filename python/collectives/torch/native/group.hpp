// SPDX-License-Identifier: BSD-3-Clause
// What all calls of a group need: its ranks' communicator, its numbers, and how a call is carried
// out.
#pragma once

#include "pool.hpp"
#include "progress.hpp"
#include "shared_tensor.hpp"
#include "tensors.hpp"

#include <collectives/communicator/core.hpp>
#include <collectives/communicator/options.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/run/unsized_operation.hpp>

#include <ATen/record_function.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <pybind11/pybind11.h>

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives_torch {

/// How a call is named: by torch, and in the titles that its profiler shows.
struct call_name {
    c10d::OpType what;
    char const* title;

    bool is_message() const {
        using enum c10d::OpType;
        return what == SEND || what == RECV || what == RECVANYSOURCE;
    }
};

class group {
public:
    group(place where, std::string backend, std::string name, std::chrono::milliseconds time)
        : at_(std::move(where.at)),
          core_(std::move(where.core)),
          backend_(std::move(backend)),
          name_(std::move(name)),
          time_(time) {
        pool::of_this_process().open(at_, size());
    }
    group(group const&) = delete;
    group& operator=(group const&) = delete;
    /// Calls that are under way have a moment to end.
    ~group() {
        if (::getpid() != process_) {  // a child that this process forked is no rank
            new std::shared_ptr(std::move(progress_));
            new core_pointer(std::move(core_));
            new std::shared_ptr(std::move(at_));
            return;
        }
        std::optional<pybind11::gil_scoped_release> others_run;
        if (Py_IsInitialized() != 0 && PyGILState_Check() != 0) { others_run.emplace(); }
        close();
        pool::of_this_process().close(at_);
        core_.reset();
    }

    int rank() const { return core_->engine().rank(); }
    int size() const { return core_->engine().size(); }
    std::string const& name() const { return name_; }
    seat& at() { return *at_; }
    coll::detail::communicator_core& core() { return *core_; }
    at::Tensor shared_tensor(std::int64_t count, at::TensorOptions const& options) const {
        return collectives_torch::shared_tensor(at_, count, options);
    }
    coll::detail::request_maker make() const { return core_->make(); }
    std::chrono::milliseconds time() const { return time_.load(); }
    void set_time(std::chrono::milliseconds time) { time_ = time; }
    /// Calls of all ranks: in its debug mode torch compares the numbers of the ranks.
    std::uint64_t collectives() const { return collectives_.load(); }
    void rename(std::string name) { name_ = std::move(name); }

    /// The time of a call, where it has one of its own.
    std::chrono::milliseconds time_or(std::chrono::milliseconds given) const {
        return given == c10d::kUnsetTimeout || given == kNoTimeout ? time() : given;
    }
    coll::options options_for(std::chrono::milliseconds given) const {
        static bool const reproducible = [] {
            auto const* const asked = std::getenv("COLLECTIVES_REPRODUCIBLE");
            return asked != nullptr && std::string_view(asked) == "1";
        }();
        coll::options how;
        how.timeout = time_or(given);
        how.reproducible = reproducible;
        return how;
    }

    /// Starts a collective for a call; where its caller waits, carries it out at once.
    void carry_out(call_parts& parts, coll::detail::call_request const& r) {
        if (parts.of == nullptr) { return core_->run(r); }
        parts.under_way.emplace_back(core_, core_->start_operation<coll::detail::operation>(r),
                                     coll::shared_pointer<void const>());
    }
    coll::pending start_pair(coll::collective what, coll::memory_span data, int peer, int tag) {
        auto const bytes = coll::detail::element_type_of<std::byte>();
        return {
            core_, core_->start_pair({what, bytes, data, peer, tag, options_for(kNoTimeout)}), {}};
    }

    /// A call: `fill` says what it is made of, and starts it, or carries it out where it blocks. In
    /// the order of the calls on all ranks. A call that blocks has no Work, as with torch's own
    /// backends, unless the profiler or the registry of calls in flight asks for one.
    template <class Fill>
    c10::intrusive_ptr<c10d::Work> call(call_name what, at::TensorList inputs,
                                        at::TensorList outputs, bool is_async, Fill const& fill) {
        require_open(!is_closed_.load(), what);
        auto const number = (what.is_message() ? messages_ : collectives_).fetch_add(1) + 1;
        auto const is_profiled =
            at::getStepCallbacksUnlessEmpty(at::RecordScope::USER_SCOPE).has_value();
        work_pointer result;
        bool is_moved = true;
        if (is_async || is_profiled || c10d::allow_inflight_collective_as_graph_input()) {
            result = new_work(what, inputs, outputs, is_profiled, number);
        }
        try {
            call_parts parts;
            if (is_async) { parts.of = result.get(); }
            fill(parts);
            if (is_async) {
                result->begin(std::move(parts));
                result->remember_caller();
                is_moved = progress_->hand_over(result);
            }
        } catch (...) {
            note_failure(*at_);
            rethrow_as_torch(name_);
        }
        require_open(is_moved, what);
        if (!is_async && result) {
            result->finish_inline();
            result->announce();
        }
        return result;
    }

    /// Ends all that is under way, on all ranks, with an error.
    void abort(std::string_view why) {
        if (!was_aborted_.exchange(true)) { core_->abort(why); }
    }
    /// No call comes any more. Those under way have a moment to end; then they are aborted.
    void close() {
        if (is_closed_.exchange(true)) { return; }
        if (!progress_->drain(std::chrono::seconds(5))) {
            abort("the group was shut down while calls were under way");
        }
        progress_->stop();
    }

private:
    void require_open(bool is_open, call_name what) const {
        TORCH_CHECK_WITH(DistBackendError, is_open, "collectives, group ", name_, ": rank ", rank(),
                         ", ", what.title, ": the group has been shut down");
    }
    work_pointer new_work(call_name what, at::TensorList inputs, at::TensorList outputs,
                          bool is_profiled, std::uint64_t number) const {
        auto const title = is_profiled ? backend_ + ":" + what.title : std::string();
        auto const shown = is_profiled ? std::optional(inputs.vec()) : std::nullopt;
        return c10::make_intrusive<work>(rank(), what.what, is_profiled ? title.c_str() : nullptr,
                                         shown, outputs.vec(), at_, name_, number);
    }

    std::shared_ptr<seat> at_;
    core_pointer core_;
    std::string const backend_;
    std::string name_;
    std::atomic<std::chrono::milliseconds> time_;
    std::atomic<std::uint64_t> collectives_{0}, messages_{0};
    std::atomic<bool> is_closed_{false}, was_aborted_{false};
    pid_t process_ = ::getpid();
    std::shared_ptr<progress> progress_ = std::make_shared<progress>(at_);
};

}  // namespace collectives_torch
