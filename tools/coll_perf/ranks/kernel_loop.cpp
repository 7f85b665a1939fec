// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_loop.hpp"

#include "../sample_board.hpp"

#include <sched.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace coll_perf {

/// Through which one message goes. Its words hold the number of the last call that wrote them.
struct kernel_loop::shared_line {
    alignas(64) std::uint64_t posted;
    std::uint64_t address;  // in the sender
    alignas(64) std::uint64_t taken;
};

namespace {

bool copy_from(std::uint64_t process, std::uint64_t address, void* to, std::size_t bytes) {
    auto* at = static_cast<std::byte*>(to);
    while (bytes > 0) {  // the kernel copies at most 2 GiB at once
        ::iovec const here{at, bytes};
        ::iovec const there{reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), bytes};
        auto const n = ::process_vm_readv(static_cast<pid_t>(process), &here, 1, &there, 1, 0);
        if (n == 0) { errno = EFAULT; }
        if (n <= 0) { return false; }
        auto const done = static_cast<std::size_t>(n);
        at += done;
        address += done;
        bytes -= done;
    }
    return true;
}

/// The process of each rank, if each rank can read them all. Collective.
std::vector<std::uint64_t> processes_of(coll::communicator& comm) {
    struct proof {
        std::uint64_t process, address, word;
    };
    std::uint64_t const word = std::random_device{}() | 1U;
    std::array<proof, 1> const mine{
        {{static_cast<std::uint64_t>(::getpid()), reinterpret_cast<std::uintptr_t>(&word), word}}};
    std::vector<proof> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(mine, all);
    std::vector<std::uint64_t> result;
    std::array<std::uint64_t, 1> seen{1};
    for (auto const& its : all) {
        std::uint64_t read = 0;
        if (!copy_from(its.process, its.address, &read, sizeof read) || read != its.word) {
            seen[0] = 0;
        }
        result.push_back(its.process);
    }
    comm.all_reduce(seen, coll::min{});  // only now may a rank's word go
    if (seen[0] == 0) {
        throw std::runtime_error(
            "--percent-of-loop: the kernel does not let ranks read each other's memory "
            "(process_vm_readv)");
    }
    return result;
}

/// The number of each message among those of its sender and receiver: both ends must agree,
/// though segments may overtake each other.
std::vector<std::size_t> numbers_of(std::vector<launched::loop_message> const& messages) {
    std::vector<std::size_t> order(messages.size()), result(messages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto const ends = [&](std::size_t i) { return std::pair(messages[i].sends, messages[i].peer); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(ends(a), messages[a].tag) < std::pair(ends(b), messages[b].tag);
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
        auto const follows = ends(order[i]) == ends(order[i - 1]);
        result[order[i]] = follows ? result[order[i - 1]] + 1 : 0;
    }
    return result;
}

/// How many lines each pair of ranks needs. Collective.
std::size_t lines_of(coll::communicator& comm, std::vector<std::size_t> const& numbers) {
    std::array<std::size_t, 1> most{0};
    for (auto const n : numbers) { most[0] = std::max(most[0], n + 1); }
    comm.all_reduce(most, coll::max{});
    return most[0];
}

}  // namespace

kernel_loop::kernel_loop(coll::communicator& comm, std::vector<launched::loop_message> messages,
                         case_memory const& of, bool yields)
    : messages_(std::move(messages)),
      posts_(messages_.size()),
      of_(of),
      processes_(processes_of(comm)),
      yields_(yields) {
    auto const size = static_cast<std::size_t>(comm.size());
    auto const me = static_cast<std::size_t>(comm.rank());
    auto const numbers = numbers_of(messages_);
    auto const lines = lines_of(comm, numbers);
    place_.emplace(comm, (1 + size * size * lines) * sizeof(shared_line));  // the first: given_up
    if (place_->memory() == nullptr) { throw std::runtime_error("ranks share no memory"); }
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        auto const peer = static_cast<std::size_t>(messages_[i].peer);
        auto const pair = messages_[i].sends ? me * size + peer : peer * size + me;
        posts_[i].through =
            static_cast<shared_line*>(place_->memory()) + 1 + pair * lines + numbers[i];
    }
    find_memory();
}

void kernel_loop::find_memory() {
    std::size_t longest = 0;
    for (auto const& m : messages_) { longest = std::max(longest, m.bytes); }
    room_.assign(longest, std::byte{1});
    std::size_t sent_at_once = 0, sent_later = 0, received = 0;  // so many bytes of the vectors
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        auto const& m = messages_[i];
        auto const at_once = m.sends && m.after.empty();
        auto& used = at_once ? sent_at_once : m.sends ? sent_later : received;
        auto const vector = at_once ? of_.in : of_.out;
        if (m.bytes > vector.size()) {
            posts_[i].memory = room_.data();
            continue;
        }
        if (used + m.bytes > vector.size()) { used = 0; }
        posts_[i].memory = vector.data() + used;
        used += m.bytes;
    }
}

void kernel_loop::operator()() {
    ++call_;
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        for (auto const earlier : messages_[i].after) { take(earlier); }
        if (!messages_[i].sends) { continue; }
        auto& its = *posts_[i].through;
        its.address = reinterpret_cast<std::uintptr_t>(posts_[i].memory);
        std::atomic_ref(its.posted).store(call_, std::memory_order_release);
    }
    std::copy(of_.own_in.begin(), of_.own_in.end(), of_.own_out.begin());
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        if (!messages_[i].sends) { take(i); }
    }
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        if (messages_[i].sends) { wait_for(posts_[i].through->taken); }
    }
}

void kernel_loop::take(std::size_t i) {
    auto& its = posts_[i];
    if (std::exchange(its.taken_in, call_) == call_) { return; }
    wait_for(its.through->posted);
    auto const from = processes_[static_cast<std::size_t>(messages_[i].peer)];
    if (!copy_from(from, its.through->address, its.memory, messages_[i].bytes)) {
        auto const fault = errno;
        std::atomic_ref(given_up()).store(1);
        throw std::runtime_error(std::string("process_vm_readv: ") + std::strerror(fault));
    }
    std::atomic_ref(its.through->taken).store(call_, std::memory_order_release);
}

void kernel_loop::wait_for(std::uint64_t& word) const {
    for (unsigned turns = 1; std::atomic_ref(word).load(std::memory_order_acquire) != call_;
         ++turns) {
        if (!yields_ && turns % 1024 != 0) { continue; }
        if (std::atomic_ref(given_up()).load() != 0) { throw std::runtime_error(another_gave_up); }
        ::sched_yield();
    }
}

}  // namespace coll_perf
