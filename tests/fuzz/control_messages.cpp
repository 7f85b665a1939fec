// SPDX-License-Identifier: BSD-3-Clause
// A rank hears any control messages on a communicator of three, before and after it makes it,
// closes it, and asks who survives.
#include "bytes.hpp"

#include <collectives/transport/wire/board_list.hpp>

#include <cstdint>
#include <optional>

namespace coll = collectives;
namespace wire = collectives::wire;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz::bytes from(data, size);
    wire::board_list boards;
    constexpr std::uint64_t id = 1;
    auto const tell = [](coll::rank_t to, wire::control_message const&) {
        fuzz::require(to >= 0 && to < 3);
    };
    std::optional<wire::board> board;
    while (!from.empty()) {
        wire::control_message w;
        switch (from.take<std::uint8_t>() % 8) {
            case 0:
                if (!board) { board.emplace(boards.add(id, {0, 1, 2}, 1, tell)); }
                break;
            case 1:
                if (board) { boards.close(*board), board.reset(); }
                break;
            case 2: (void)boards.send_failures(); break;
            case 3:
                if (board) {
                    if (auto const why = board->first_failure()) {
                        fuzz::require(why->missing_count <= coll::failure::most_missing);
                        fuzz::require(why->peer >= -1 && why->peer < 3);
                    }
                }
                break;
            case 4: w = from.take<wire::control_message>(); [[fallthrough]];
            default:
                // Small numbers come far. The mailbox has seen to it that the sender is of the job.
                w.board = from.take<std::uint8_t>() % 3;
                w.what = static_cast<wire::control_message::kind>(from.take<std::uint8_t>() % 16);
                w.sender = from.take<std::uint8_t>() % 3;
                w.from = from.take<std::int8_t>();
                w.asked = from.take<std::uint16_t>();
                w.other = from.take<std::uint16_t>();
                w.step = from.take<std::uint8_t>();
                boards.receive(w);
        }
    }
    if (board) { boards.close(*board); }
    boards.leave(tell);
    return 0;
}
