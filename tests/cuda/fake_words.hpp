// SPDX-License-Identifier: BSD-3-Clause
// Words in the host's memory that the fake's streams write and wait for; and calls that fail.
#pragma once

#include <collectives/core/error.hpp>

#include <cuda/fake_faults.hpp>
#include <cuda/fake_processors.hpp>
#include <cuda/fake_stream.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace fake {

class worded : public processors {
public:
    explicit worded(world& w) : processors(w), way_(w) {}

    /// The n-th call of this name from now on throws.
    void fail(std::string const& call, int n = 1) { faults_.add(call, n); }
    /// Memory of the host that devices know of.
    std::size_t known_to_devices() const {
        std::lock_guard const lock(mutex_);
        return known_.size();
    }

    void* allocate_host(std::size_t bytes) override {
        auto* const p = processors::allocate_host(bytes);
        know(p, bytes);
        return p;
    }
    void free_host(void* p) override {
        forget(p);
        processors::free_host(p);
    }
    void* add_host(void* p, std::size_t bytes) override {
        may_fail("add_host");
        if (reinterpret_cast<std::uintptr_t>(p) % 4096 != 0 || bytes % 4096 != 0) {
            broken("add_host", "no whole pages");
        }
        know(p, bytes);
        return p;
    }
    void remove_host(void* p) override { forget(p); }

    bool has_words(int, bool from_others) override {
        return way_.words && (!from_others || way_.words_flush);
    }
    void write_word(collectives::cuda::stream s, std::uint64_t* at, std::uint64_t value) override {
        may_fail("write_word");
        require_known(at);
        if (way_.words_are_lost) { return; }
        static_cast<stream*>(s)->push(
            [=] { std::atomic_ref(*at).store(value, std::memory_order_seq_cst); });
    }
    /// As CUDA does, it compares with a sign.
    void wait_word(collectives::cuda::stream s, std::uint64_t* at, std::uint64_t least) override {
        may_fail("wait_word");
        require_known(at);
        static_cast<stream*>(s)->push([=] {
            auto const behind = [&] {
                auto const now = std::atomic_ref(*at).load(std::memory_order_seq_cst);
                return static_cast<std::int64_t>(now - least) < 0;
            };
            while (behind()) { std::this_thread::sleep_for(std::chrono::microseconds(20)); }
        });
    }

protected:
    [[noreturn]] static void broken(char const* call, char const* why) {
        throw collectives::transport_error(std::string(call) + ": " + why);
    }
    void may_fail(char const* call) {
        if (faults_.are_due(call)) { broken(call, "injected"); }
    }

private:
    void know(void* p, std::size_t bytes) {
        std::lock_guard const lock(mutex_);
        if (!known_.emplace(reinterpret_cast<std::uintptr_t>(p), bytes).second) {
            broken("add_host", "already registered");
        }
    }
    void forget(void* p) {
        std::lock_guard const lock(mutex_);
        if (known_.erase(reinterpret_cast<std::uintptr_t>(p)) == 0) {
            broken("remove_host", "no such memory");
        }
    }
    void require_known(void const* p) const {
        std::lock_guard const lock(mutex_);
        auto const at = reinterpret_cast<std::uintptr_t>(p);
        auto next = known_.upper_bound(at);
        if (next == known_.begin() || (--next, at >= next->first + next->second)) {
            broken("word", "an illegal address");
        }
    }

    world& way_;
    mutable std::mutex mutex_;
    std::map<std::uintptr_t, std::size_t> known_;
    faults faults_;
};

}  // namespace fake
