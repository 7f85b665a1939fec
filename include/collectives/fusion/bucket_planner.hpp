// SPDX-License-Identifier: BSD-3-Clause
// Decides which tensors travel together. It knows sizes and types, no data and no communicator.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace collectives::inline v0 {

/// The properties of a tensor that must be equal on all ranks.
struct tensor_shape {
    std::uint64_t type = 0;     // of its elements: only equal types share a bucket
    std::size_t elem_size = 1;  // bytes
    std::size_t count = 0;      // elements
    std::uint64_t name = 0;     // hash of its name; 0: it has none

    std::size_t bytes() const { return count * elem_size; }
    /// Tells shapes apart. Types and names are hashes themselves; a step has thousands of these.
    std::uint64_t hash() const { return type ^ count * 0x9e3779b97f4a7c15ULL ^ (name << 1); }
};

/// Puts tensors into buckets as they come. Only earlier tensors count, so all ranks that add the
/// same tensors get the same buckets. One bucket is open for each type. It is full when it has no
/// room for the next tensor, or when it holds all that the bucket of its number held before the
/// last flush. A tensor above the threshold has a bucket of its own.
///
/// Buckets are numbered from 0 in the order in which they are opened, anew after each flush.
class bucket_planner {
public:
    /// `threshold`: the most bytes of a bucket; 0: every tensor by itself.
    explicit bucket_planner(std::size_t threshold) : threshold_(threshold) {}

    /// What an open bucket holds so far.
    struct fill {
        std::size_t bytes = 0;
        std::uint64_t content = 0;  // a hash of its tensors, in their order
    };
    struct placing {
        int full_before = -1;  // a bucket that has no room for the tensor and starts first; or -1
        int bucket = 0;        // the tensor's bucket
        bool opens = false;    // the bucket is a new one
        bool alone = false;    // the tensor is all that the bucket holds
        bool full = false;     // the bucket starts now
        std::uint64_t content_before = 0;  // of full_before
        std::uint64_t content = 0;         // of the bucket, if it is full
        fill before;                       // of the bucket, without the tensor
    };

    /// The place of the next tensor. O(types).
    placing add(tensor_shape const& t) {
        placing result;
        if (threshold_ == 0 || t.bytes() > threshold_) {
            result.bucket = opened_++;
            result.opens = result.alone = result.full = true;
            result.content = detail::hash_mix(salt, t.hash());
            note(result.bucket, result.content);
            return result;
        }
        auto* at = open_.find_if([&](auto const& b) { return b.type == t.type; });
        if (at != open_.end() && at->holds.bytes + t.bytes() > threshold_) {
            result.full_before = at->number;
            result.content_before = end(at);
            at = open_.end();
        }
        if (at == open_.end()) {
            result.opens = true;
            open_.push_back({t.type, opened_++, {0, salt}});
            at = open_.end() - 1;
        }
        result.bucket = at->number;
        result.before = at->holds;
        at->holds.bytes += t.bytes();
        at->holds.content = detail::hash_mix(at->holds.content, t.hash());
        result.full =
            at->holds.bytes == threshold_ || content_before(at->number) == at->holds.content;
        if (result.full) { result.content = end(at); }
        return result;
    }

    /// Ends a bucket that is open and gives its content; none if it is not open.
    std::optional<std::uint64_t> close(int bucket) {
        auto const at = find(bucket);
        if (at == open_.end()) { return std::nullopt; }
        return end(at);
    }
    /// The content of the bucket of that number before the last flush; 0 if there was none.
    std::uint64_t content_before(int bucket) const {
        auto const i = static_cast<std::size_t>(bucket);
        return i < before_.size() ? before_[i] : 0;
    }
    /// The open bucket now holds the tensors of the bucket of that number before the last flush,
    /// all but the last one: no `add` of these would make it full.
    void add_again(int bucket, fill as_before) { find(bucket)->holds = as_before; }
    /// Calls start(bucket, content) for all that are open, in the order in which they were opened,
    /// and remembers what the buckets held.
    void flush(function_ref<void(int, std::uint64_t)> start) {
        if (opened_ == 0) { return; }  // nothing came since the last one, which stays known
        while (!open_.empty()) {
            auto const bucket = open_.front().number;
            start(bucket, end(open_.begin()));
        }
        before_.swap(now_);
        now_.clear();
        opened_ = 0;
    }

    /// Buckets opened since the last flush.
    int opened() const { return opened_; }

private:
    static constexpr std::uint64_t salt = detail::hash_text("tensors");
    static constexpr std::size_t most_noted = 100'000;

    struct open_bucket {
        std::uint64_t type;
        int number;
        fill holds;
    };

    open_bucket* find(int bucket) {
        return open_.find_if([&](auto const& b) { return b.number == bucket; });
    }
    std::uint64_t end(open_bucket* at) {
        auto const content = at->holds.content;
        note(at->number, content);
        open_.erase(at);
        return content;
    }
    void note(int bucket, std::uint64_t content) {
        auto const i = static_cast<std::size_t>(bucket);
        if (i >= most_noted) { return; }  // who never flushes has no step to remember
        if (i >= now_.size()) { now_.resize(i + 1); }
        now_[i] = content;
    }

    std::size_t threshold_;
    int opened_ = 0;
    lean_vector<open_bucket> open_;            // one per type, in the order of opening
    lean_vector<std::uint64_t> now_, before_;  // contents by number, since the last flush and
                                               // before it
};

/// Tensors that travel together.
struct fused_bucket {
    lean_vector<std::size_t> tensors;  // by their place in the list, ascending
    std::size_t bytes = 0;
    bool alone = false;         // it is not copied
    std::size_t starts_at = 0;  // the tensor with which it starts, in the first pass
};

/// The buckets of a list of tensors, in the order in which they start. O(tensors x types).
inline lean_vector<fused_bucket> fuse(std::span<tensor_shape const> tensors,
                                      std::size_t threshold) {
    bucket_planner places(threshold);
    lean_vector<fused_bucket> open, started;
    auto const start = [&](int bucket, std::size_t at) {
        auto& b = open[static_cast<std::size_t>(bucket)];
        b.starts_at = at;
        started.push_back(std::move(b));
    };
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        auto const p = places.add(tensors[i]);
        if (p.full_before >= 0) { start(p.full_before, i); }
        if (p.opens) { open.emplace_back(); }
        auto& b = open[static_cast<std::size_t>(p.bucket)];
        b.tensors.push_back(i);
        b.bytes += tensors[i].bytes();
        b.alone = p.alone;
        if (p.full) { start(p.bucket, i); }
    }
    places.flush([&](int bucket, std::uint64_t) { start(bucket, tensors.size()); });
    return started;
}

}  // namespace collectives
