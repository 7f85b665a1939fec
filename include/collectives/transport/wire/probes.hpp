// SPDX-License-Identifier: BSD-3-Clause
// Looks at messages before they are received: a probe takes in the frame of a message that has
// come, and the receive that follows takes it over.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/transport/wire/link.hpp>
#include <collectives/transport/wire/request.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace collectives::inline v0::wire {

/// A frame that was asked for before the receive of its message.
template <link Link>
struct probed_frame {
    rank_t from = 0;
    std::uint64_t tag = 0;
    std::unique_ptr<frame> text = std::make_unique<frame>();
    typename Link::handle under_way{};
    std::optional<arrival> came{};
};

template <link Link>
class probes {
public:
    /// The bytes of the next message of that rank under that tag, if its frame has come.
    std::optional<std::size_t> probe(Link& over, rank_t from, std::uint64_t tag) {
        auto* mine = find(from, tag);
        if (mine == all_.end()) {
            if (!over.waits(from, tag)) { return {}; }
            probed_frame<Link> next{from, tag};
            all_.make_room(1);
            next.under_way = over.receive(reinterpret_cast<std::byte*>(next.text.get()),
                                          sizeof(frame), from, tag);
            all_.push_back(std::move(next));
            mine = all_.end() - 1;
        }
        arrival came;
        if (!mine->came && over.test(mine->under_way, came)) { mine->came = came; }
        if (!mine->came) { return {}; }
        return mine->came->bytes < frame::head ? 0 : mine->text->bytes;
    }
    /// Gives up the frame that was asked for, if one was.
    std::optional<probed_frame<Link>> take(rank_t from, std::uint64_t tag) {
        auto* const mine = find(from, tag);
        if (mine == all_.end()) { return {}; }
        auto result = std::move(*mine);
        all_.erase(mine);
        return result;
    }
    /// Takes back what has not come. Calls keep(frame) for what the library may still write to.
    template <class Keep>
    void end(Link& over, Keep&& keep) {
        for (auto& one : all_) {
            grace const time{steady::now() + std::chrono::milliseconds(10)};
            if (one.came || (over.usable() && over.take_back(one.under_way, time))) { continue; }
            keep(std::move(one.text));
        }
        all_.clear();
    }

private:
    probed_frame<Link>* find(rank_t from, std::uint64_t tag) {
        return std::find_if(all_.begin(), all_.end(),
                            [&](auto const& one) { return one.from == from && one.tag == tag; });
    }

    lean_vector<probed_frame<Link>> all_;
};

}  // namespace collectives::wire
