// SPDX-License-Identifier: BSD-3-Clause
// A rank of shared memory writes any entries into its rings, while another, honest one receives
// from it and sends to it. The honest one may refuse them, and nothing else.
#include "bytes.hpp"

#include <collectives/transport/shm.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace coll = collectives;
namespace shared = collectives::shared;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz::bytes from(data, size);
    coll::shm::job job(2);
    auto const honest = job.rank(0);
    shared::rings liar(job.state(), 1);

    constexpr std::array<std::size_t, 4> sizes{0, 64, 5000, 300000};
    std::array<shared::request, sizes.size()> receives, sends;
    std::vector<std::vector<std::byte>> memory;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        coll::incoming in{};
        in.from = 1;
        in.tag = i;
        in.bytes = sizes[i];
        in.data = memory.emplace_back(sizes[i]).data();
        honest->irecv(in, receives[i]);
        coll::outgoing out{};
        out.to = 1;
        out.tag = i;
        out.bytes = sizes[i];
        out.data = memory.emplace_back(sizes[i]).data();
        honest->isend(out, sends[i]);
    }
    while (!from.empty()) {
        // Small numbers, which name what there is, are the ones that come far.
        shared::entry_header h{};
        h.kind = static_cast<shared::entry_kind>(from.take<std::uint8_t>() % 8);
        auto const large = from.take<std::uint8_t>();  // which numbers have 64 bits
        std::size_t i = 0;
        for (auto* const number :
             {&h.tag, &h.bytes, &h.location, &h.sender, &h.receiver, &h.offset}) {
            auto const whole = (large >> i++ & 1) != 0;
            *number = whole ? from.take<std::uint64_t>() : from.take<std::uint8_t>();
        }
        (void)liar.push(0, h);
        try {
            honest->poll();
            (void)honest->probe(1, 0);  // which takes what nobody awaits
        } catch (coll::transport_error const&) {}
        while (auto* const answer = liar.full_entry(0)) {
            liar.hand_back(0, shared::entry_header::of(*answer).payload());
        }
    }
    for (auto& r : receives) { honest->cancel(r); }
    for (auto& r : sends) { honest->cancel(r); }
    return 0;
}
