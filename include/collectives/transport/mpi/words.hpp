// SPDX-License-Identifier: BSD-3-Clause
// The words of one rank's boards over MPI: on a communicator of their own, received as they come.
#pragma once

#include <collectives/transport/mpi/calls.hpp>
#include <collectives/transport/wire/board.hpp>

#include <mpi.h>

#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace collectives::mpi {

/// What ranks tell each other apart from data.
class words {
public:
    /// Takes over a communicator that nobody else uses.
    explicit words(MPI_Comm own) : own_(own) { listen(); }
    words(words const&) = delete;
    words& operator=(words const&) = delete;

    /// Frees the communicator if `all_is_well`. Then it is collective: words are heard until all
    /// ranks have come here, or for five seconds. False if they have not: then nothing is freed.
    bool close(bool all_is_well) {
        auto const ended = all_is_well && hear_out();
        MPI_Cancel(&listening_);
        MPI_Request_free(&listening_);
        for (auto& said : said_) {
            if (said.request == MPI_REQUEST_NULL) { continue; }
            MPI_Request_free(&said.request);
            static_cast<void>(said.text.release());  // MPI may still read it
        }
        if (ended) {
            MPI_Comm_free(&own_);
        } else {
            static_cast<void>(heard_.release());
        }
        return ended;
    }

    wire::board open(std::uint64_t id, std::vector<rank_t> group, rank_t me) {
        return boards_.add(id, std::move(group), me,
                           [this](rank_t to, wire::word const& what) { tell(to, what); });
    }
    void close(wire::board& b) { boards_.close(b); }

    /// Takes in one word, if one has come.
    bool hear() {
        int done = 0;
        detail::require(MPI_Test(&listening_, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done == 0) { return false; }
        auto const what = *heard_;
        listen();
        boards_.hear(what);
        return true;
    }

private:
    struct said_word {
        std::unique_ptr<wire::word> text;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    void tell(rank_t to, wire::word const& what) {
        std::erase_if(said_, [](said_word& s) {
            int done = 0;
            detail::require(MPI_Test(&s.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
            return done != 0;
        });
        auto& s = said_.emplace_back();
        s.text = std::make_unique<wire::word>(what);
        detail::require(MPI_Isend(s.text.get(), sizeof what, MPI_BYTE, to, 0, own_, &s.request),
                        "MPI_Isend");
    }
    void listen() {
        detail::require(MPI_Irecv(heard_.get(), sizeof(wire::word), MPI_BYTE, MPI_ANY_SOURCE, 0,
                                  own_, &listening_),
                        "MPI_Irecv");
    }
    /// True once all ranks have come here and what came until then was heard.
    bool hear_out() {
        MPI_Request all = MPI_REQUEST_NULL;
        if (MPI_Ibarrier(own_, &all) != MPI_SUCCESS) { return false; }
        auto const until = steady::now() + std::chrono::seconds(5);
        for (int done = 0; steady::now() < until;) {
            try {
                while (hear()) {}
            } catch (error const&) { break; }
            if (done != 0) { return true; }
            if (MPI_Test(&all, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) { break; }
            if (done == 0) { std::this_thread::sleep_for(detail::shortest_nap); }
        }
        return false;  // the barrier is left as it is: MPI frees none that is under way
    }

    MPI_Comm own_;
    wire::board_list boards_;
    std::unique_ptr<wire::word> heard_ = std::make_unique<wire::word>();
    MPI_Request listening_ = MPI_REQUEST_NULL;
    std::deque<said_word> said_;
};

}  // namespace collectives::mpi
