// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of a device: a stream of its own, on which everything is enqueued in order, and
// the events by which ranks wait for each other. No kernel ever waits.
#pragma once

#include <collectives/core/device_space.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/cuda/calls.hpp>
#include <collectives/transport/cuda/copy_batch.hpp>
#include <collectives/transport/cuda/event_pool.hpp>
#include <collectives/transport/cuda/order_flags.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

namespace collectives::inline v0::cuda {

/// How the program's kernels are found.
struct kernel_lookup {
    copy_function copy;        // within the device's memory; null: CUDA's own copies
    bool (*bind)(reducer& r);  // see device_space
    pack_function (*pack)(std::uint64_t own, std::uint64_t wire);  // likewise
};

/// Enqueued work waits only for work that was enqueued before it, on any rank. So nothing waits in
/// a circle.
class space final : public device_space {
public:
    space(std::shared_ptr<call_table> with, int device, kernel_lookup const& find)
        : calls_(std::move(with)), events_(*calls_), device_(device), find_(find) {
        on_device const here(*calls_, device_);
        stream_ = calls_->make_stream();
    }
    space(space const&) = delete;
    space& operator=(space const&) = delete;
    ~space() override {
        drain_if_possible();
        try {
            on_device const here(*calls_, device_);
            events_.destroy();
            for (auto const e : opened_) { calls_->destroy_event(e); }
            calls_->destroy_stream(stream_);
            if (mine_ != nullptr) { calls_->give_back_event(device_, shared_, mine_); }
        } catch (transport_error const&) {  // NOLINT: the device has failed, and says so elsewhere
        }
    }

    call_table& calls() const { return *calls_; }
    std::shared_ptr<call_table> const& shared_calls() const { return calls_; }
    int device() const { return device_; }

    /// The event by which peers wait for this rank; `shared` with other processes.
    event make_event(bool shared) {
        on_device const here(*calls_, device_);
        shared_ = shared;
        return mine_ = calls_->borrow_event(device_, shared);
    }
    /// The event of rank r of another process, or of a thread.
    void set_peer(rank_t r, event e, bool opened) {
        auto const i = static_cast<std::size_t>(r);
        if (peers_.size() <= i) { peers_.resize(i + 1); }
        peers_[i] = e;
        if (opened) { opened_.push_back(e); }
    }
    /// What `ordering::memory` needs.
    void set_words(std::unique_ptr<order_flags> w) { flags_ = std::move(w); }
    order_flags& flags() { return *flags_; }
    void order_by(ordering how) {
        how_ = how;
        if (how != ordering::memory) { flags_.reset(); }
    }
    ordering ordered_by() const { return how_; }
    /// `look` finds ranks that have died and releases them. It is called while this waits for
    /// words.
    void look_by(std::function<void()> look) { look_ = std::move(look); }

    int enter() override { return calls_->enter(device_); }
    void leave(int before) override { calls_->leave(device_, before); }
    void begin_thread() override { calls_->use(device_), calls_->begin_thread(); }

    bool bind(reducer& r) const override { return find_.bind(r); }
    pack_function pack_kernel(std::uint64_t own, std::uint64_t wire) const override {
        return find_.pack(own, wire);
    }

    void* queue() override {
        start_copies();
        dirty_ = busy_ = true;
        return stream_;
    }
    void copy(void* to, void const* from, std::size_t bytes) override {
        if (bytes == 0 || to == from) { return; }
        auto const from_host = !is_reachable(from);
        auto const reachable = is_reachable(to) && !from_host;
        auto* const only = static_cast<std::byte*>(to);
        if (find_.copy != nullptr && reachable) { return collect({&only, 1}, from, bytes); }
        start_copies();
        // The driver waits inside this copy, and would wait for ever for a word of a dead peer. It
        // also reads the host's memory at once, although work on the stream may yet write there.
        if (!reachable && (how_ == ordering::memory || (from_host && busy_))) { settle(); }
        dirty_ = busy_ = true;
        calls_->copy(to, from, bytes, stream_);
    }
    void copy_to_all(list_view<std::byte* const> to, void const* from, std::size_t bytes) override {
        if (bytes == 0 || to.empty()) { return; }
        auto const reachable = [this](void const* p) { return is_reachable(p); };
        if (find_.copy == nullptr || !reachable(from) ||
            !std::all_of(to.begin(), to.end(), reachable)) {
            return device_space::copy_to_all(to, from, bytes);
        }
        collect(to, from, bytes);
    }
    void start_copies() override { copies_.start(find_.copy, stream_); }

    bool note() override {
        start_copies();
        if (!dirty_) { return true; }
        if (is_told_by_host()) {
            if (!calls_->idle(stream_)) { return false; }
            busy_ = false;
        } else if (how_ == ordering::events) {
            calls_->record(mine_, stream_);
        } else {
            flags_->note(stream_);
        }
        dirty_ = false;
        return true;
    }
    /// Notes work that waits for no user's stream any more. It is done soon, so this may wait.
    void note_soon() {
        start_copies();
        if (!dirty_ || !is_told_by_host()) { return static_cast<void>(note()); }
        calls_->synchronize(stream_);
        dirty_ = busy_ = false;
    }
    void after(rank_t r) override {
        if (how_ == ordering::host) { return; }
        dirty_ = busy_ = true;
        if (how_ == ordering::memory) { return flags_->after(stream_, r); }
        calls_->wait(stream_, peers_[static_cast<std::size_t>(r)]);
    }
    /// Whether what rank r noted last may still be under way. From any thread, as the next.
    bool has_pending_work(rank_t r) const {
        return (how_ == ordering::events && is_under_way(r)) ||
               (how_ == ordering::memory && flags_->has_pending_work(r));
    }
    /// Rank r has died: what it noted is not waited for.
    void release(rank_t r) const {
        if (how_ == ordering::memory) { flags_->release(r); }
    }
    bool is_released(rank_t r) const override {
        return how_ == ordering::memory && flags_->is_released(r);
    }

