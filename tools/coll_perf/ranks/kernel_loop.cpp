// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_loop.hpp"

#include <sched.h>
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
struct kernel_loop::slot {
    alignas(64) std::uint64_t posted;
    std::uint64_t address;  // in the sender
    alignas(64) std::uint64_t taken;
};

namespace {

bool copy_from(std::uint64_t process, std::uint64_t address, void* to, std::size_t bytes) {
    ::iovec const here{to, bytes};
    ::iovec const there{reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), bytes};
    return ::process_vm_readv(static_cast<pid_t>(process), &here, 1, &there, 1, 0) ==
           static_cast<ssize_t>(bytes);
}

/// The process of each rank, if this rank can read them all. Collective.
std::vector<std::uint64_t> processes_of(coll::communicator& comm) {
    struct place {
        std::uint64_t process, address, word;
    };
    std::uint64_t const word = std::random_device{}() | 1U;
    std::array<place, 1> const mine{
        {{static_cast<std::uint64_t>(::getpid()), reinterpret_cast<std::uintptr_t>(&word), word}}};
    std::vector<place> all(static_cast<std::size_t>(comm.size()));
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
            "--percent-of-loop: the kernel lets ranks not read each other's memory "
            "(process_vm_readv)");
    }
    return result;
}

/// The number of each message among those of its sender and receiver: both ends must agree,
/// though segments may overtake each other.
std::vector<std::size_t> numbers_of(std::vector<launched::loop_message> const& messages) {
    std::vector<std::size_t> order(messages.size()), result(messages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto const key = [&](std::size_t i) {
        auto const& m = messages[i];
        return std::pair(m.sends, m.peer);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(key(a), messages[a].tag) < std::pair(key(b), messages[b].tag);
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
        auto const follows = key(order[i]) == key(order[i - 1]);
        result[order[i]] = follows ? result[order[i - 1]] + 1 : 0;
    }
    return result;
}

/// How many slots each pair of ranks needs. Collective.
std::size_t slots_of(coll::communicator& comm, std::vector<std::size_t> const& numbers) {
    std::array<std::size_t, 1> most{1};
    for (auto const n : numbers) { most[0] = std::max(most[0], n + 1); }
    comm.all_reduce(most, coll::max{});
    return most[0];
}

std::size_t pairs_of(coll::communicator const& comm) {
    return static_cast<std::size_t>(comm.size()) * static_cast<std::size_t>(comm.size());
}

}  // namespace

kernel_loop::kernel_loop(coll::communicator& comm, std::vector<launched::loop_message> messages,
                         vectors const& of, bool yields)
    : messages_(std::move(messages)),
      moves_(messages_.size()),
      of_(of),
      processes_(processes_of(comm)),
      yields_(yields),
      numbers_(numbers_of(messages_)),
      per_pair_(slots_of(comm, numbers_)),
      place_(comm, pairs_of(comm) * per_pair_ * sizeof(slot)) {
    if (place_.memory() == nullptr) { throw std::runtime_error("ranks share no memory"); }
    auto const size = static_cast<std::size_t>(comm.size());
    auto const me = static_cast<std::size_t>(comm.rank());
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        auto const peer = static_cast<std::size_t>(messages_[i].peer);
        auto const pair = messages_[i].sends ? me * size + peer : peer * size + me;
        moves_[i].through = static_cast<slot*>(place_.memory()) + pair * per_pair_ + numbers_[i];
    }
    find_memory();
}

void kernel_loop::find_memory() {
    std::size_t longest = 0;
    for (auto const& m : messages_) { longest = std::max(longest, m.bytes); }
    room_.assign(longest, std::byte{1});
    std::array<std::size_t, 3> used{};  // of what is sent at once, sent later, received
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        auto const& m = messages_[i];
        auto const which = !m.sends ? 2U : m.after.empty() ? 0U : 1U;
        auto const from = which == 0 ? of_.in : of_.out;
        if (m.bytes > from.size()) {
            moves_[i].memory = room_.data();
            continue;
        }
        if (used[which] + m.bytes > from.size()) { used[which] = 0; }
        moves_[i].memory = from.data() + used[which];
        used[which] += m.bytes;
    }
}

void kernel_loop::operator()() {
    ++call_;
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        for (auto const earlier : messages_[i].after) { take(earlier); }
        if (!messages_[i].sends) { continue; }
        auto& its = *moves_[i].through;
        its.address = reinterpret_cast<std::uintptr_t>(moves_[i].memory);
        std::atomic_ref(its.posted).store(call_, std::memory_order_release);
    }
    std::copy(of_.own_in.begin(), of_.own_in.end(), of_.own_out.begin());
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        if (!messages_[i].sends) { take(i); }
    }
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        if (messages_[i].sends) { wait_for(moves_[i].through->taken); }
    }
}

void kernel_loop::take(std::size_t i) {
    auto& m = moves_[i];
    if (std::exchange(m.done, call_) == call_) { return; }
    wait_for(m.through->posted);
    auto const from = processes_[static_cast<std::size_t>(messages_[i].peer)];
    if (!copy_from(from, m.through->address, m.memory, messages_[i].bytes)) {
        throw std::runtime_error(std::string("process_vm_readv: ") + std::strerror(errno));
    }
    std::atomic_ref(m.through->taken).store(call_, std::memory_order_release);
}

void kernel_loop::wait_for(std::uint64_t& word) const {
    for (unsigned turns = 1; std::atomic_ref(word).load(std::memory_order_acquire) != call_;
         ++turns) {
        if (yields_ || turns % 1024 == 0) { ::sched_yield(); }
    }
}

}  // namespace coll_perf
