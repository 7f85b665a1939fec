// SPDX-License-Identifier: BSD-3-Clause
// Torch's allocator of the CPU, once a group is made: large tensors lie in memory that peers reach,
// so that calls on them copy nothing, and the program does not have to say so.
#pragma once

#include "pool_fork.hpp"
#include "pool_limit.hpp"
#include "seats.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace collectives_torch {

/// Gives blocks of the job in which this process's largest group is, and keeps freed ones for the
/// next tensors of about their size. All blocks together, with those that are kept, stay below a
/// limit. What is smaller than `smallest`, or has no place, comes from the allocator that was there
/// before. All members may be called by any thread.
class pool final : public c10::Allocator {
public:
    static constexpr std::size_t smallest = 16 * 1024;
    /// A forked process maps each by itself, and the kernel gives a process some 65,000 maps.
    static constexpr std::size_t most_tensors = 8192;

    struct usage {
        std::size_t limit = 0, in_tensors = 0, kept = 0;  ///< bytes
        std::size_t refused = 0;                          ///< tensors that had no place
    };

    static pool& of_this_process() {
        static auto& one = *new pool;  // never destroyed: tensors may live as long as the process
        return one;
    }

    /// A group has been made. Large tensors are of its job from now on, unless an earlier one that
    /// is still used has as many ranks.
    void open(std::shared_ptr<seat> const& at, int ranks) {
        at->groups.fetch_add(1);
        if (at->shared->carrier->memory() == nullptr || ranks < 2) { return; }
        std::unique_lock lock(mutex_);
        if (!limit_) { limit_ = default_pool_limit(ranks); }
        auto const now = at_.lock();
        if (now && now->groups.load() > 0 && now->ranks >= ranks) { return; }
        at->ranks = ranks;
        at_ = at;
        if (*limit_ != 0) { install(); }
        std::vector<block> unused;  // peers in the new job cannot reach what is of the old one
        if (now && now != at) { unused = take_kept(0, now.get()); }
        lock.unlock();
        give_up(unused);
    }
    /// A group has ended. With the last of a job the pool lets go of the memory that it kept of it.
    void close(std::shared_ptr<seat> const& at) {
        if (at->groups.fetch_sub(1) != 1) { return; }
        std::unique_lock lock(mutex_);
        if (at_.lock() == at) { at_.reset(); }
        auto const unused = take_kept(0, at.get());
        lock.unlock();
        give_up(unused);
    }
    /// 0: tensors are private from now on.
    void set_limit(std::size_t bytes) {
        std::unique_lock lock(mutex_);
        limit_ = bytes;
        if (bytes != 0 && at_.lock()) { install(); }
        auto const unused = take_kept(bytes - std::min(bytes, in_tensors_));
        lock.unlock();
        give_up(unused);
    }
    usage in_use() {
        std::lock_guard const lock(mutex_);
        return {limit_.value_or(0), in_tensors_, kept_, refused_};
    }

    c10::DataPtr allocate(std::size_t bytes) override {
        if (bytes >= smallest) {
            if (auto* const p = take(bytes)) {
                c10::profiledCPUMemoryReporter().New(p, bytes);
                return {p, p, &give_back, c10::DeviceType::CPU};
            }
        }
        return before_->allocate(bytes);
    }
    c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
    void copy_data(void* to, void const* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }

private:
    struct block {
        void* data = nullptr;
        std::size_t bytes = 0;
        std::shared_ptr<seat> of;  ///< null: of a forked process alone
    };

    /// Eight sizes between two powers of two: at most an eighth of a block is unused.
    static std::size_t whole(std::size_t bytes) {
        auto const step = std::max<std::size_t>(4096, std::bit_floor(bytes - 1) / 8);
        return (bytes + step - 1) / step * step;
    }

    void install() {
        if (before_ != nullptr) { return; }
        before_ = c10::GetCPUAllocator();
        fork_guard<pool>::watch();
        c10::SetCPUAllocator(this);
    }

