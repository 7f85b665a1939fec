// SPDX-License-Identifier: BSD-3-Clause
// Copies out of the private memory of other processes, which the kernel makes (process_vm_readv).
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/shared/state.hpp>

#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace collectives::inline v0::shared {

// Messages of so many bytes; the kernel takes longer for larger ones than two processes that copy
// through memory that they share.
inline constexpr std::size_t least_lent = 64 * 1024, least_not_lent = 512 * 1024;

/// What a rank's process may read of its peers' processes, and they of it. The kernel may refuse
/// it: to processes of another user, or in another container, or by a setting of the machine. Or it
/// takes longer for a page than two copies through shared memory. So each rank reads a word of each
/// peer once, and times the kernel. All copy from all, or nobody does.
class private_memory {
public:
    private_memory(state job, rank_t me) : job_(job), me_(me) {
        timespec now{};
        ::clock_gettime(CLOCK_MONOTONIC, &now);
        proof_ = static_cast<std::uint64_t>(now.tv_nsec) ^ reinterpret_cast<std::uintptr_t>(this);
        auto& mine = job_.status(me_);
        mine.proof.store(proof_, std::memory_order_relaxed);
        mine.proof_at.store(reinterpret_cast<std::uintptr_t>(&proof_), std::memory_order_release);
    }
    private_memory(private_memory const&) = delete;
    private_memory& operator=(private_memory const&) = delete;

    /// Whether each rank has seen that it can read the memory of all. Once true it stays so.
    bool is_open() {
        if (open_) { return true; }
        auto& mine = job_.status(me_).reads_all;
        if (mine.load(std::memory_order_relaxed) == 0 && !refused_ && reads_all()) {
            mine.store(1, std::memory_order_relaxed);
        }
        for (rank_t r = 0; r < job_.size(); ++r) {
            if (job_.status(r).reads_all.load(std::memory_order_relaxed) == 0) { return false; }
        }
        return open_ = true;
    }
    /// Whether peers can `fetch` these bytes: not those of a device, for one.
    bool lends(void const* p, std::size_t bytes) { return is_open() && is_ordinary(p, bytes); }

    /// Copies bytes of rank r from its address. Returns false if its process has ended. Throws
    /// transport_error for what the kernel refuses.
    bool fetch(rank_t r, std::uint64_t address, std::byte* to, std::size_t bytes) const {
        while (bytes > 0) {
            auto const n = read(r, address, to, bytes);
            if (n < 0 && errno == ESRCH) { return false; }
            if (n <= 0) { refuse(r, n == 0 ? EFAULT : errno); }
            auto const done = static_cast<std::size_t>(n);
            address += done;
            to += done;
            bytes -= done;
        }
        return true;
    }

    /// Whether the kernel takes little longer for a page than the processor does. Measured within
    /// this process, so that no peer's caches count; the best of a few times.
    static bool is_quick() {
        constexpr std::size_t pages = 16, bytes = 4096 * pages;
        constexpr std::chrono::nanoseconds most{150};  // per page (docs/lab/measurements.md)
        lean_vector<std::byte> from(bytes), to(bytes);
        iovec const here{to.data(), bytes}, there{from.data(), bytes};
        auto const least = [](auto&& copy) {
            auto best = steady::duration::max();
            for (int turn = 0; turn < 8; ++turn) {
                auto const start = steady::now();
                copy();
                best = std::min(best, steady::now() - start);
            }
            return best;
        };
        auto const plain = least([&] { std::memcpy(to.data(), from.data(), bytes); });
        bool copied = true;
        auto const kernel = least([&] {
            copied = copied && ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == bytes;
        });
        return copied && kernel - plain <= pages * most;
    }

private:
    /// Looks at both ends.
    static bool is_ordinary(void const* p, std::size_t bytes) {
        auto* const first = static_cast<std::byte*>(const_cast<void*>(p));
        std::array<std::byte, 2> ends{};
        iovec const here{ends.data(), ends.size()};
        std::array<iovec, 2> const there{{{first, 1}, {first + bytes - 1, 1}}};
        return ::process_vm_readv(::getpid(), &here, 1, there.data(), there.size(), 0) == 2;
    }
    ssize_t read(rank_t r, std::uint64_t address, void* to, std::size_t bytes) const {
        iovec const here{to, bytes};
        iovec const there{reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), bytes};
        auto const process = job_.status(r).pid.load(std::memory_order_relaxed);
        return ::process_vm_readv(process, &here, 1, &there, 1, 0);
    }
    /// A process with a peer's number, but in another name space, does not hold the peer's proof.
    bool reads_all() {
        for (rank_t r = 0; r < job_.size() && !refused_; ++r) {
            auto const& its = job_.status(r);
            auto const at = its.proof_at.load(std::memory_order_acquire);
            if (at == 0) { return false; }  // it has not come yet
            std::uint64_t seen = 0;
            refused_ = read(r, at, &seen, sizeof(seen)) != sizeof(seen) ||
                       seen != its.proof.load(std::memory_order_relaxed);
        }
        refused_ = refused_ || !is_quick();
        return !refused_;
    }
    [[gnu::cold, gnu::noinline, noreturn]] static void refuse(rank_t r, int fault) {
        throw transport_error(
            text_of("memory of rank ", r, " of the job cannot be read: ", std::strerror(fault)));
    }

    state job_;
    rank_t me_;
    std::uint64_t proof_ = 0;
    bool open_ = false, refused_ = false;
};

}  // namespace collectives::shared
