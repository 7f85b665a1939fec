// SPDX-License-Identifier: BSD-3-Clause
// Copies from and to the private memory of other processes, which the kernel makes
// (process_vm_readv, process_vm_writev).
#pragma once

#include <collectives/core/descriptor.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/lending_case.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/shared/lending_choices.hpp>
#include <collectives/transport/shared/processes.hpp>
#include <collectives/transport/shared/state.hpp>

#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

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
/// machine. So each rank reads a proof of each peer before it lends, and again once a millisecond
/// while it copies. All ranks copy from all, or none does. The kernel may also take longer than two
/// copies through shared memory. So the reader times both ways, and tells its peers which one it
/// prefers.
class private_memory {
public:
    private_memory(state const& job, rank_t me) : job_(job), me_(me), choices_(job, me) {
        auto const now = static_cast<std::uint64_t>(steady::now().time_since_epoch().count());
        proof_ = now ^ reinterpret_cast<std::uintptr_t>(this);
        auto& mine = job_.status(me_);
        mine.proof.store(proof_, std::memory_order_relaxed);
        mine.proof_at.store(reinterpret_cast<std::uintptr_t>(&proof_), std::memory_order_release);
    }
    private_memory(private_memory const&) = delete;
    private_memory& operator=(private_memory const&) = delete;

    /// Whether each rank has seen that it can read the memory of all, and that it may write at all.
    /// Once true it stays so.
    bool is_open() {
        if (open_) { return true; }
        auto& mine = job_.status(me_).reads_all;
        if (mine.load(std::memory_order_relaxed) == 0 && !refused_) {
            mine.store(read_all() ? 1 : 0, std::memory_order_relaxed);
        }
        for (rank_t r = 0; r < job_.size(); ++r) {
            if (job_.status(r).reads_all.load(std::memory_order_relaxed) == 0) { return false; }
        }
        return open_ = peers_.size() == static_cast<std::size_t>(job_.size());
    }
    /// Whether peers can `fetch` these bytes, and `put` some there: not those of a device, for one.
    bool lends(void const* p, std::size_t bytes) { return is_open() && is_ordinary(p, bytes); }

    bool prefers_lent(rank_t reader, lending_case what) const {
        return choices_.prefers_lent(reader, what);
    }
    void note_reading(lending_case what, reading how, std::chrono::nanoseconds took) {
        choices_.note(what, how, took);
    }

    /// Copies bytes of rank r from its address. Returns false, with errno, if the kernel does not.
    /// ESRCH: no such process, or not the peer's. EPERM: a peer lies, for nobody lends before this
    /// rank has seen that it can read all.
    bool copy(rank_t r, std::uint64_t address, std::byte* to, std::size_t bytes) {
        auto* const its = find(r);
        auto const part = [&](auto... of) { return read(its->process, of...); };
        return its != nullptr && in_parts(address, to, bytes, part) && is_peer(*its);
    }
    /// Copies as `copy` does, but returns false only if the peer's process has ended. Throws
    /// transport_error for what else the kernel refuses.
    bool fetch(rank_t r, std::uint64_t address, std::byte* to, std::size_t bytes) {
        auto const done = copy(r, address, to, bytes);
        if (!done) { require_ended(r, "read"); }
        return done;
    }
    /// As `fetch`, but to the address.
    bool put(rank_t r, std::uint64_t address, std::byte const* from, std::size_t bytes) {
        auto* const its = find(r);
        auto const part = [&](auto... of) { return write(its->process, of...); };
        auto const done = its != nullptr && is_peer(*its) && in_parts(address, from, bytes, part);
        if (!done) { require_ended(r, "written"); }
        return done;
    }

private:
    /// Memory that this rank has looked at.
    struct range {
        void const* first = nullptr;
        std::size_t bytes = 0;
        int trust = 0;  // in so many calls it is not looked at again
    };
    /// As this rank has read it once: a peer may write anything into the shared memory later.
    struct peer {
        pid_t process = 0;
        std::uint64_t proof = 0, proof_at = 0;
        steady::time_point seen{};  // when its proof was read last
    };
    static constexpr auto trusted_for = std::chrono::milliseconds(1);