    /// Null where the tensor is to be private.
    void* take(std::size_t bytes) {
        if (bytes > std::size_t{1} << 46) { return nullptr; }
        block made{nullptr, whole(bytes), nullptr};
        std::unique_lock lock(mutex_);
        made.of = at_.lock();
        if (!made.of || limit_ == 0 || made.of->has_failed.load()) { return nullptr; }
        if (blocks_.size() >= most_tensors) {
            ++refused_;
            return nullptr;
        }
        if (auto const found = kept_of_.find(made.bytes); found != kept_of_.end()) {
            made = std::move(found->second);
            kept_of_.erase(found);
            kept_ -= made.bytes;
            return hand_out(std::move(made));
        }
        if (in_tensors_ + made.bytes > *limit_) {
            ++refused_;
            return nullptr;
        }
        auto const unused = take_kept(*limit_ - in_tensors_ - made.bytes);
        in_tensors_ += made.bytes;
        auto const life = lives_;
        lock.unlock();  // a thread may wait for this lock with that of the seat
        give_up(unused);
        try {
            auto const held = made.of->shared->work->lock->take();
            made.data = made.of->shared->carrier->memory()->allocate(made.bytes);
        } catch (coll::transport_error const&) {}  // the machine has none left
        if (made.data != nullptr) { map_pages(made.data, made.bytes); }
        lock.lock();
        if (life == lives_) { in_tensors_ -= made.bytes; }
        if (made.data == nullptr) {
            ++refused_;
            return nullptr;
        }
        return hand_out(std::move(made));
    }
    void* hand_out(block one) {
        auto* const p = one.data;
        in_tensors_ += one.bytes;
        blocks_.emplace(p, std::move(one));
        return p;
    }
    /// At once, which costs less than a fault for each page.
    static void map_pages(void* p, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
        ::madvise(p, bytes, MADV_POPULATE_WRITE);
#endif
    }

    static void give_back(void* p) {
        auto& self = of_this_process();
        auto const one = self.removed(p);
        if (one.data == nullptr) {
            if (auto const its = self.before_->raw_deleter()) { its(p); }
            return;
        }
        c10::profiledCPUMemoryReporter().Delete(p);
        if (one.of) {
            if (!self.keep(one)) { give_up(one); }
        } else {
            ::munmap(p, one.bytes);
        }
    }
    /// The block of a tensor, which is no more; none where the memory is not the pool's.
    block removed(void* p) {
        std::lock_guard const lock(mutex_);
        auto const found = blocks_.find(p);
        if (found == blocks_.end()) { return {}; }
        auto one = std::move(found->second);
        blocks_.erase(found);
        if (one.of) { in_tensors_ -= one.bytes; }
        return one;
    }
    bool keep(block const& one) {
        std::lock_guard const lock(mutex_);
        if (at_.lock() != one.of || one.of->has_failed.load()) { return false; }
        if (in_tensors_ + kept_ + one.bytes > *limit_) { return false; }
        kept_ += one.bytes;
        kept_of_.emplace(one.bytes, one);
        return true;
    }
    /// Removes kept blocks, the largest first, until at most `most` bytes are kept: of any seat, or
    /// all of one.
    std::vector<block> take_kept(std::size_t most, seat const* of = nullptr) {
        std::vector<block> result;
        for (auto next = kept_of_.end(); next != kept_of_.begin();) {
            --next;
            if (kept_ <= most) { break; }
            if (of != nullptr && next->second.of.get() != of) { continue; }
            kept_ -= next->second.bytes;
            result.push_back(std::move(next->second));
            next = kept_of_.erase(next);
        }
        return result;
    }
    static void give_up(std::vector<block> const& all) {
        for (auto const& one : all) { give_up(one); }
    }
    /// After a failed call a peer that was stopped may still write there once. So nobody gets it
    /// again: only its pages go back.
    static void give_up(block const& one) {
        if (one.of->has_failed.load()) {
            ::madvise(one.data, one.bytes, MADV_REMOVE);
            return;
        }
        auto const held = one.of->shared->work->lock->take();
        one.of->shared->carrier->memory()->deallocate(one.data, one.bytes);
    }

    friend class fork_guard<pool>;
    /// What a forked process is to have for itself.
    bool has_shared_blocks() const {
        return std::any_of(blocks_.begin(), blocks_.end(), [](auto& b) { return b.second.of; });
    }
    void become_a_fork() {
        for (auto& [p, its] : blocks_) {
            if (!its.of) { continue; }
            make_private(p, its.bytes);
            new std::shared_ptr(std::move(its.of));  // the parent's: nothing of it ends here
            its.of = nullptr;
        }
        new auto(std::move(kept_of_));
        kept_of_.clear();
        at_.reset();
        in_tensors_ = kept_ = 0;
        ++lives_;
    }

    std::mutex mutex_;
    c10::Allocator* before_ = nullptr;
    std::optional<std::size_t> limit_ = given_pool_limit();
    std::weak_ptr<seat> at_;
    std::unordered_map<void*, block> blocks_;    ///< those of tensors
    std::multimap<std::size_t, block> kept_of_;  ///< by their bytes
    std::size_t in_tensors_ = 0, kept_ = 0, refused_ = 0;
    int lives_ = 0;  ///< counts forks
};

}  // namespace collectives_torch
