// SPDX-License-Identifier: BSD-3-Clause
// The collectives that only move: all_gather, broadcast, gather, scatter, all_to_all; and barrier.
#pragma once

#include <collectives/communicator/reductions.hpp>

#include <cstddef>

namespace collectives {

template <transport Transport>
class movements : public reductions<Transport> {
public:
    /// Every rank gets all ranks' blocks. in: block(n, size, rank) or counts; out: n elements.
    template <input_range In, output_range Out>
    void all_gather(In&& in, Out&& out, options const& how = {}) {
        this->core_->run(this->make().to_whole(collective::all_gather, in, out, {}, 0, how));
    }
    template <input_range In, output_range Out, counts_range Counts>
    void all_gather(In&& in, Out&& out, Counts const& counts, options const& how = {}) {
        this->core_->run(this->make().to_whole(collective::all_gather, in, out,
                                               this->make().counts(collective::all_gather, counts),
                                               0, how));
    }
    template <lasting_input_range In, output_range Out>
    auto start_all_gather(In&& in, Out&& out, options const& how = {}) {
        return this->started(this->make().to_whole(collective::all_gather, in, out, {}, 0, how));
    }
    template <lasting_input_range In, output_range Out, counts_range Counts>
    auto start_all_gather(In&& in, Out&& out, Counts const& counts, options const& how = {}) {
        return this->started(
            this->make().to_whole(collective::all_gather, in, out,
                                  this->make().counts(collective::all_gather, counts), 0, how));
    }

    /// Every rank gets root's vector. inout: n elements.
    template <output_range InOut>
    void broadcast(InOut&& inout, rank_t root = 0, options const& how = {}) {
        this->core_->run(this->make().broadcast(inout, root, how));
    }
    template <output_range InOut>
    auto start_broadcast(InOut&& inout, rank_t root = 0, options const& how = {}) {
        return this->started(this->make().broadcast(inout, root, how));
    }

    /// Root gets all ranks' blocks. out is looked at on root alone.
    template <input_range In, output_range Out>
    void gather(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        this->core_->run(this->make().to_whole(collective::gather, in, out, {}, root, how));
    }
    template <input_range In, output_range Out, counts_range Counts>
    void gather(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                options const& how = {}) {
        this->core_->run(this->make().to_whole(collective::gather, in, out,
                                               this->make().counts(collective::gather, counts),
                                               root, how));
    }
    template <lasting_input_range In, output_range Out>
    auto start_gather(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        return this->started(this->make().to_whole(collective::gather, in, out, {}, root, how));
    }
    template <lasting_input_range In, output_range Out, counts_range Counts>
    auto start_gather(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                      options const& how = {}) {
        return this->started(this->make().to_whole(collective::gather, in, out,
                                                   this->make().counts(collective::gather, counts),
                                                   root, how));
    }

    /// Rank i gets block i of root's vector. in is looked at on root alone.
    template <input_range In, output_range Out>
    void scatter(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        this->core_->run(
            this->make().to_block(collective::scatter, in, out, {}, nullptr, root, how));
    }
    template <input_range In, output_range Out, counts_range Counts>
    void scatter(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                 options const& how = {}) {
        this->core_->run(this->make().to_block(collective::scatter, in, out,
                                               this->make().counts(collective::scatter, counts),
                                               nullptr, root, how));
    }
    template <lasting_input_range In, output_range Out>
    auto start_scatter(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        return this->started(
            this->make().to_block(collective::scatter, in, out, {}, nullptr, root, how));
    }
    template <lasting_input_range In, output_range Out, counts_range Counts>
    auto start_scatter(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                       options const& how = {}) {
        return this->started(this->make().to_block(collective::scatter, in, out,
                                                   this->make().counts(collective::scatter, counts),
                                                   nullptr, root, how));
    }

    /// Block j of rank i's in becomes block i of rank j's out. Equal blocks, or counts of both.
    template <input_range In, output_range Out>
    void all_to_all(In&& in, Out&& out, options const& how = {}) {
        this->core_->run(this->make().exchange(in, out, {}, {}, how));
    }
    template <input_range In, output_range Out, counts_range Sends, counts_range Recvs>
    void all_to_all(In&& in, Out&& out, Sends const& send_counts, Recvs const& recv_counts,
                    options const& how = {}) {
        this->core_->run(
            this->make().exchange(in, out, this->make().counts(collective::all_to_all, send_counts),
                                  this->make().counts(collective::all_to_all, recv_counts), how));
    }
    template <lasting_input_range In, output_range Out>
    auto start_all_to_all(In&& in, Out&& out, options const& how = {}) {
        return this->started(this->make().exchange(in, out, {}, {}, how));
    }
    template <lasting_input_range In, output_range Out, counts_range Sends, counts_range Recvs>
    auto start_all_to_all(In&& in, Out&& out, Sends const& send_counts, Recvs const& recv_counts,
                          options const& how = {}) {
        return this->started(
            this->make().exchange(in, out, this->make().counts(collective::all_to_all, send_counts),
                                  this->make().counts(collective::all_to_all, recv_counts), how));
    }

    /// Returns once all ranks have entered it.
    void barrier(options const& how = {}) {
        this->core_->run(this->make().template begin<std::byte>(collective::barrier, how));
    }
    auto start_barrier(options const& how = {}) {
        return this->started(this->make().template begin<std::byte>(collective::barrier, how));
    }

protected:
    using reductions<Transport>::reductions;
};

}  // namespace collectives
