// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of a device: a stream of its own, on which everything is enqueued in order, and
// the events by which ranks wait for each other. Its own kernels never wait for a peer; of those of
// device-driven calls, it knows when they are through.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/cuda/calls.hpp>
#include <collectives/transport/cuda/marks.hpp>
#include <collectives/transport/cuda/words.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace collectives::cuda {

/// How work of several ranks is put in order on their devices. Before a rank tells a peer of what
/// it has enqueued,
enum class ordering : std::uint8_t {
    events,  // it records an event, and the peer's stream waits for that
    memory,  // its stream writes a word, and the peer's stream waits for that
    host     // it waits itself until all is done: works everywhere
};

/// Models what an executor asks of a space. What is enqueued only ever waits for what was enqueued
/// before, on whatever rank; so nothing can wait in a circle.
class space {
public:
    using copy_function = void (*)(void* to, void const* from, std::size_t bytes, void* queue);

    /// `kernel`: what copies within the device's memory; null: CUDA's own copies.
    space(std::shared_ptr<call_table> with, int device, copy_function kernel)
        : calls_(std::move(with)), marks_(*calls_), device_(device), kernel_(kernel) {
        on_device const here(*calls_, device_);
        stream_ = calls_->make_stream();
    }
    space(space const&) = delete;
    space& operator=(space const&) = delete;
    ~space() {
        drain_if_possible();
        try {
            on_device const here(*calls_, device_);
            marks_.destroy();
            for (auto const e : opened_) { calls_->destroy_event(e); }
            calls_->destroy_stream(stream_);
            if (mine_ != nullptr) { calls_->give_back_event(device_, shared_, mine_); }
            if (driven_ != nullptr) { calls_->give_back_event(device_, shares_driven_, driven_); }
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
    void set_peer(rank_t r, event e, bool opened) { set(peers_, r, e, opened); }
    /// What tells whether kernels of this rank that wait for peers are through.
    event make_driven_event(bool shared) {
        on_device const here(*calls_, device_);
        shares_driven_ = shared;
        return driven_ = calls_->borrow_event(device_, shared);
    }
    void set_driven_peer(rank_t r, event e, bool opened) { set(driven_peers_, r, e, opened); }
    /// Kernels of this process's other ranks wait for this one's on its device.
    void share_with_threads() { has_threads_ = true; }
    bool is_shared_with_threads() const { return has_threads_; }
    /// What `ordering::memory` needs.
    void set_words(std::unique_ptr<order_words> w) { words_ = std::move(w); }
    order_words& words() { return *words_; }
    void order_by(ordering how) {
        how_ = how;
        if (how != ordering::memory) { words_.reset(); }
    }
    ordering ordered_by() const { return how_; }
    /// What finds out who has died, and lets go of them, while this waits for words.
    void look_by(std::function<void()> look) { look_ = std::move(look); }

    /// The device is current while what this gives lives.
    on_device enter() const { return {*calls_, device_}; }
    void begin_thread() { calls_->use(device_), calls_->begin_thread(); }  // the library's own
    void* queue() {
        dirty_ = true;
        return stream_;
    }
    template <class... Unused>
    void copy(void* to, void const* from, std::size_t bytes, Unused...) {
        if (bytes == 0 || to == from) { return; }
        dirty_ = true;
        auto const reachable = is_reachable(to) && is_reachable(from);
        if (kernel_ != nullptr && reachable) { return kernel_(to, from, bytes, stream_); }
        if (!reachable && how_ == ordering::memory) { settle(); }  // else the driver waits in this
        calls_->copy(to, from, bytes, stream_);
    }

    void note() {
        if (!dirty_) { return; }
        if (how_ == ordering::events) {
            calls_->record(mine_, stream_);
        } else if (how_ == ordering::memory && !words_->has_let_go()) {
            words_->note(stream_);
        } else {
            calls_->synchronize(stream_);
        }
        dirty_ = false;
    }
    void after(rank_t r) {
        if (how_ == ordering::host) { return; }
        dirty_ = true;
        if (how_ == ordering::memory) { return words_->after(stream_, r); }
        calls_->wait(stream_, peers_[static_cast<std::size_t>(r)]);
    }
    /// Whether what rank r noted last may still be under way. From any thread, as the next.
    bool works(rank_t r) const {
        return (how_ == ordering::events && is_under_way(peers_, r)) ||
               (how_ == ordering::memory && words_->works(r));
    }
    /// Whether a kernel of rank r may be under way that waits for peers, outside graphs.
    bool drives(rank_t r) const { return is_under_way(driven_peers_, r); }

    /// Rank r has died: what it noted is not waited for.
    void let_go(rank_t r) const {
        if (how_ == ordering::memory) { words_->let_go(r); }
    }
    bool was_let_go(rank_t r) const { return how_ == ordering::memory && words_->was_let_go(r); }

    /// Throws usage_error for a stream of another device, or one that captures a graph: other ranks
    /// decide when the work can be enqueued, so it cannot be played again. From any thread.
    void require_followable(stream user) const {
        on_device const here(*calls_, device_);
        if (calls_->captures(user)) {
            throw usage_error("the stream captures a graph, into which no host-driven call goes");
        }
        require_own(user);
    }
    /// Throws as that.
    void follow(stream user) {
        on_device const here(*calls_, device_);
        require_followable(user);
        if (driven_ != nullptr) { calls_->wait(stream_, driven_); }
        auto const e = marks_.spare();
        calls_->record(e, user);
        calls_->wait(stream_, e);
        dirty_ = true;
    }
    /// Where a kernel that waits for peers goes: the user's stream itself, or this rank's own
    /// behind the default stream, which other ranks of the process may use as well. It comes after
    /// the one before it, but for graphs, whose order is the user's matter. Throws usage_error as
    /// `follow`.
    struct lane {
        stream on = nullptr;
        bool returns = false;   // the user's: there is nothing to wait for
        bool captured = false;  // into a graph
    };
    lane begin_driven(stream user) {
        require_own(user);
        if (user == nullptr) {
            follow(user);
            return {stream_, false, false};
        }
        if (calls_->captures(user)) { return {user, true, true}; }
        if (has_threads_ && calls_->is_blocking(user)) {
            throw usage_error(
                "the stream and CUDA's default stream wait for each other, and so would kernels of "
                "ranks that share a device: make it with cudaStreamNonBlocking");
        }
        calls_->wait(user, driven_);
        return {user, true, false};
    }
    /// Once it is enqueued. No stream of a peer may wait for that: its kernel is waited for.
    void end_driven(lane const& where) {
        if (!where.captured) { calls_->record(driven_, where.on); }
    }
    bool driven_is_done() const { return calls_->passed(driven_); }

    std::uint64_t mark() { return mark(stream_); }
    std::uint64_t mark(stream on) { return marks_.set(on); }
    bool passed(std::uint64_t mark) { return marks_.passed(mark); }
    /// Whether somebody waits for a mark.
    bool is_awaited() const { return marks_.any(); }
    void drain() {
        on_device const here(*calls_, device_);
        if (driven_ != nullptr) { calls_->wait(stream_, driven_); }
        settle();
        marks_.clear();
        // `dirty_` stays: somebody may hold the queue already, for what comes next.
    }

    /// Waits, but does not say so if the device has failed.
    void drain_if_possible() {
        try {
            drain();
        } catch (transport_error const&) {  // somebody else asks, too
            if (how_ == ordering::memory) { words_->let_go(); }
        }
    }

    void* allocate(std::size_t bytes) {
        on_device const here(*calls_, device_);
        return calls_->allocate(bytes == 0 ? 1 : bytes);
    }
    /// Does not throw: it is called where something else is told, or nothing can be. What a device
    /// that has failed does not free is lost with it.
    void deallocate(void* p, std::size_t) {
        give_back(*calls_, device_, [&] { calls_->free(p); });
    }
    void zero(void* p, std::size_t bytes) {
        on_device const here(*calls_, device_);
        calls_->zero(p, bytes, stream_);
        settle();
    }
    /// Waits for all that is enqueued. The driver would wait for a dead peer's word for ever.
    void settle() {
        if (how_ != ordering::memory) { return calls_->synchronize(stream_); }
        auto const end = mark();
        for (int i = 1; !passed(end); ++i) {
            if (look_ && i % 20 == 0) { look_(); }
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }
    /// Throws usage_error where the device cannot read a buffer.
    void require_reachable(void const* p, std::size_t bytes) const {
        if (bytes == 0) { return; }
        on_device const here(*calls_, device_);
        if (!is_reachable(p)) {
            throw usage_error(text_of("a buffer is no memory that device ", device_, " reaches"));
        }
    }

private:
    void set(std::vector<event>& all, rank_t r, event e, bool opened) {
        auto const i = static_cast<std::size_t>(r);
        if (all.size() <= i) { all.resize(i + 1); }
        all[i] = e;
        if (opened) { opened_.push_back(e); }
    }
    bool is_under_way(std::vector<event> const& of, rank_t r) const {
        auto const i = static_cast<std::size_t>(r);
        try {
            return i < of.size() && of[i] != nullptr && !calls_->passed(of[i]);
        } catch (transport_error const&) { return false; }  // a device that failed does nothing
    }
    void require_own(stream user) const {
        if (auto const its = calls_->device_of(user); its != device_) {
            throw usage_error(text_of("the stream is of device ", its, ", not ", device_));
        }
    }
    bool is_reachable(void const* p) const {
        return calls_->look(p).is != allocation::kind::unreachable;
    }
    std::shared_ptr<call_table> calls_;
    marks marks_;
    int device_;
    copy_function kernel_;
    ordering how_ = ordering::host;
    std::unique_ptr<order_words> words_;
    std::function<void()> look_;
    stream stream_ = nullptr;
    event mine_ = nullptr;
    event driven_ = nullptr;                       // of the last kernel that waits for peers
    bool shared_ = false, shares_driven_ = false;  // with other processes
    std::vector<event> peers_;                     // by their rank in the job
    std::vector<event> driven_peers_;
    std::vector<event> opened_;  // of them, those of other processes
    bool has_threads_ = false;
    bool dirty_ = false;  // something was enqueued that was not noted
};

}  // namespace collectives::cuda
