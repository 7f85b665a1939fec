// SPDX-License-Identifier: BSD-3-Clause
// The collectives that add up: all_reduce, reduce, reduce_scatter.
#pragma once

#include <collectives/communicator/base.hpp>
#include <collectives/core/op.hpp>

namespace collectives {

template <transport Transport>
class reductions : public communicator_base<Transport> {
public:
    /// Every rank gets the reduction of all ranks' vectors, the same bits. in, out: n elements.
    template <input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    void all_reduce(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        auto const r = this->template reducer_of<element_t<In>>(op);
        this->core_->run(this->make().vector(collective::all_reduce, in, out, r, 0, how));
    }
    template <output_range InOut, reduction_op<element_t<InOut>> Op = sum>
    void all_reduce(InOut&& inout, Op op = {}, options const& how = {}) {
        all_reduce(inout, inout, op, how);
    }
    template <lasting_input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    auto start_all_reduce(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        auto const kept = this->template keep<element_t<In>>(op);
        return this->started(
            this->make().vector(collective::all_reduce, in, out, kept->second, 0, how), kept);
    }
    template <output_range InOut, reduction_op<element_t<InOut>> Op = sum>
    auto start_all_reduce(InOut&& inout, Op op = {}, options const& how = {}) {
        return start_all_reduce(inout, inout, op, how);
    }

    /// Root gets the reduction of all ranks' vectors. out is looked at on root alone.
    template <input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    void reduce(In&& in, Out&& out, Op op = {}, rank_t root = 0, options const& how = {}) {
        auto const r = this->template reducer_of<element_t<In>>(op);
        this->core_->run(this->make().vector(collective::reduce, in, out, r, root, how));
    }
    template <lasting_input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    auto start_reduce(In&& in, Out&& out, Op op = {}, rank_t root = 0, options const& how = {}) {
        auto const kept = this->template keep<element_t<In>>(op);
        return this->started(
            this->make().vector(collective::reduce, in, out, kept->second, root, how), kept);
    }

    /// Rank i gets block i of the reduction. in: n elements; out: block(n, size, rank) or counts.
    template <input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    void reduce_scatter(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        auto const r = this->template reducer_of<element_t<In>>(op);
        this->core_->run(
            this->make().to_block(collective::reduce_scatter, in, out, {}, &r, 0, how));
    }
    template <input_range In, output_range Out, counts_range Counts,
              reduction_op<element_t<In>> Op = sum>
    void reduce_scatter(In&& in, Out&& out, Counts const& counts, Op op = {},
                        options const& how = {}) {
        auto const r = this->template reducer_of<element_t<In>>(op);
        this->core_->run(this->make().to_block(
            collective::reduce_scatter, in, out,
            this->make().counts(collective::reduce_scatter, counts), &r, 0, how));
    }
    template <lasting_input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    auto start_reduce_scatter(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        auto const kept = this->template keep<element_t<In>>(op);
        return this->started(
            this->make().to_block(collective::reduce_scatter, in, out, {}, &kept->second, 0, how),
            kept);
    }
    template <lasting_input_range In, output_range Out, counts_range Counts,
              reduction_op<element_t<In>> Op = sum>
    auto start_reduce_scatter(In&& in, Out&& out, Counts const& counts, Op op = {},
                              options const& how = {}) {
        auto const kept = this->template keep<element_t<In>>(op);
        return this->started(
            this->make().to_block(collective::reduce_scatter, in, out,
                                  this->make().counts(collective::reduce_scatter, counts),
                                  &kept->second, 0, how),
            kept);
    }

protected:
    using communicator_base<Transport>::communicator_base;
};

}  // namespace collectives
