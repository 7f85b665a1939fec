// SPDX-License-Identifier: BSD-3-Clause
// A rank sends, receives and probes over a link whose other ranks send any frames, fragments and
// control messages. It may refuse them; what it takes is of the size that it expects, and nothing
// is written outside its buffers.
#include "bytes.hpp"

#include <collectives/transport/wire/transport.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace coll = collectives;
namespace wire = collectives::wire;

namespace {

/// Models wire::link, for rank 1 of three. What the input says comes in, as long as it lasts.
class made_up_link {
public:
    struct handle {
        std::byte* place = nullptr;  // of a receive
        std::size_t room = 0;
    };
    explicit made_up_link(fuzz::bytes& from) : from_(&from) {}

    coll::rank_t rank() const { return 1; }
    int size() const { return 3; }
    int processors() const { return 1; }
    std::uint64_t job() const { return 7; }
    std::size_t largest_fragment(std::size_t, bool agreed) const { return agreed ? 1000 : 8000; }
    handle send(std::byte const*, std::size_t, coll::rank_t, std::uint64_t) { return {}; }
    handle receive(std::byte* data, std::size_t n, coll::rank_t, std::uint64_t) {
        return {data, n};
    }
    bool waits(coll::rank_t, std::uint64_t) { return from_->take<std::uint8_t>() % 2 == 0; }
    handle send_control(std::byte const*, std::size_t, coll::rank_t to) {
        fuzz::require(to == 0 || to == 2);
        return {};
    }
    handle receive_control(std::byte* data, std::size_t n) { return {data, n}; }
    bool test(handle& h, wire::arrival& in) {
        if (h.place == nullptr) { return true; }
        if (from_->empty() || from_->take<std::uint8_t>() % 4 == 0) { return false; }
        auto const bytes = length(h.room);
        in.too_long = bytes > h.room;
        in.bytes = std::min(bytes, h.room);
        from_->fill(h.place, in.bytes);
        h = {};
        return true;
    }
    bool take_back(handle& h, coll::wire::grace const&) {
        h = {};
        return true;
    }
    bool progress() { return false; }
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds) {
        ready();
    }
    std::optional<coll::peer_exit> gone(coll::rank_t) const { return {}; }
    bool usable() const { return true; }
    bool can_reach(coll::rank_t) const { return !from_->empty(); }  // so the end waits for nobody
    bool notices_deaths() const { return false; }
    bool progress_control() { return false; }
    bool drop_data() { return true; }
    bool close(bool) { return true; }

private:
    /// A size that comes: mostly as much as there is room for, or as a nearly empty frame takes.
    std::size_t length(std::size_t room) {
        auto const choice = from_->take<std::uint8_t>() % 4;
        if (choice == 0) { return from_->take<std::uint16_t>(); }
        if (choice == 1) { return wire::frame::head + from_->take<std::uint8_t>(); }
        return choice == 2 ? room : room + 1;
    }

    fuzz::bytes* from_;
};

using transport = wire::transport<made_up_link>;

constexpr std::array<std::size_t, 5> sizes{0, 8, 200, wire::frame::most_inside, 20'000};

struct receive {
    std::vector<std::byte> place;  // of exactly what is expected
    transport::request request{};
    bool is_under_way = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz::bytes from(data, size);
    transport over(std::make_unique<made_up_link>(from));
    auto board = over.first_board();
    std::array<receive, sizes.size()> all;
    while (!from.empty()) {
        auto const which = from.take<std::uint8_t>() % sizes.size();
        auto& r = all[which];
        try {
            switch (from.take<std::uint8_t>() % 8) {
                case 0: {
                    if (r.is_under_way) { break; }
                    r.place.assign(sizes[which], std::byte{});
                    coll::incoming in{};
                    in.from = from.take<std::uint8_t>() % 2 == 0 ? 0 : 2;
                    in.tag = which;
                    in.check = from.take<std::uint8_t>() % 3;
                    in.data = r.place.data();
                    in.bytes = r.place.size();
                    in.size_agreed = from.take<std::uint8_t>() % 2 == 0;
                    over.irecv(in, r.request);
                    r.is_under_way = true;
                    break;
                }
                case 1:
                    if (r.is_under_way) { over.cancel(r.request); }
                    r.is_under_way = false;
                    break;
                case 2: (void)over.probe(0, which); break;
                case 3: over.receive_control(); break;
                case 4: over.tell_failures(); break;
                default:
                    if (!r.is_under_way || !over.test(r.request)) { break; }
                    r.is_under_way = false;
                    fuzz::require(r.request.wrong() || r.request.actual_bytes() == r.place.size());
            }
        } catch (coll::error const&) {}  // a control message that no rank can have sent
    }
    for (auto& r : all) {
        if (r.is_under_way) { over.cancel(r.request); }
    }
    over.close_board(board);
    return 0;
}
