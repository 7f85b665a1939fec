// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a broken board still tell each other: who goes on, and by what addresses.
#pragma once

#include <collectives/core/bootstrap.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/transport/wire/agreement.hpp>
#include <collectives/transport/wire/control_message.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

namespace collectives::inline v0::wire {

class survival {
public:
    /// `tell(rank of the board, message)` sends one, and does nothing for a lost rank.
    using sender = std::function<void(rank_t to, control_message const& what)>;

    survival(int size, rank_t me, sender tell)
        : size_(size),
          tell_(std::move(tell)),
          given_(static_cast<std::size_t>(size)),
          agreement_(size, me, [this](rank_t to, agreement_message const& what) {
              tell_(to, packed(what));
          }) {
        if (static_cast<std::size_t>(size) > most_ranks) {
            throw_error<transport_error>("at most ", most_ranks, " ranks can agree by messages");
        }
    }
    survival(survival const&) = delete;
    survival& operator=(survival const&) = delete;

    std::optional<lean_vector<rank_t>> agree(steady::time_point now,
                                             function_ref<bool(rank_t)> lost) {
        return agreement_.step(now, lost);
    }
    lean_vector<rank_t> silent() const { return agreement_.silent(); }
    void receive(control_message const& m) {
        if (m.what == control_message::kind::agrees) {
            return agreement_.receive(m.from, unpacked(m));
        }
        auto& its = given_[static_cast<std::size_t>(m.from)];
        if (its.bytes.empty()) { its.bytes.resize(std::min<std::size_t>(m.asked, most_bytes)); }
        if (m.asked != its.bytes.size() || m.other != its.come || m.other == m.asked) {
            return;  // no fragment to expect
        }
        auto const n = std::min(its.bytes.size() - its.come, m.why.text.size());
        std::memcpy(its.bytes.data() + its.come, m.why.text.data(), n);
        its.come += n;
    }

    /// Gives a rank some bytes, at most 1 MiB, in fragments that arrive in order.
    void give(rank_t to, std::span<std::byte const> bytes) const {
        control_message m{.what = control_message::kind::payload, .asked = bytes.size()};
        for (m.other = 0; m.other < bytes.size(); m.other += m.why.text.size()) {
            auto const n = std::min(bytes.size() - m.other, m.why.text.size());
            std::memcpy(m.why.text.data(), bytes.data() + m.other, n);
            tell_(to, m);
        }
    }
    /// What a rank has given; null while some of it is missing.
    bootstrap_bytes const* given_by(rank_t r) const {
        auto const& its = given_[static_cast<std::size_t>(r)];
        return !its.bytes.empty() && its.come == its.bytes.size() ? &its.bytes : nullptr;
    }

private:
    static constexpr std::size_t most_ranks = 8 * failure::text_size;  // one bit each
    static constexpr std::size_t most_bytes = std::size_t{1} << 20;

    struct gift {
        bootstrap_bytes bytes;
        std::size_t come = 0;
    };

    static control_message packed(agreement_message const& what) {
        control_message m{.what = control_message::kind::agrees,
                          .asked = what.ballot,
                          .other = what.accepted,
                          .step = static_cast<std::uint32_t>(what.what)};
        for (auto const r : what.survivors) {
            auto& eight = m.why.text[static_cast<std::size_t>(r) / 8];
            eight = static_cast<char>(eight | 1 << r % 8);
        }
        return m;
    }
    agreement_message unpacked(control_message const& m) const {
        agreement_message what{static_cast<agreement_message::kind>(m.step), m.asked, m.other, {}};
        for (rank_t r = 0; r < size_; ++r) {
            if ((m.why.text[static_cast<std::size_t>(r) / 8] >> r % 8 & 1) != 0) {
                what.survivors.push_back(r);
            }
        }
        return what;
    }

    int size_;
    sender tell_;
    lean_vector<gift> given_;
    agreement agreement_;
};

}  // namespace collectives::wire
