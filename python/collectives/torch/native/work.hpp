// SPDX-License-Identifier: BSD-3-Clause
// A call under way: what torch holds as a Work.
#pragma once

#include "errors.hpp"
#include "job.hpp"

#include <collectives/communicator/pending.hpp>
#include <collectives/run/wait_report.hpp>
#include <collectives/run/waiter.hpp>

#include <ATen/ThreadLocalState.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace collectives_torch {

using future_pointer = c10::intrusive_ptr<c10::ivalue::Future>;

/// Sleeps until a peer may have done something that makes `ready()` true, or `most` has passed.
/// Several threads of a rank may sleep in memory; elsewhere one, which has the rank's lock.
template <class Ready>
void doze(seat& at, Ready&& ready, std::chrono::nanoseconds most) {
    if (at.shared->carrier->memory() != nullptr) { return at.shared->carrier->doze(ready, most); }
    auto const held = at.shared->work->lock->take();
    at.shared->doze(ready, most);
}

/// Remembers, in a handler of exceptions, that a call failed after it had begun.
inline void note_failure(seat& at) {
    try {
        throw;
    } catch (coll::usage_error const&) {  // found before anything was sent
    } catch (coll::error const&) { at.has_failed = true; } catch (...) {
    }
}

/// Calls `done` until it is true or the time has come; sleeps in between. Returns whether it became
/// true.
template <class Done>
bool wait_until(seat& at, coll::steady::time_point until, Done const& done) {
    coll::detail::waiter patience(at.shared->core_per_rank);
    for (bool is = done();; is = done()) {
        if (is) { return true; }
        if (patience.pause() != coll::detail::waiter::advice::sleep) { continue; }
        auto const now = coll::steady::now();
        if (now >= until) { return false; }
        doze(
            at, [&] { return is = done(); },
            std::min<std::chrono::nanoseconds>(coll::detail::look_interval, until - now));
        if (is) { return true; }
        patience.reset();
    }
}

class work;

/// What a call is made of.
struct call_parts {
    work* of = nullptr;  ///< null: its caller waits for it, nothing stays under way or is kept
    std::vector<coll::pending> under_way;
    std::function<bool()> before;                   ///< true once `under_way` is complete
    std::function<void()> after;                    ///< puts results where they belong
    std::vector<std::shared_ptr<void const>> kept;  ///< what the others refer to
};

/// Any thread may move it on by `step`: the group's progress thread, and whoever waits for it.
class work final : public c10d::Work {
public:
    work(int rank, c10d::OpType what, char const* title,
         std::optional<std::vector<at::Tensor>> const& inputs, std::vector<at::Tensor> outputs,
         std::shared_ptr<seat> at, std::string const& group, std::uint64_t sequence)
        : Work(rank, what, title, inputs),
          outputs_(std::move(outputs)),
          at_(std::move(at)),
          group_(group),
          sequence_(sequence) {}

    /// What it has to do. Once.
    void begin(call_parts parts) { parts_ = std::move(parts); }
    /// Keeps the caller's thread-local state for what comes after, on another thread.
    void remember_caller() { caller_.emplace(); }
    /// Does what can be done without waiting. Returns true once the call has ended.
    bool step() {
        std::unique_lock const lock(stepping_, std::try_to_lock);
        return lock.owns_lock() ? advance(false) : has_ended();
    }
    bool has_ended() const { return ended_.load(std::memory_order_acquire); }
    /// Waits to the end of the call. Does not throw.
    void finish_inline() {
        std::lock_guard const lock(stepping_);
        advance(true);
    }
    /// Tells those who wait for the future and for torch's own Work. After the end, once.
    void announce() {
        if (announced_.exchange(true)) { return; }
        if (seal()) { complete(*asked_for_); }
        finish(failure_);
    }
    /// Closes the call to late futures, after its end: who asks from now on gets one that is
    /// complete. Returns whether somebody has asked earlier; `announce` then completes that one.
    bool seal() {
        std::lock_guard const lock(mutex_of_future_);
        if (!is_sealed_) { asked_for_ = future_; }
        is_sealed_ = true;
        return asked_for_ != nullptr;
    }
    void rethrow_failure() const {
        if (failure_) { std::rethrow_exception(failure_); }
    }

