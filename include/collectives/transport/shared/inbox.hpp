// SPDX-License-Identifier: BSD-3-Clause
// Pairs what one peer sends with the receives that wait for it, in order within each tag.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/transport/shared/request.hpp>
#include <collectives/transport/shared/rings.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace collectives::inline v0::shared {

/// A message that came before its receive.
struct early_message {
    entry_header head;
    lean_vector<std::byte> payload;
};

class inbox {
public:
    /// The oldest early message for a receive with this tag, which stays until the next call;
    /// without one the receive waits.
    early_message const* expect(request& r, std::uint64_t tag) {
        auto* const found = oldest(tag);
        if (found == early_.end()) {
            posted_.push_back({&r, tag});
            return nullptr;
        }
        expected_ = static_cast<early_message&&>(*found);
        remove(found);
        return &expected_;
    }
    /// The receive that waits longest for a message; without one the message is kept, with `bytes`
    /// bytes of payload.
    request* receiver(entry_header const& h, std::byte const* payload, std::size_t bytes) {
        auto* const found = posted_.find_if([&](auto const& p) { return p.tag == h.tag; });
        if (found == posted_.end()) { return keep(h, payload, bytes); }
        auto* const r = found->what;
        posted_.erase(found);
        return r;
    }
    /// Whether a receive waits.
    bool waits() const { return !posted_.empty(); }
    /// The bytes of the oldest early message with this tag.
    std::optional<std::size_t> bytes_of_next(std::uint64_t tag) {
        auto const* const found = oldest(tag);
        if (found == early_.end()) { return {}; }
        return found->head.bytes;
    }
    void forget(request& r) {
        posted_.erase_if([&](auto const& p) { return p.what == &r; });
    }

private:
    struct waiting {
        request* what = nullptr;
        std::uint64_t tag = 0;
    };
    [[gnu::cold]] request* keep(entry_header const& h, std::byte const* payload,
                                std::size_t bytes) {
        early_.push_back({h, {payload, payload + bytes}});  // all of it, or it throws
        return nullptr;
    }
    [[gnu::noinline]] early_message* oldest(std::uint64_t tag) {
        auto* at = early_.begin() + taken_;
        while (at != early_.end() && at->head.tag != tag) { ++at; }
        return at;
    }
    /// Removes an early message, mostly the first: a peer that is far ahead has sent many. Removed
    /// messages stay in front until they are half of the list. So each is moved at most once.
    [[gnu::noinline]] void remove(early_message* found) {
        if (found != early_.begin() + taken_) {
            early_.erase(found);
        } else if (2 * ++taken_ >= static_cast<std::ptrdiff_t>(early_.size())) {
            early_.erase_if([&](auto const&) { return taken_-- > 0; });
            taken_ = 0;
        }
    }

    lean_vector<waiting> posted_;
    lean_vector<early_message> early_;  // the first `taken_` of them are gone
    std::ptrdiff_t taken_ = 0;
    early_message expected_;
};

}  // namespace collectives::shared