    /// Looks at both ends, unless it looked at the same memory at most 16 calls ago: a look costs
    /// as much as the kernel takes for some pages. If a program has put memory of another kind
    /// there meanwhile, a peer's `fetch` throws.
    bool is_ordinary(void const* p, std::size_t bytes) {
        auto* known = ordinary_.begin();
        while (known != ordinary_.end() && (known->first != p || known->bytes != bytes)) {
            ++known;
        }
        if (known != ordinary_.end() && known->trust > 0) {
            --known->trust;
            return true;
        }
        auto* const first = static_cast<std::byte*>(const_cast<void*>(p));
        std::array<std::byte, 2> ends{};
        iovec const here{ends.data(), ends.size()};
        std::array<iovec, 2> const there{{{first, 1}, {first + bytes - 1, 1}}};
        auto const read =
            ::process_vm_readv(::getpid(), &here, 1, there.data(), there.size(), 0) == 2;
        if (known == ordinary_.end()) { known = &ordinary_[looks_++ % ordinary_.size()]; }
        *known = {p, bytes, read ? 16 : 0};
        return read;
    }
    /// Null, with errno, where no memory of that rank was read before.
    peer* find(rank_t r) {
        if (static_cast<std::size_t>(r) < peers_.size()) {
            return &peers_[static_cast<std::size_t>(r)];
        }
        errno = EPERM;
        return nullptr;
    }
    /// Copies by `part(address, own, bytes)`, which may leave bytes for the next time.
    template <class Byte, class Part>
    static bool in_parts(std::uint64_t address, Byte* own, std::size_t bytes, Part const& part) {
        while (bytes > 0) {
            auto const n = part(address, own, bytes);
            if (n <= 0) {
                if (n == 0) { errno = EFAULT; }
                return false;
            }
            auto const done = static_cast<std::size_t>(n);
            address += done;
            own += done;
            bytes -= done;
        }
        return true;
    }
    /// Throws what the kernel has just refused, unless the peer's process has ended.
    [[gnu::cold]] void require_ended(rank_t r, std::string_view what) const {
        auto const fault = errno;
        descriptor its;
        if (fault == ESRCH && has_ended(its, peers_[static_cast<std::size_t>(r)].process)) {
            return;
        }
        throw_error<transport_error>("memory of rank ", r, " of the job cannot be ", what, ": ",
                                     std::strerror(fault));
    }
    static ssize_t write(pid_t process, std::uint64_t address, std::byte const* from,
                         std::size_t bytes) {
        iovec const here{const_cast<std::byte*>(from), bytes}, there{pointer(address), bytes};
        return ::process_vm_writev(process, &here, 1, &there, 1, 0);
    }
    static void* pointer(std::uint64_t address) {
        return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
    }
    static ssize_t read(pid_t process, std::uint64_t address, void* to, std::size_t bytes) {
        iovec const here{to, bytes}, there{pointer(address), bytes};
        return ::process_vm_readv(process, &here, 1, &there, 1, 0);
    }
    /// Whether the process of that number is the peer's, or was a moment ago: the kernel gives a
    /// number to another process only after all others, which takes far longer. (A rank that calls
    /// exec in the middle of a call keeps its number: nothing guards against that.) Else errno says
    /// why not. Asked after bytes were read and before any are written.
    static bool is_peer(peer& its) {
        auto const now = steady::now();
        if (now - its.seen < trusted_for) { return true; }
        std::uint64_t proof = 0;
        if (read(its.process, its.proof_at, &proof, sizeof(proof)) < 0) { return false; }
        if (proof != its.proof) {
            errno = ESRCH;
            return false;
        }
        its.seen = now;
        return true;
    }
    /// A process with a peer's number, but in another name space, does not hold the peer's proof.
    /// A filter of system calls may forbid to write alone.
    bool read_all() {
        if (peers_.empty()) {
            std::byte from{}, to{};
            refused_ = write(::getpid(), reinterpret_cast<std::uintptr_t>(&to), &from, 1) != 1;
            if (refused_) { return false; }
        }
        while (peers_.size() < static_cast<std::size_t>(job_.size())) {
            auto const& s = job_.status(static_cast<rank_t>(peers_.size()));
            peer its;
            its.proof_at = s.proof_at.load(std::memory_order_acquire);
            if (its.proof_at == 0) { return false; }  // it has not come yet
            its.process = s.pid.load(std::memory_order_relaxed);
            its.proof = s.proof.load(std::memory_order_relaxed);
            refused_ = !is_peer(its);
            if (refused_) { return false; }
            peers_.push_back(its);
        }
        return true;
    }

    state job_;
    rank_t me_;
    std::uint64_t proof_ = 0;
    lean_vector<peer> peers_;  // those read so far
    bool open_ = false, refused_ = false;
    std::array<range, 4> ordinary_{};
    std::size_t looks_ = 0;
    lending_choices choices_;
};

}  // namespace collectives::shared
