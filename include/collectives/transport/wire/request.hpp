// SPDX-License-Identifier: BSD-3-Clause
// A message under way over a link, and how one is laid out whose receiver must tell what came.
#pragma once

#include <collectives/core/copy.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/transport/concepts.hpp>
#include <collectives/transport/wire/link.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace collectives::inline v0::wire {

/// Goes before the bytes of a message with a `check`; takes them along where they are few. The rest
/// follows as a message of its own under the same tag.
struct frame {
    static constexpr std::size_t most_inside = 4096;

    std::uint64_t check = 0;
    std::uint64_t bytes = 0;
    std::array<std::byte, most_inside> inside;

    static constexpr std::size_t head = 2 * sizeof(std::uint64_t);
};

template <link Link>
class transport;
template <link Link>
struct probed_frame;

/// Stays where it is from isend or irecv until it tests true or is cancelled.
template <link Link>
class request {
public:
    request() = default;
    request(request const&) = delete;
    request& operator=(request const&) = delete;

    bool wrong() const { return wrong_; }
    /// Whether more came than was expected. Then `actual_bytes` is only the least that came.
    bool came_cut() const { return came_cut_; }
    std::size_t actual_bytes() const { return actual_bytes_; }
    std::uint64_t actual_check() const { return actual_check_; }

private:
    friend class transport<Link>;

    /// The part of an `incoming` that is needed when the message has come.
    struct awaited {
        std::byte* data = nullptr;
        std::size_t bytes = 0;
        std::uint64_t check = 0;
    };

    /// Makes room before messages are posted, so that noting their handles cannot fail: what was
    /// posted must be taken back by its handle.
    void make_room(std::size_t fragments) { fragments_.make_room(fragments); }
    void reset(bool receives) {
        fragments_.clear();
        frame_.reset();
        receives_ = receives;
        wrong_ = came_cut_ = false;
        tested_ = 0;
        actual_bytes_ = 0;
        actual_check_ = 0;
    }
    /// Begins with a frame that a probe has asked for.
    void take_over(probed_frame<Link> probed) {
        frame_ = std::move(probed.text);
        fragments_.push_back(std::move(probed.under_way));
        if (probed.came) {
            take_in(*probed.came);
            tested_ = 1;
        }
    }
    /// Takes in what a fragment has brought.
    void take_in(arrival const& came) {
        if (frame_ && tested_ == 0) { return take_in_frame(came); }
        actual_bytes_ += came.bytes;
        if (came.too_long) {
            wrong_ = came_cut_ = true;
            actual_bytes_ = std::max(actual_bytes_, in_.bytes + 1);
        }
    }
    void take_in_frame(arrival const& came) {
        auto const inside = came.bytes - std::min(came.bytes, frame::head);
        auto const fits = inside <= in_.bytes && came.bytes <= sizeof(frame);
        wrong_ = came.bytes < frame::head || frame_->check != in_.check ||
                 frame_->bytes != in_.bytes || !fits;
        if (came.bytes >= frame::head) { actual_check_ = frame_->check; }
        actual_bytes_ = wrong_ && came.bytes >= frame::head ? frame_->bytes : inside;
        if (!wrong_ && inside != 0) {
            host::copy_through_caches(in_.data, frame_->inside.data(), inside);
        }
    }

    lean_vector<typename Link::handle> fragments_;
    std::unique_ptr<frame> frame_;  // its fragment is the first, where there is one
    awaited in_{};
    bool receives_ = false;
    bool wrong_ = false, came_cut_ = false;
    std::size_t tested_ = 0;  // fragments that have ended
    std::size_t actual_bytes_ = 0;
    std::uint64_t actual_check_ = 0;
};

}  // namespace collectives::wire
