// SPDX-License-Identifier: BSD-3-Clause
// What is used of CUDA, as one thin table: the runtime fills it, or a test.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace collectives::inline v0::cuda {

using stream = void*;
using event = void*;
using uuid = std::array<std::byte, 16>;
using handle = std::array<std::byte, 64>;  // of memory or of an event, for another process

/// What an address belongs to.
struct allocation {
    enum class kind : std::uint8_t {
        unreachable,  // the device cannot read it: memory of the host
        private_,     // it can, but no other process may: pool, managed, pinned
        shareable     // another process may, by a handle
    };
    kind is = kind::unreachable;
    void* base = nullptr;
    std::size_t bytes = 0;
    std::uint64_t id = 0;  // never used again in this process, unlike addresses
};

/// Every function throws transport_error with the call's name and what CUDA says, unless it says
/// otherwise. A call for a stream is made while its device is current.
class call_table {
public:
    call_table() = default;
    call_table(call_table const&) = delete;
    call_table& operator=(call_table const&) = delete;
    virtual ~call_table() = default;

    /// 0 where there is no driver or no device; `why` then says so.
    virtual int devices(std::string& why) = 0;
    virtual uuid identity(int device) = 0;
    /// A thread of the library's own calls this first, so that it ends no capture of another
    /// thread.
    virtual void begin_thread() {}
    virtual int current() = 0;
    virtual void use(int device) = 0;
    /// Whether kernels on one device may use the other's memory, once asked for; true for one and
    /// the same.
    virtual bool reaches(int device, int other) = 0;

    virtual void* allocate(std::size_t bytes) = 0;
    virtual void free(void* p) = 0;
    virtual allocation allocation_of(void const* p) = 0;
    virtual handle share(void* base) = 0;
    /// Empty where the address range is already mapped, by a handle of memory that is gone.
    virtual std::optional<void*> open(handle const& h) = 0;
    virtual void close(void* p) = 0;

    /// Zeroed memory of the host that devices reach at the same address.
    virtual void* allocate_host(std::size_t bytes) = 0;
    virtual void free_host(void* p) = 0;

    /// Makes whole pages of the host's memory known to all devices, until `remove_host`. Returns
    /// the address at which devices reach them.
    virtual void* add_host(void* p, std::size_t bytes) = 0;
    virtual void remove_host(void* p) = 0;

    /// The percentage of the device that MPS sets aside for this process; 0 if it sets none aside.
    virtual int share_of(int device) = 0;

    /// Copies between any memories. The host's memory is read before this returns, but is written
    /// in the order of the stream.
    virtual void copy(void* to, void const* from, std::size_t bytes, stream s) = 0;
    virtual void zero(void* p, std::size_t bytes, stream s) = 0;

    virtual bool captures(stream s) = 0;  // whether it records its work as a graph
    virtual int device_of(stream s) = 0;
    virtual stream make_stream() = 0;
    virtual void destroy_stream(stream s) = 0;
    virtual void synchronize(stream s) = 0;
    virtual bool idle(stream s) = 0;  // whether all that is on it is done

    virtual event make_event(bool shared) = 0;
    virtual void destroy_event(event e) = 0;
    virtual void record(event e, stream s) = 0;
    /// Whether all work before the event's last record is done. True of an event that was never
    /// recorded.
    virtual bool passed(event e) = 0;
    /// Later work on the stream waits for all work before the event's last record.
    virtual void wait(stream s, event e) = 0;
    /// Whether streams of a device can write words of 64 bits and wait for them. `from_others`:
    /// other devices write to its memory, and what they wrote before a word must be there after the
    /// wait.
    virtual bool has_words(int device, bool from_others) = 0;
    /// Writes a word of memory that devices reach, once all earlier work on the stream is done and
    /// visible to all.
    virtual void write_word(stream s, std::uint64_t* at, std::uint64_t value) = 0;
    /// Later work on the stream waits until the word is at least this large.
    virtual void wait_word(stream s, std::uint64_t* at, std::uint64_t least) = 0;

    virtual handle share_event(event e) = 0;
    virtual event open_event(handle const& h) = 0;

    /// Makes a device current, and returns the one that was current before, for `leave`.
    int enter(int device) {
        auto const before = current();
        if (before != device) { use(device); }
        return before;
    }
    void leave(int device, int before) {
        if (before == device) { return; }
        try {
            use(before);
        } catch (...) {  // NOLINT: it was the user's device before
        }
    }

    /// An event for peers to wait for. It is used again and never destroyed: a rank that has ended
    /// does not know who is about to wait for it. The device is current. From any thread.
    event borrow_event(int device, bool shared) {
        {
            std::lock_guard const lock(mutex_);
            auto& idle = idle_[{device, shared}];
            if (!idle.empty()) {
                auto const e = idle.back();
                idle.pop_back();
                return e;
            }
        }
        return make_event(shared);
    }
    void give_back_event(int device, bool shared, event e) {
        std::lock_guard const lock(mutex_);
        idle_[{device, shared}].push_back(e);
    }
    /// How many lie here to be used again.
    std::size_t idle_events() const {
        std::lock_guard const lock(mutex_);
        std::size_t n = 0;
        for (auto const& [which, idle] : idle_) { n += idle.size(); }
        return n;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::pair<int, bool>, lean_vector<event>> idle_;
};

/// Makes a device current for as long as it lives.
class on_device {
public:
    on_device(call_table& with, int device)
        : calls_(with), device_(device), before_(with.enter(device)) {}
    on_device(on_device const&) = delete;
    on_device& operator=(on_device const&) = delete;
    ~on_device() { calls_.leave(device_, before_); }

private:
    call_table& calls_;
    int device_, before_;
};

/// Gives something back to a device. A device that has failed does not take it, and it is lost. The
/// next call on that device reports the failure.
template <class Give>
void give_back(call_table& with, int device, Give const& give) {
    try {
        on_device const here(with, device);
        give();
    } catch (transport_error const&) {  // NOLINT: the device has failed
    }
}

}  // namespace collectives::cuda
