// SPDX-License-Identifier: BSD-3-Clause
// A stream that a thread of its own works off, as late as it likes, and events between streams.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace fake {

/// How often it was recorded, and which of the records has passed. In memory that processes share.
struct event_state {
    std::atomic<std::uint64_t> recorded, passed;
};

class machine;

class stream {
public:
    stream(machine& of, int device, unsigned seed, int laziness)
        : machine_(of), device_(device), random_(seed), laziness_(laziness) {
        worker_ = std::thread([this] { work(); });
    }
    stream(stream const&) = delete;
    stream& operator=(stream const&) = delete;
    ~stream() {
        synchronize();
        {
            std::lock_guard const lock(mutex_);
            stop_ = true;
        }
        more_.notify_one();
        worker_.join();
    }

    machine& of() const { return machine_; }
    int device() const { return device_; }
    bool captures = false;

    using graph = std::vector<std::function<void()>>;

    void push(std::function<void()> what) {
        if (captures) {
            graph_.push_back(std::move(what));
        } else {
            add({std::move(what), nullptr, 0});
        }
    }
    void push_all(graph const& g) {
        for (auto const& what : g) { push(what); }
    }
    graph end_capture() {
        captures = false;
        return std::exchange(graph_, {});
    }
    void record(event_state& e) {
        auto const n = e.recorded.fetch_add(1) + 1;
        push([&e, n] {
            for (auto before = e.passed.load(); before < n;) {
                if (e.passed.compare_exchange_weak(before, n)) { break; }
            }
        });
    }
    /// For the records until now: a later one is another matter, and none is nothing to wait for.
    void wait(event_state& e) { add({{}, &e, e.recorded.load()}); }
    void synchronize() {
        std::unique_lock lock(mutex_);
        idle_.wait(lock, [this] { return done_ == added_; });
    }
    bool idle() {
        std::lock_guard const lock(mutex_);
        return done_ == added_;
    }
    std::size_t enqueued() {
        std::lock_guard const lock(mutex_);
        return added_;
    }

private:
    struct task {
        std::function<void()> run;
        event_state* awaited;
        std::uint64_t record;
    };

    void add(task what) {
        {
            std::lock_guard const lock(mutex_);
            tasks_.push_back(std::move(what));
            ++added_;
        }
        more_.notify_one();
    }
    void work() {
        std::unique_lock lock(mutex_);
        while (true) {
            more_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
            if (tasks_.empty()) { return; }
            auto const now = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            dawdle();
            if (now.awaited != nullptr) {
                while (now.awaited->passed.load() < now.record) {
                    std::this_thread::sleep_for(std::chrono::microseconds(20));
                }
            } else {
                now.run();
            }
            lock.lock();
            if (++done_ == added_) { idle_.notify_all(); }
        }
    }
    /// Most of the time not at all, sometimes long enough for others to do a lot.
    void dawdle() {
        if (laziness_ == 0 || random_() % static_cast<unsigned>(laziness_) != 0) { return; }
        std::this_thread::sleep_for(std::chrono::microseconds(random_() % 300));
    }

    machine& machine_;
    int device_;
    std::minstd_rand random_;
    int laziness_;
    std::mutex mutex_;
    std::condition_variable more_, idle_;
    std::deque<task> tasks_;
    std::uint64_t added_ = 0, done_ = 0;
    bool stop_ = false;
    graph graph_;
    std::thread worker_;
};

}  // namespace fake
