// SPDX-License-Identifier: BSD-3-Clause
// CUDA without a device: devices are known by their UUIDs, streams are worked off by threads,
// memory lies in a file that every process maps at addresses of its own, handles go stale,
// addresses are used again, and any call can be made to fail.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/transport/cuda/calls.hpp>

#include <cuda/fake_events.hpp>
#include <cuda/fake_stream.hpp>
#include <cuda/fake_words.hpp>
#include <cuda/fake_world.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fake {

namespace cuda = collectives::cuda;

/// One process's CUDA.
class machine final : public worded {
    using kind = cuda::allocation::kind;
    struct local {
        std::size_t bytes, mapped;
        std::uint64_t id;
        kind is;
        std::size_t index;  // in the world
        int device;         // that it is on, or from which it was opened
        int opened = 0;     // times, of another process's
    };

public:
    explicit machine(world& w) : worded(w), world_(w), events_(w) {
        for (int d = 0; d < w.devices; ++d) {
            default_streams_.push_back(std::make_unique<stream>(*this, d, 7U, w.laziness));
        }
    }

    std::size_t live_allocations() const { return count(false); }
    std::size_t live_mappings() const { return count(true); }
    std::atomic<int> streams = 0, events = 0, kernels = 0, opens = 0;

    int current() override { return current_; }
    void use(int device) override { current_ = device; }
    bool reaches(int device, int other) override {
        if (device != other && !world_.peers_reach) { return false; }
        std::lock_guard const lock(mutex_);
        reached_.emplace(device, other);
        return true;
    }

