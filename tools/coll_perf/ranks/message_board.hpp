// SPDX-License-Identifier: BSD-3-Clause
// What a `board` does, by messages of a communicator of its own: where ranks share no memory.
#pragma once

#include "../sample_board.hpp"

#include <collectives/communicator.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace coll_perf {

class message_board {
public:
    /// Collective.
    message_board(collectives::communicator& of, int iterations, bool core_per_rank)
        : comm_(of.split(0, of.rank())),
          row_(static_cast<std::size_t>(iterations)),
          times_(figures * row_ * static_cast<std::size_t>(of.size())),
          core_per_rank_(core_per_rank) {}

    int ranks() const { return comm_.size(); }
    bool core_per_rank() const { return core_per_rank_; }
    void meet() { comm_.barrier(); }
    void give_up() { comm_.abort(another_gave_up); }

    std::uint64_t agree(int /*rank*/, std::uint64_t value) {
        std::array<std::uint64_t, 1> word{value};
        comm_.broadcast(word, 0);
        return word[0];
    }
    std::uint64_t sum(int /*rank*/, std::uint64_t mine) {
        std::array<std::uint64_t, 1> word{mine};
        comm_.all_reduce(word);
        return word[0];
    }

    double& time(figure f, int rank, int iteration) {
        return times_[(static_cast<std::size_t>(rank) * figures + static_cast<std::size_t>(f)) *
                          row_ +
                      static_cast<std::size_t>(iteration)];
    }
    void collect() {
        auto const each = figures * row_;
        auto const first = times_.begin() + static_cast<std::ptrdiff_t>(
                                                each * static_cast<std::size_t>(comm_.rank()));
        std::vector<double> const mine(first, first + static_cast<std::ptrdiff_t>(each));
        std::vector<double> all(comm_.rank() == 0 ? times_.size() : 0);
        comm_.gather(mine, all, 0);
        if (comm_.rank() == 0) { times_ = std::move(all); }
    }

    /// A message as long as a cache line, there and back between ranks 0 and 1.
    void exchange_line(int rank, int turns) {
        if (rank > 1 || comm_.size() < 2) { return; }
        std::array<std::uint64_t, 8> line{};
        for (int i = 0; i < turns; ++i) {
            if (rank == 0) { comm_.send(line, 1); }
            comm_.recv(line, 1 - rank);
            if (rank == 1) { comm_.send(line, 0); }
        }
    }

private:
    collectives::communicator comm_;
    std::size_t row_;
    std::vector<double> times_;  // by rank, figure, iteration
    bool core_per_rank_;
};

}  // namespace coll_perf
