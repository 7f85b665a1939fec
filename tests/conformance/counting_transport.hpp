// SPDX-License-Identifier: BSD-3-Clause
// A transport that moves nothing: it counts bytes and says at once that they have arrived. So one
// rank can be run by itself, on vectors that no machine could hold.
#pragma once

#include <collectives/transport/shared/heap_memory.hpp>
#include <collectives/transport/threads.hpp>
#include <collectives/collectives.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace conformance {

class counting_transport {
public:
    class request {
    public:
        bool wrong() const { return false; }
        std::size_t actual_bytes() const { return 0; }
        std::uint64_t actual_check() const { return 0; }
    };
    using board = collectives::shared::board;
    static constexpr bool can_consume = true;  // what is folded as it comes never comes

    /// As threads::job makes its ranks. The other ranks need not be there.
    counting_transport(collectives::shared::state job, collectives::shared::heap_memory,
                       std::byte* first_board, int me, std::shared_ptr<void> keep)
        : keep_(std::move(keep)), job_(job), first_board_(first_board), me_(me) {}

    int rank() const { return me_; }
    int size() const { return job_.size(); }

    void isend(collectives::outgoing const& out, request&) {
        sent_ += out.bytes;
        largest_ = std::max(largest_, out.bytes);
    }
    void irecv(collectives::incoming const& in, request&) { received_ += in.bytes; }
    bool test(request&) { return true; }
    void cancel(request&) {}
    bool poll() { return false; }
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds) {
        ready();
    }
    std::optional<collectives::peer_exit> gone(int) const { return {}; }
    void note_trouble() {}

    board first_board() {
        collectives::lean_vector<int> all;
        for (int r = 0; r < size(); ++r) { all.push_back(r); }
        return board(job_, first_board_, std::move(all), me_);
    }
    template <class Share>
    board make_board(collectives::lean_vector<int> const&, int, Share&&) {
        throw collectives::transport_error("a counting_transport has no other boards");
    }
    void close_board(board& b) { b.close(); }

    std::size_t sent() const { return sent_; }
    std::size_t received() const { return received_; }
    /// Bytes of the largest message sent.
    std::size_t largest() const { return largest_; }

private:
    std::shared_ptr<void> keep_;
    collectives::shared::state job_;
    std::byte* first_board_;
    int me_;
    std::size_t sent_ = 0, received_ = 0, largest_ = 0;
};
static_assert(collectives::transport<counting_transport>);

}  // namespace conformance