    void* allocate(std::size_t bytes) override {
        may_fail("allocate");
        return take(bytes, kind::shareable);
    }
    /// As from a pool, or managed.
    void* allocate_private(std::size_t bytes) { return take(bytes, kind::private_); }
    void free(void* p) override {
        may_fail("free");
        for (auto const& s : default_streams_) { s->synchronize(); }
        std::lock_guard const lock(mutex_);
        auto const found = memory_.find(reinterpret_cast<std::uintptr_t>(p));
        if (found == memory_.end() || found->second.opened != 0) {
            broken("free", "no such memory");
        }
        auto& of = world_.shared().allocation_at[found->second.index];
        of.id.store(0);
        ::fallocate(world_.file(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(of.offset), static_cast<off_t>(found->second.mapped));
        ::munmap(p, found->second.mapped);
        free_addresses_[found->second.mapped] = p;
        memory_.erase(found);
    }
    cuda::allocation allocation_of(void const* p) override {
        std::lock_guard const lock(mutex_);
        auto const at = reinterpret_cast<std::uintptr_t>(p);
        auto next = memory_.upper_bound(at);
        if (next != memory_.begin()) {
            auto const& [base, m] = *--next;
            if (at < base + m.mapped) {
                return {m.opened != 0 ? kind::private_ : m.is, reinterpret_cast<void*>(base),
                        m.bytes, m.id};
            }
        }
        cuda::allocation result;
        if (world_.reaches_host && p != nullptr) { result.is = kind::private_; }
        return result;
    }
    cuda::handle share(void* base) override {
        may_fail("share");
        std::lock_guard const lock(mutex_);
        auto const found = memory_.find(reinterpret_cast<std::uintptr_t>(base));
        if (found == memory_.end() || found->second.is != kind::shareable) {
            broken("share", "invalid argument");
        }
        cuda::handle h{};
        std::uint64_t const said[] = {found->second.index, found->second.id};
        std::memcpy(h.data(), said, sizeof said);
        return h;
    }
    std::optional<void*> open(cuda::handle const& h) override {
        may_fail("open");
        ++opens;
        std::lock_guard const lock(mutex_);
        std::uint64_t said[2];
        std::memcpy(said, h.data(), sizeof said);
        auto const& of = world_.shared().allocation_at[said[0]];
        if (of.owner == ::getpid()) { broken("open", "invalid device context"); }
        if (of.id.load() != said[1]) { broken("open", "invalid resource handle"); }
        for (auto& [base, m] : memory_) {
            if (m.opened == 0) { continue; }
            auto const& other = world_.shared().allocation_at[m.index];
            if (m.id == said[1]) {
                ++m.opened;
                return reinterpret_cast<void*>(base);
            }
            if (other.owner == of.owner && other.base < of.base + of.bytes &&
                of.base < other.base + other.bytes) {
                return {};
            }
        }
        auto const mapped = pages(of.bytes);
        auto* const p = world_.map(nullptr, mapped, of.offset);
        memory_[reinterpret_cast<std::uintptr_t>(p)] = {
            of.bytes, mapped, said[1], kind::shareable, said[0], current_, 1};
        return p;
    }
    void close(void* p) override {
        std::lock_guard const lock(mutex_);
        auto const found = memory_.find(reinterpret_cast<std::uintptr_t>(p));
        if (found == memory_.end() || found->second.opened == 0) {
            broken("close", "invalid argument");
        }
        if (--found->second.opened != 0) { return; }
        ::munmap(p, found->second.mapped);
        memory_.erase(found);
    }

    void copy(void* to, void const* from, std::size_t bytes, cuda::stream s) override {
        may_fail("copy");
        auto& on = usable(s);
        if (bytes == 0) { return; }
        if (allocation_of(from).base == nullptr) {  // of the host: it is the caller's again
            auto kept = std::make_shared<std::vector<std::byte>>(bytes);
            std::memcpy(kept->data(), from, bytes);
            return on.push([=] { std::memcpy(to, kept->data(), bytes); });
        }
        on.push([=] { std::memmove(to, from, bytes); });
    }
    void zero(void* p, std::size_t bytes, cuda::stream s) override {
        usable(s).push([=] { std::memset(p, 0, bytes); });
    }

    bool captures(cuda::stream s) override { return of(s).captures; }
    /// What comes on the stream until `end_capture` is not done, but kept.
    void begin_capture(cuda::stream s) { of(s).captures = true; }
    stream::graph end_capture(cuda::stream s) { return of(s).end_capture(); }
    void replay(stream::graph const& g, cuda::stream s) { usable(s).push_all(g); }

    int device_of(cuda::stream s) override { return of(s).device(); }
    cuda::stream make_stream() override {
        may_fail("make_stream");
        return new stream(*this, current_, static_cast<unsigned>(++streams), world_.laziness);
    }
    void destroy_stream(cuda::stream s) override {
        delete static_cast<stream*>(s);
        --streams;
    }
    /// A failure is told when all has ended.
    void synchronize(cuda::stream s) override {
        of(s).synchronize();
        may_fail("synchronize");
    }
    /// The stream calls it in turn.
    void run(cuda::stream s, std::function<void()> what) { usable(s).push(std::move(what)); }
    bool idle(cuda::stream s) override {
        may_fail("synchronize");
        return of(s).idle();
    }
    /// How much was ever put on a stream.
    std::size_t enqueued(cuda::stream s) { return of(s).enqueued(); }

    cuda::event make_event(bool) override {
        may_fail("make_event");
        ++events;
        return events_.take();
    }
    void destroy_event(cuda::event e) override {
        --events;
        events_.give_back(static_cast<event_state*>(e));
    }
    void record(cuda::event e, cuda::stream s) override {
        may_fail("record");
        not_into_graph(s);
        usable(s).record(*static_cast<event_state*>(e));
    }
    bool passed(cuda::event e) override {
        may_fail("passed");
        auto const& state = *static_cast<event_state*>(e);
        auto const all = state.recorded.load();
        return state.passed.load() >= all;
    }
    void wait(cuda::stream s, cuda::event e) override {
        may_fail("wait");
        not_into_graph(s);
        usable(s).wait(*static_cast<event_state*>(e));
    }
    cuda::handle share_event(cuda::event e) override {
        if (!world_.events_cross) { broken("share_event", "not supported"); }
        return events_.share(static_cast<event_state*>(e));
    }
    cuda::event open_event(cuda::handle const& h) override {
        may_fail("open_event");
        ++events;
        return events_.open(h);
    }

    void check_reach(void const* p, stream const& s) {
        if (s.device() != current_) { broken("launch", "the stream is another device's"); }
        auto const at = allocation_of(p);
        if (at.is == kind::unreachable) { broken("launch", "an illegal address"); }
        if (at.base == nullptr) { return; }  // of the host
        std::lock_guard const lock(mutex_);
        auto const found = memory_.find(reinterpret_cast<std::uintptr_t>(at.base));
        if (found == memory_.end()) { broken("launch", "an illegal address"); }
        auto const its = found->second.device;
        if (its != current_ && !reached_.contains({current_, its})) {
            broken("launch", "another device's memory, without access to it");
        }
    }
    stream& of(cuda::stream s) {
        return s == nullptr ? *default_streams_[static_cast<std::size_t>(current_)]
                            : *static_cast<stream*>(s);
    }

private:
    static std::size_t pages(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }
    void not_into_graph(cuda::stream s) {
        if (of(s).captures) { broken("event", "operation not permitted when stream is capturing"); }
    }
    stream& usable(cuda::stream s) {
        auto& on = of(s);
        if (on.device() != current_) { broken("stream", "invalid resource handle"); }
        return on;
    }
    std::size_t count(bool opened) const {
        std::lock_guard const lock(mutex_);
        std::size_t n = 0;
        for (auto const& [base, m] : memory_) { n += (m.opened != 0) == opened ? 1U : 0U; }
        return n;
    }
    /// At the address of freed memory of that size, if there is one; never where a stale mapping
    /// would find it.
    void* take(std::size_t bytes, kind is) {
        std::lock_guard const lock(mutex_);
        auto& all = world_.shared();
        auto const mapped = pages(bytes);
        auto const index = all.allocations.fetch_add(1);
        if (index >= world::most_allocations) { broken("allocate", "out of memory"); }
        auto& a = all.allocation_at[index];
        a.offset = all.offsets.fetch_add(mapped);
        a.bytes = bytes;
        a.owner = ::getpid();
        auto* const p =
            world_.map(std::exchange(free_addresses_[mapped], nullptr), mapped, a.offset);
        a.base = reinterpret_cast<std::uintptr_t>(p);
        auto const id = all.ids.fetch_add(1) + 1;
        a.id.store(id);
        std::memset(p, 0xa5, std::min(bytes, std::size_t{1} << 16));  // what tests look at
        memory_[a.base] = {bytes, mapped, id, is, index, current_, 0};
        return p;
    }
    world& world_;
    mutable std::mutex mutex_;
    std::map<std::uintptr_t, local> memory_;
    std::map<std::size_t, void*> free_addresses_;
    std::set<std::pair<int, int>> reached_;  // devices that were let in, by whom
    event_table events_;
    std::vector<std::unique_ptr<stream>> default_streams_;
    static thread_local inline int current_ = 0;
};

}  // namespace fake
