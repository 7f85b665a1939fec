// SPDX-License-Identifier: BSD-3-Clause
// Copies out of the private memory of other processes, which the kernel makes (process_vm_readv).
#pragma once

#include <collectives/core/descriptor.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/shared/processes.hpp>
#include <collectives/transport/shared/state.hpp>

#include <sys/types.h>
#include <sys/uio.h>
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

/// Decides whether the ranks of a job copy from each other's processes, and does it. The kernel may
/// refuse that to processes of another user or in another container, or by a setting of the
/// machine. It may also take longer for a page than two copies through shared memory. So each rank
/// reads a proof of each peer once, and times the kernel. All ranks copy from all, or none does,
/// and the kernel counts as quick if it is so for all.
class private_memory {
public:
    private_memory(state job, rank_t me) : job_(job), me_(me) {
        auto const now = static_cast<std::uint64_t>(steady::now().time_since_epoch().count());
        proof_ = now ^ reinterpret_cast<std::uintptr_t>(this);
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
        if (mine.load(std::memory_order_relaxed) == 0 && !refused_) {
            mine.store(read_all(), std::memory_order_relaxed);
        }
        auto least = quickly;
        for (rank_t r = 0; r < job_.size(); ++r) {
            least = std::min(least, job_.status(r).reads_all.load(std::memory_order_relaxed));
        }
        quick_ = least == quickly;
        return open_ = least != 0 && peers_.size() == static_cast<std::size_t>(job_.size());
    }
    /// Whether peers can `fetch` these bytes: not those of a device, for one. `also_slowly`: even
    /// if the kernel is not quick.
    bool lends(void const* p, std::size_t bytes, bool also_slowly = false) {
        return is_open() && (quick_ || also_slowly) && is_ordinary(p, bytes);
    }

    /// Copies bytes of rank r from its address. Returns false, with errno, if the kernel does not.
    /// ESRCH: no such process, or not the peer's. EPERM: a peer lies, for nobody lends before this
    /// rank has seen that it can read all.
    bool copy(rank_t r, std::uint64_t address, std::byte* to, std::size_t bytes) const {
        if (static_cast<std::size_t>(r) >= peers_.size()) {
            errno = EPERM;
            return false;
        }
        auto const& its = peers_[static_cast<std::size_t>(r)];
        while (bytes > 0) {
            auto const n = read(its, address, to, bytes);
            if (n <= 0) {
                if (n == 0) { errno = EFAULT; }
                return false;
            }
            auto const done = static_cast<std::size_t>(n);
            address += done;
            to += done;
            bytes -= done;
        }
        return true;
    }
    /// Copies as `copy` does, but returns false only if the peer's process has ended. Throws
    /// transport_error for what else the kernel refuses.
    bool fetch(rank_t r, std::uint64_t address, std::byte* to, std::size_t bytes) const {
        if (copy(r, address, to, bytes)) { return true; }
        auto const fault = errno;
        descriptor its;
        if (fault == ESRCH && has_ended(its, peers_[static_cast<std::size_t>(r)].process)) {
            return false;
        }
        throw_error<transport_error>("memory of rank ", r,
                                     " of the job cannot be read: ", std::strerror(fault));
    }

    /// How much longer than the processor the kernel may take for a page. Up to `quick_page` nearly
    /// all calls gain. Beyond `longest_page` none does (docs/lab/measurements.md).
    static constexpr steady::duration quick_page = std::chrono::nanoseconds(150),
                                      longest_page = std::chrono::nanoseconds(300);

    /// How much longer it takes, or `duration::max()` if it does not copy. Measured within this
    /// process, so that no peer's caches count; the best of a few times.
    static steady::duration page_time() {
        constexpr std::size_t pages = 16, bytes = 4096 * pages;
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
        return copied ? (kernel - plain) / int{pages} : steady::duration::max();
    }

private:
    /// As this rank has read it once: a peer may write anything into the shared memory later.
    struct peer {
        pid_t process = 0;
        std::uint64_t proof = 0, proof_at = 0;
    };

    /// Looks at both ends.
    static bool is_ordinary(void const* p, std::size_t bytes) {
        auto* const first = static_cast<std::byte*>(const_cast<void*>(p));
        std::array<std::byte, 2> ends{};
        iovec const here{ends.data(), ends.size()};
        std::array<iovec, 2> const there{{{first, 1}, {first + bytes - 1, 1}}};
        return ::process_vm_readv(::getpid(), &here, 1, there.data(), there.size(), 0) == 2;
    }
    static void* pointer(std::uint64_t address) {
        return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
    }
    /// The number of bytes that came, of which some may be missing, or -1. Reads the peer's proof
    /// with them, for the kernel may have given its number to another process.
    static ssize_t read(peer const& its, std::uint64_t address, void* to, std::size_t bytes) {
        std::uint64_t seen = 0;
        constexpr auto proof = static_cast<ssize_t>(sizeof(seen));
        std::array<iovec, 2> const here{{{&seen, sizeof(seen)}, {to, bytes}}};
        std::array<iovec, 2> const there{
            {{pointer(its.proof_at), sizeof(seen)}, {pointer(address), bytes}}};
        auto const n = ::process_vm_readv(its.process, here.data(), 2, there.data(), 2, 0);
        if (n >= proof && seen == its.proof) { return n - proof; }
        if (n >= 0) { errno = ESRCH; }
        return -1;
    }
    // How a rank reads the memory of all ranks; 0: it cannot.
    static constexpr std::uint32_t slowly = 1, quickly = 2;

    /// A process with a peer's number, but in another name space, does not hold the peer's proof.
    std::uint32_t read_all() {
        while (peers_.size() < static_cast<std::size_t>(job_.size())) {
            auto const& s = job_.status(static_cast<rank_t>(peers_.size()));
            peer its;
            its.proof_at = s.proof_at.load(std::memory_order_acquire);
            if (its.proof_at == 0) { return 0; }  // it has not come yet
            its.process = s.pid.load(std::memory_order_relaxed);
            its.proof = s.proof.load(std::memory_order_relaxed);
            std::byte any{};
            refused_ = read(its, its.proof_at, &any, 1) < 0;
            if (refused_) { return 0; }
            peers_.push_back(its);
        }
        auto const taken = page_time();
        refused_ = taken > longest_page;
        if (refused_) { return 0; }
        return taken <= quick_page ? quickly : slowly;
    }

    state job_;
    rank_t me_;
    std::uint64_t proof_ = 0;
    lean_vector<peer> peers_;  // those read so far
    bool open_ = false, quick_ = false, refused_ = false;
};

}  // namespace collectives::shared
