// SPDX-License-Identifier: BSD-3-Clause
// The kernels' bodies as functions of the host, on the fake's streams.
#pragma once

#include <collectives/core/timeout.hpp>
#include <collectives/space/cuda/launch.hpp>

#include <cuda/fake.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace fake {

namespace coll = collectives;

template <class Op, class T, class Visit>
void for_each_pointer(cuda::fold_body<Op, T> const& body, Visit const& visit) {
    for (int k = 0; k < body.n; ++k) { visit(body.sources[k]); }
    for (int k = 0; k < body.outputs; ++k) { visit(body.to[k]); }
}
template <class Visit>
void for_each_pointer(cuda::copy_body const& body, Visit const& visit) {
    visit(body.from);
    visit(body.to);
}

/// The tensors are in a table that is not written yet.
template <class Own, class Wire, class Visit>
void for_each_pointer(cuda::gather_body<Own, Wire> const& body, Visit const& visit) {
    visit(body.call.pieces);
    visit(body.call.bucket);
}

template <class Op, class T, class Visit>
void for_each_pointer(cuda::fused_fold<Op, T> const& body, Visit const& visit) {
    for_each_pointer(cuda::fused_move{body.call}, visit);
}
template <class Visit>
void for_each_pointer(cuda::fused_move const& body, Visit const& visit) {
    visit(body.call.with);
    if (body.call.count == 0) { return; }
    if (body.call.in != nullptr) { visit(body.call.in); }
    if (body.call.out != nullptr) { visit(body.call.out); }
}

/// A few workers, one after the other, the last one first.
class block_of_workers {
public:
    /// A slow one takes a while before it makes up what it adds up.
    explicit block_of_workers(std::size_t number, bool slow = false)
        : number_(number), slow_(slow) {}
    block_of_workers(block_of_workers const&) = delete;
    block_of_workers& operator=(block_of_workers const&) = delete;

    std::size_t number() const { return number_; }
    template <class Work>
    void for_workers(Work const& work) const {
        for (std::size_t i = workers; i-- > 0;) { work(cuda::detail::worker{i, workers}); }
    }
    void sync() const {}
    template <class T>
    T& room() {
        if (slow_) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }
        room_.resize(std::max(room_.size(), sizeof(T) / sizeof(std::max_align_t) + 1));
        return *reinterpret_cast<T*>(room_.data());
    }
    bool failed() const { return failed_; }
    void failed(bool is) { failed_ = is; }
    void publish(std::uint64_t* word, std::uint64_t value) const {
        std::atomic_ref(*word).store(value, std::memory_order_release);
    }
    std::uint64_t look(std::uint64_t* word) const {
        return std::atomic_ref(*word).load(std::memory_order_acquire);
    }
    std::uint64_t peek(std::uint64_t* word) const {
        return std::atomic_ref(*word).load(std::memory_order_relaxed);
    }
    void leave(std::uint64_t* word, std::uint64_t value) const {
        std::atomic_ref(*word).store(value, std::memory_order_relaxed);
    }
    void fence() const { std::atomic_thread_fence(std::memory_order_seq_cst); }
    std::uint64_t now() const {
        return static_cast<std::uint64_t>(
            std::chrono::nanoseconds(coll::steady::now().time_since_epoch()).count());
    }
    void pause() const { std::this_thread::yield(); }

private:
    static constexpr std::size_t workers = 3;
    std::size_t number_;
    bool slow_;
    bool failed_ = false;
    std::vector<std::max_align_t> room_;
};

/// A few workers, the last one first.
struct plain_launcher {
    template <class Body>
    static void launch(Body const& body, std::size_t work, void* queue) {
        auto& s = *static_cast<stream*>(queue);
        for_each_pointer(body, [&](void const* p) { s.of().check_reach(p, s); });
        ++s.of().kernels;
        s.push([body, workers = std::min(work, std::size_t{3})] {
            for (auto i = workers; i-- > 0;) { body({i, workers}); }
        });
    }
};
/// Of fused kernels all blocks at once.
struct launcher : plain_launcher {
    static inline std::atomic<int> slow_device = -1;
    template <class Body>
    static void launch_fused(Body const& body, int blocks, void* queue) {
        auto& s = *static_cast<stream*>(queue);
        for_each_pointer(body, [&](void const* p) { s.of().check_reach(p, s); });
        ++s.of().kernels;
        s.push([body, blocks, slow = s.device() == slow_device] {
            auto const run = [&](int number) {
                block_of_workers here(static_cast<std::size_t>(number), slow);
                body(here);
            };
            std::vector<std::thread> others;
            for (int b = 1; b < blocks; ++b) { others.emplace_back(run, b); }
            run(0);
            for (auto& t : others) { t.join(); }
        });
    }
    template <class Body>
    static void load() {}
    template <class Body>
    static void load_fused() {}
};

}  // namespace fake
