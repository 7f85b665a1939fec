// SPDX-License-Identifier: BSD-3-Clause
// Memory of other processes that is mapped here: opened once, used by all communicators of this
// process, and closed when none uses it any more or its owner has given it up.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/transport/cuda/calls.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace collectives::inline v0::cuda {

/// One mapped allocation.
class mapping {
public:
    mapping(std::shared_ptr<call_table> with, int device, void* at)
        : calls_(std::move(with)), device_(device), at_(at) {}
    mapping(mapping const&) = delete;
    mapping& operator=(mapping const&) = delete;
    ~mapping() { close(); }

    /// Null once it is closed. From any thread.
    std::byte* at() const { return static_cast<std::byte*>(at_.load()); }
    void close() {
        if (auto* const p = at_.exchange(nullptr)) {
            give_back(*calls_, device_, [&] { calls_->close(p); });
        }
    }

private:
    std::shared_ptr<call_table> calls_;
    int device_;
    std::atomic<void*> at_;
};

/// An allocation of another process, as that describes it.
struct remote_allocation {
    std::uint64_t process = 0;  // equal for no two processes
    std::uint64_t base = 0;     // its address there
    std::uint64_t bytes = 0;
    std::uint64_t id = 0;  // of the allocation there, never used again
    handle key{};
};

/// Mappings are found by process, device and base, and are valid as long as the allocation's id is
/// the same. A mapping that overlaps a new allocation of its owner is closed: the owner has freed
/// the memory.
class mappings {
public:
    explicit mappings(std::shared_ptr<call_table> with) : calls_(std::move(with)) {}

    /// Throws transport_error where it cannot be opened. The device is current. Before anything is
    /// closed for it, `wait()` lets kernels end that may be at work there.
    template <class Wait>
    std::shared_ptr<mapping> get(remote_allocation const& what, int device, Wait const& wait) {
        std::lock_guard const lock(mutex_);
        auto const place = std::pair{std::pair{what.process, device}, what.base};
        auto const known = known_.find(place);
        if (known != known_.end() && known->second.id == what.id) {
            if (auto kept = known->second.mapped.lock(); kept && kept->at() != nullptr) {
                return kept;
            }
        }
        auto const overlaps = [&](auto const& at, entry const& e) {
            return at.first == place.first && at.second < what.base + what.bytes &&
                   what.base < at.second + e.bytes;
        };
        evict(overlaps, wait);
        auto at = calls_->open(what.key);
        if (!at) {  // memory is mapped there that its process has freed, unknown to us
            evict([&](auto const& other, entry const&) { return other.first == place.first; },
                  wait);
            at = calls_->open(what.key);
        }
        if (!at) { throw transport_error("memory of a peer is already mapped, and not by us"); }
        ++opened_;
        auto made = std::make_shared<mapping>(calls_, device, *at);
        known_[place] = {what.bytes, what.id, made};
        return made;
    }
    /// How often something was opened.
    std::size_t opened() const {
        std::lock_guard const lock(mutex_);
        return opened_;
    }
    /// Allocations that are mapped now.
    std::size_t live() const {
        std::lock_guard const lock(mutex_);
        std::size_t n = 0;
        for (auto const& [at, e] : known_) {
            auto const kept = e.mapped.lock();
            if (kept && kept->at() != nullptr) { ++n; }
        }
        return n;
    }

    /// Those of this process over one table of calls.
    static std::shared_ptr<mappings> of(std::shared_ptr<call_table> const& with) {
        static std::mutex mutex;
        static std::map<call_table*, std::weak_ptr<mappings>> all;
        std::lock_guard const lock(mutex);
        auto& known = all[with.get()];
        auto result = known.lock();
        if (!result) { known = result = std::make_shared<mappings>(with); }
        return result;
    }

private:
    using key = std::pair<std::pair<std::uint64_t, int>, std::uint64_t>;
    struct entry {
        std::uint64_t bytes = 0, id = 0;
        std::weak_ptr<mapping> mapped;
    };

    template <class Which, class Wait>
    void evict(Which const& which, Wait const& wait) {
        bool waited = false;
        for (auto i = known_.begin(); i != known_.end();) {
            if (!which(i->first, i->second)) {
                ++i;
                continue;
            }
            if (auto const kept = i->second.mapped.lock(); kept && kept->at() != nullptr) {
                if (!std::exchange(waited, true)) { wait(); }
                kept->close();
            }
            i = known_.erase(i);
        }
    }

    std::shared_ptr<call_table> calls_;
    mutable std::mutex mutex_;
    std::map<key, entry> known_;
    std::size_t opened_ = 0;
};

}  // namespace collectives::cuda