    bool isCompleted() override { return has_ended(); }
    bool isSuccess() const override { return has_ended() && !failure_; }
    std::exception_ptr exception() const override { return has_ended() ? failure_ : nullptr; }
    int sourceRank() const override { return source_.load(); }
    std::vector<at::Tensor> result() override { return outputs_; }
    void synchronize() override {}
    std::uint64_t getSequencenumber() const override { return sequence_; }
    bool wait(std::chrono::milliseconds time) override;
    void abort() override {
        TORCH_CHECK(false, "collectives: abort the group, a call alone cannot be aborted");
    }
    future_pointer getFuture() override {
        std::lock_guard const lock(mutex_of_future_);
        if (!future_) {
            future_ = c10::make_intrusive<c10::ivalue::Future>(
                c10::ListType::create(c10::TensorType::get()));
            if (is_sealed_) { complete(*future_); }
        }
        return future_;
    }

    void set_source(int rank) { source_ = rank; }
    /// For `call_parts::before`: what it has started.
    void go_on_with(coll::pending next) { parts_.under_way.push_back(std::move(next)); }
    /// How many threads wait for it: the progress thread leaves it to them.
    std::atomic<int> waiters{0};

private:
    bool advance(bool blocks) {
        if (has_ended()) { return true; }
        try {
            if (!has_begun(blocks)) { return false; }
            while (!parts_.under_way.empty()) {
                auto& next = parts_.under_way.back();
                if (blocks) {
                    next.wait();
                } else if (!next.test()) {
                    return false;
                }
                parts_.under_way.pop_back();
            }
            finish_results();
        } catch (...) {
            note_failure(*at_);
            end(failure_as_torch(group_));
            return true;
        }
        end(nullptr);
        return true;
    }
    bool has_begun(bool blocks) {
        auto& before = parts_.before;
        if (before) {
            if (blocks) {
                wait_until(*at_, coll::steady::time_point::max(), before);
            } else if (!before()) {
                return false;
            }
            before = nullptr;
        }
        return true;
    }
    void finish_results() {
        if (!parts_.after) { return; }
        if (caller_) {
            at::ThreadLocalStateGuard const as_caller(*caller_);
            parts_.after();
        } else {
            parts_.after();
        }
    }
    void end(std::exception_ptr failure) {
        failure_ = std::move(failure);
        parts_ = {};
        ended_.store(true, std::memory_order_release);
    }
    void complete(c10::ivalue::Future& future) const {
        if (failure_) {
            future.setError(failure_);
        } else {
            future.markCompleted(c10::IValue(outputs_));
        }
    }

    std::vector<at::Tensor> outputs_;
    std::shared_ptr<seat> at_;
    std::string const group_;
    std::uint64_t sequence_;
    std::mutex stepping_;
    call_parts parts_;
    std::optional<at::ThreadLocalState> caller_;
    std::atomic<int> source_{-1};
    std::exception_ptr failure_;
    std::atomic<bool> ended_{false}, announced_{false};
    std::mutex mutex_of_future_;
    bool is_sealed_ = false;
    future_pointer future_, asked_for_;
};

inline bool work::wait(std::chrono::milliseconds time) {
    waiters.fetch_add(1);
    bool in_time = true;
    if (time == kNoTimeout) {
        finish_inline();
    } else {
        in_time = wait_until(*at_, coll::steady::now() + time, [this] { return step(); });
    }
    waiters.fetch_sub(1);
    if (!in_time) {
        C10_THROW_ERROR(DistBackendError,
                        coll::text_of("collectives, group ", group_, ": rank ", rank_, ", call ",
                                      sequence_, " (", c10d::opTypeToString(opType_),
                                      "): Timed out after ", time.count(), " ms of waiting"));
    }
    announce();
    rethrow_failure();
    return true;
}

}  // namespace collectives_torch
