// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_loop.hpp"

#include "mpi_group.hpp"

#include <sched.h>

#include <limits>
#include <utility>

namespace launched {

struct mpi_loop::state {
    state(int ranks, std::vector<loop_message> list, bool may_yield)
        : of(ranks), messages(std::move(list)), requests(messages.size()), yields(may_yield) {
        std::size_t sent = 0, received = 0;
        for (auto const& m : messages) {
            if (m.bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
                throw std::runtime_error("a message is too long for a count of MPI");
            }
            auto& before = m.sends ? sent : received;
            at.push_back(before);
            before += m.bytes;
        }
        out.assign(sent, std::byte{1});
        in.assign(received, std::byte{1});
    }

    void post(std::size_t i) {
        auto const& m = messages[i];
        auto const n = static_cast<int>(m.bytes);
        if (m.sends) {
            MPI_Isend(out.data() + at[i], n, MPI_BYTE, m.peer, m.tag, of.comm, &requests[i]);
        } else {
            MPI_Irecv(in.data() + at[i], n, MPI_BYTE, m.peer, m.tag, of.comm, &requests[i]);
        }
    }
    void wait(std::size_t i) {
        for (int done = 0;;) {
            MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
            if (done != 0) { return; }
            if (yields) { ::sched_yield(); }
        }
    }

    mpi_group of;
    std::vector<loop_message> messages;
    std::vector<std::size_t> at;  // where each message lies
    std::vector<std::byte> out, in;
    std::vector<MPI_Request> requests;
    bool yields;
};

mpi_loop::mpi_loop(int ranks, std::vector<loop_message> messages, bool yields)
    : state_(std::make_shared<state>(ranks, std::move(messages), yields)) {}

void mpi_loop::operator()() {
    auto& s = *state_;
    for (std::size_t i = 0; i < s.messages.size(); ++i) {
        for (auto const earlier : s.messages[i].after) { s.wait(earlier); }
        s.post(i);
    }
    for (std::size_t i = 0; i < s.messages.size(); ++i) { s.wait(i); }
}

}  // namespace launched