    /// Throws usage_error for a stream of another device, or one that captures a graph: other ranks
    /// decide when the work can be enqueued, so it cannot be played again. From any thread.
    void require_followable(stream user) const override {
        on_device const here(*calls_, device_);
        if (calls_->captures(user)) {
            throw usage_error("the stream captures a graph, into which no host-driven call goes");
        }
        if (auto const its = calls_->device_of(user); its != device_) {
            throw_error<usage_error>("the stream is of device ", its, ", not ", device_);
        }
    }
    /// Throws what `require_followable` throws. Work enqueued for an idle rank would make a shared
    /// device change to its context, so nothing is enqueued if the user's stream is idle.
    void follow(stream user) override {
        on_device const here(*calls_, device_);
        require_followable(user);
        if (calls_->idle(user)) { return; }
        auto const e = events_.spare();
        calls_->record(e, user);
        calls_->wait(stream_, e);
        dirty_ = busy_ = true;
    }

    std::uint64_t completion() override {
        start_copies();
        return busy_ ? events_.set(stream_) : events_.passed_completion();
    }
    bool passed(std::uint64_t completion) override { return events_.passed(completion); }
    /// Whether somebody waits for a completion, or to be able to note something.
    bool is_awaited() const { return events_.any() || (dirty_ && is_told_by_host()); }
    void drain() {
        on_device const here(*calls_, device_);
        settle();
        events_.clear();
        // `dirty_` stays: a caller may already hold the queue to enqueue more.
    }

    /// Drains, but does not throw if the device has failed.
    void drain_if_possible() override {
        try {
            drain();
        } catch (transport_error const&) {  // another call reports the failure
            if (how_ == ordering::memory) { flags_->release(); }
        }
    }

    void* allocate(std::size_t bytes) override {
        on_device const here(*calls_, device_);
        return calls_->allocate(bytes == 0 ? 1 : bytes);
    }
    /// Does not throw: callers are destructors, or report another failure already. Memory that a
    /// failed device does not free is lost.
    void deallocate(void* p, std::size_t) override {
        give_back(*calls_, device_, [&] { calls_->free(p); });
    }
    void zero(void* p, std::size_t bytes) override {
        on_device const here(*calls_, device_);
        busy_ = true;
        calls_->zero(p, bytes, stream_);
        settle();
    }
    /// Waits for all that is enqueued. The driver would wait for a dead peer's word for ever.
    void settle() {
        start_copies();
        if (how_ != ordering::memory) { return calls_->synchronize(stream_); }
        auto const end = events_.set(stream_);
        for (int i = 1; !passed(end); ++i) {
            if (look_ && i % 20 == 0) { look_(); }
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }
    /// Throws usage_error where the device cannot read a buffer.
    void require_reachable(void const* p, std::size_t bytes) const override {
        if (bytes == 0) { return; }
        on_device const here(*calls_, device_);
        if (!is_reachable(p)) {
            throw_error<usage_error>("a buffer is no memory that device ", device_, " reaches");
        }
    }

private:
    /// Collected copies start later than they were asked for, so they may also wait for peers that
    /// `after` named since. That is harmless.
    void collect(list_view<std::byte* const> to, void const* from, std::size_t bytes) {
        if (!copies_.takes(to, from, bytes)) { start_copies(); }
        dirty_ = busy_ = true;
        copies_.add(to, from, bytes);
    }
    /// Whether peers hear of work only when it is done.
    bool is_told_by_host() const {
        return how_ == ordering::host || (how_ == ordering::memory && flags_->has_released());
    }
    bool is_under_way(rank_t r) const {
        auto const i = static_cast<std::size_t>(r);
        try {
            return i < peers_.size() && peers_[i] != nullptr && !calls_->passed(peers_[i]);
        } catch (transport_error const&) { return false; }  // a device that failed does nothing
    }
    bool is_reachable(void const* p) const {
        return calls_->allocation_of(p).is != allocation::kind::unreachable;
    }
    std::shared_ptr<call_table> calls_;
    event_pool events_;
    copy_batch copies_;
    int device_;
    kernel_lookup find_;
    ordering how_ = ordering::host;
    std::unique_ptr<order_flags> flags_;
    std::function<void()> look_;
    stream stream_ = nullptr;
    event mine_ = nullptr;
    bool shared_ = false;        // with other processes
    lean_vector<event> peers_;   // by their rank in the job
    lean_vector<event> opened_;  // of them, those of other processes
    bool dirty_ = false;         // something was enqueued that was not noted
    bool busy_ = false;          // something was enqueued that the host has not waited for
};

}  // namespace collectives::cuda
