// SPDX-License-Identifier: BSD-3-Clause
// How the devices of ranks wait for each other, and the words in the host's memory that devices
// write, and wait for, themselves.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/cuda/calls.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace collectives::inline v0::cuda {

/// What keeps the work of a peer behind the work that it was told of.
enum class ordering : std::uint8_t {
    events,  // the peer's stream waits for an event that the rank has recorded
    memory,  // the peer's stream waits for a word that the rank's stream writes
    host     // the rank tells its peers only when its work is done; this works everywhere
};

/// How far a rank's stream has come. These values only grow.
struct alignas(128) order_word {
    std::uint64_t done;      // notes that the stream has passed; the device writes this
    std::uint64_t enqueued;  // notes on the stream; the rank writes this before it tells a peer
    std::uint64_t released;  // 1 once the rank is gone or its device has failed; a rank writes this
};

/// The order words of all ranks, in shared memory that this rank's device reaches. A peer waits
/// only for work that was enqueued when it was told, so no wait precedes what it waits for.
class order_flags {
public:
    static constexpr std::size_t page = 4096;
    static constexpr std::size_t bytes_for(int ranks) {
        return (static_cast<std::size_t>(ranks) * sizeof(order_word) + page - 1) / page * page;
    }

    /// `at`: the memory, whole pages of it, which this makes known to the devices of this process
    /// if it `registers`; `keep` holds it.
    order_flags(std::shared_ptr<call_table> with, void* at, int ranks, rank_t me, bool registers,
                std::shared_ptr<void> keep)
        : keep_(std::move(keep)),
          calls_(std::move(with)),
          all_(static_cast<order_word*>(at)),
          ranks_(ranks),
          me_(me),
          registers_(registers) {
        on_device_ =
            static_cast<order_word*>(registers ? calls_->add_host(at, bytes_for(ranks)) : at);
    }
    order_flags(order_flags const&) = delete;
    order_flags& operator=(order_flags const&) = delete;
    ~order_flags() {
        if (!registers_) { return; }
        try {
            calls_->remove_host(all_);
        } catch (transport_error const&) {  // NOLINT: it is lost with the device
        }
    }

    /// Whoever is told after this waits for all that is on the stream now.
    void note(stream s) {
        auto const next = load(all_[me_].enqueued) + 1;
        calls_->write_word(s, &on_device_[me_].done, next);
        std::atomic_ref(all_[me_].enqueued).store(next, std::memory_order_release);
    }
    void after(stream s, rank_t r) const {
        auto const until = load(all_[r].enqueued);
        if (until != 0 && !is_released(r)) { calls_->wait_word(s, &on_device_[r].done, until); }
    }
    /// Whether what rank r noted last may still be under way, and somebody waits for that.
    bool has_pending_work(rank_t r) const {
        return r < ranks_ && !is_released(r) && load(all_[r].done) < load(all_[r].enqueued);
    }
    /// Ends all waits for rank r, which has died or whose device has failed. Call it again and
    /// again, because a device that still works may overwrite the word.
    void release(rank_t r) const {
        if (r >= ranks_) { return; }
        std::atomic_ref(all_[r].released).store(1, std::memory_order_release);
        std::atomic_ref(all_[r].done).store(never_reached, std::memory_order_release);
    }
    /// If true, work that waited for the rank has gone on without it.
    bool is_released(rank_t r) const { return r < ranks_ && load(all_[r].released) != 0; }
    void release() {
        has_released_ = true;
        release(me_);
    }
    /// If true, this rank's words are no longer valid.
    bool has_released() const { return has_released_; }

private:
    static std::uint64_t load(std::uint64_t& word) {
        return std::atomic_ref(word).load(std::memory_order_acquire);
    }

    static constexpr auto never_reached = std::uint64_t{1} << 62;  // devices compare with a sign

    std::shared_ptr<void> keep_;
    std::shared_ptr<call_table> calls_;
    order_word* all_;
    order_word* on_device_ = nullptr;
    rank_t ranks_, me_;
    bool registers_;
    bool has_released_ = false;
};

}  // namespace collectives::cuda
