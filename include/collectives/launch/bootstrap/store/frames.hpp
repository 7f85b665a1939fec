// SPDX-License-Identifier: BSD-3-Clause
// What ranks and their store send to each other. All of it has a fixed size, except the two frames
// with bytes, which begin with their number.
//
//     rank                              store
//     hello: who I am, a nonce   --->
//                                <---   answer: a nonce, the store's proof of the secret
//     the rank's proof           --->
//                                <---   admitted, or refused and why
//                                <---   met, once all are there
//     gather, bytes              --->
//                                <---   gathered, everybody's bytes; or missing, or lost, and who
#pragma once

#include <collectives/launch/bootstrap/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace collectives::inline v0::bootstraps {

inline constexpr std::uint64_t protocol_magic = 0x746f6f626c6c6f63;  // "collboot"
inline constexpr std::uint32_t protocol_version = 1;

/// The first bytes of every greeting, in every version.
struct prefix {
    static constexpr std::size_t bytes = 12;
    static void put(writer& to) { to.put(protocol_magic).put(protocol_version); }
    /// The version of the sender, or none if it speaks another protocol.
    static std::optional<std::uint32_t> version(bytes_view from) {
        reader text(from);
        if (text.number<std::uint64_t>() != protocol_magic) { return {}; }
        auto const result = text.number<std::uint32_t>();
        return text.failed() ? std::optional<std::uint32_t>() : result;
    }
};

struct hello {
    static constexpr std::size_t bytes = prefix::bytes + 12 + 64;
    std::uint32_t rank = 0;
    std::uint32_t size = 0;
    std::uint32_t patience = 0;  // milliseconds that the rank will wait
    block job{};                 // the digest of its name
    block nonce{};

    bootstrap_bytes write() const {
        writer to;
        prefix::put(to);
        to.put(rank).put(size).put(patience).put(job).put(nonce);
        return to.bytes();
    }
    /// Reads it from all of its bytes; the caller has checked the prefix.
    static hello read(bytes_view from) {
        reader text(from.subspan(prefix::bytes));
        hello h;
        h.rank = text.number<std::uint32_t>();
        h.size = text.number<std::uint32_t>();
        h.patience = text.number<std::uint32_t>();
        h.job = text.digest();
        h.nonce = text.digest();
        return h;
    }
};

struct answer {
    static constexpr std::size_t bytes = prefix::bytes + 64;
    block nonce{};
    block proof{};

    bootstrap_bytes write() const {
        writer to;
        prefix::put(to);
        to.put(nonce).put(proof);
        return to.bytes();
    }
    static answer read(bytes_view from) {
        reader text(from.subspan(prefix::bytes));
        answer a;
        a.nonce = text.digest();
        a.proof = text.digest();
        return a;
    }
};

enum class word : std::uint32_t { admitted = 1, refused, met, gather, gathered, missing, lost };

enum class refusal : std::uint32_t { secret = 1, job, size, rank, taken };

/// The first bytes of every frame after the proofs.
struct head {
    static constexpr std::size_t bytes = 16;
    word what{};
    std::uint32_t number = 0;  // the refusal; of gather the patience; of lost the rank
    std::uint64_t length = 0;  // bytes that follow

    /// None unless it is the head of a frame of which no more than `most` bytes follow.
    static std::optional<head> read(bytes_view from, std::uint64_t most) {
        reader text(from);
        auto const what = text.number<std::uint32_t>();
        auto const number = text.number<std::uint32_t>();
        auto const length = text.number<std::uint64_t>();
        auto const known = what >= static_cast<std::uint32_t>(word::admitted) &&
                           what <= static_cast<std::uint32_t>(word::lost);
        if (text.failed() || !known || length > most) { return {}; }
        return head{static_cast<word>(what), number, length};
    }
};

inline bootstrap_bytes frame(word what, std::uint32_t number, bytes_view body = {}) {
    writer to;
    to.put(static_cast<std::uint32_t>(what)).put(number).put(std::uint64_t{body.size()}).put(body);
    return to.bytes();
}

/// The most bytes in one frame: those of all ranks.
constexpr std::uint64_t most_gathered(int size) {
    return static_cast<std::uint64_t>(size) * (most_bootstrap_bytes + 8);
}

inline bootstrap_bytes joined(std::vector<bootstrap_bytes> const& parts) {
    writer to;
    for (auto const& p : parts) { to.put(std::uint64_t{p.size()}).put(p); }
    return to.bytes();
}
/// None unless these are the bytes of `size` ranks and nothing else.
inline std::optional<std::vector<bootstrap_bytes>> split(bytes_view from, int size) {
    reader text(from);
    std::vector<bootstrap_bytes> parts;
    for (int r = 0; r < size; ++r) {
        auto const part = text.take(text.number<std::uint64_t>());
        if (text.failed()) { return {}; }
        parts.emplace_back(part.begin(), part.end());
    }
    return text.rest().empty() ? std::optional(std::move(parts)) : std::nullopt;
}

inline bootstrap_bytes written(std::vector<int> const& ranks) {
    writer to;
    for (auto const r : ranks) { to.put(static_cast<std::uint32_t>(r)); }
    return to.bytes();
}
/// The ranks that are written there, ascending. Others, and those from `size` on, are left out.
inline std::vector<int> ranks_in(bytes_view from, int size) {
    std::vector<int> ranks;
    for (reader text(from); !text.rest().empty();) {
        auto const r = text.number<std::uint32_t>();
        auto const ascends = ranks.empty() || r > static_cast<std::uint32_t>(ranks.back());
        if (!text.failed() && ascends && r < static_cast<std::uint32_t>(size)) {
            ranks.push_back(static_cast<int>(r));
        }
    }
    return ranks;
}

}  // namespace collectives::bootstraps
