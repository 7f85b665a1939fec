// SPDX-License-Identifier: BSD-3-Clause
// The base of communicators: what all forms of a call need, scans, and the persistent forms.
#pragma once

#include <collectives/communicator/pending.hpp>
#include <collectives/communicator/persistent.hpp>
#include <collectives/communicator/typed_requests.hpp>
#include <collectives/core/op.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/space/host.hpp>

#include <utility>

namespace collectives::inline v0::detail {

/// A request with what it points to.
struct lasting_call {
    call_request request;
    shared_pointer<void const> kept;
};

/// What is said of `communicator` counts for these members too.
class communicator_base {
public:
    rank_t rank() const { return rank_; }  ///< this rank: 0 .. size() - 1
    int size() const { return size_; }     ///< how many ranks there are

    /// Rank r gets the reduction of the vectors of ranks 0 .. r, in rank order. in, out: n
    /// elements; they may be the same range. An operator that finishes its results, such as
    /// `average`, does not compile. Sends at most (P-1) n bytes, or what `cost_of` says of the
    /// algorithm. Throws as every collective does. Hillis, Steele, Data Parallel Algorithms, CACM
    /// 1986.
    template <input_range In, output_range Out, prefix_op<element_t<In>> Op = sum>
    void scan(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        run_vector(collective::scan, in, out, op, 0, how);
    }
    template <output_range InOut, prefix_op<element_t<InOut>> Op = sum>
    void scan(InOut&& inout, Op op = {}, options const& how = {}) {
        scan(inout, inout, op, how);
    }
    template <lasting_input_range In, output_range Out, prefix_op<element_t<In>> Op = sum>
    pending start_scan(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        return start(lasting_vector(collective::scan, in, out, op, 0, how));
    }
    template <output_range InOut, prefix_op<element_t<InOut>> Op = sum>
    pending start_scan(InOut&& inout, Op op = {}, options const& how = {}) {
        return start_scan(inout, inout, op, how);
    }
    template <lasting_input_range In, output_range Out, prefix_op<element_t<In>> Op = sum>
    persistent plan_scan(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        return plan(lasting_vector(collective::scan, in, out, op, 0, how));
    }
    template <output_range InOut, prefix_op<element_t<InOut>> Op = sum>
    persistent plan_scan(InOut&& inout, Op op = {}, options const& how = {}) {
        return plan_scan(inout, inout, op, how);
    }

    /// As `scan`, of ranks 0 .. r-1. Rank 0's out is not looked at, and stays as it is.
    template <input_range In, output_range Out, prefix_op<element_t<In>> Op = sum>
    void exscan(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        run_vector(collective::exscan, in, out, op, 0, how);
    }
    template <output_range InOut, prefix_op<element_t<InOut>> Op = sum>
    void exscan(InOut&& inout, Op op = {}, options const& how = {}) {
        exscan(inout, inout, op, how);
    }
    template <lasting_input_range In, output_range Out, prefix_op<element_t<In>> Op = sum>
    pending start_exscan(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        return start(lasting_vector(collective::exscan, in, out, op, 0, how));
    }
    template <output_range InOut, prefix_op<element_t<InOut>> Op = sum>
    pending start_exscan(InOut&& inout, Op op = {}, options const& how = {}) {
        return start_exscan(inout, inout, op, how);
    }
    template <lasting_input_range In, output_range Out, prefix_op<element_t<In>> Op = sum>
    persistent plan_exscan(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        return plan(lasting_vector(collective::exscan, in, out, op, 0, how));
    }
    template <output_range InOut, prefix_op<element_t<InOut>> Op = sum>
    persistent plan_exscan(InOut&& inout, Op op = {}, options const& how = {}) {
        return plan_exscan(inout, inout, op, how);
    }

    /// A `plan_` form takes the arguments of the collective, with the same shapes and errors.
    /// Buffers, counts and operator are those of the plan.
    template <lasting_input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    persistent plan_all_reduce(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        return plan(lasting_vector(collective::all_reduce, in, out, op, 0, how));
    }
    template <output_range InOut, reduction_op<element_t<InOut>> Op = sum>
    persistent plan_all_reduce(InOut&& inout, Op op = {}, options const& how = {}) {
        return plan_all_reduce(inout, inout, op, how);
    }
    template <lasting_input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    persistent plan_reduce(In&& in, Out&& out, Op op = {}, rank_t root = 0,
                           options const& how = {}) {
        return plan(lasting_vector(collective::reduce, in, out, op, root, how));
    }
    template <lasting_input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    persistent plan_reduce_scatter(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        return plan(lasting_blocks(in, out, {}, op, how));
    }
    template <lasting_input_range In, output_range Out, counts_range Counts,
              reduction_op<element_t<In>> Op = sum>
    persistent plan_reduce_scatter(In&& in, Out&& out, Counts const& counts, Op op = {},
                                   options const& how = {}) {
        return plan(lasting_blocks(in, out, parts(collective::reduce_scatter, counts), op, how));
    }
    template <lasting_input_range In, output_range Out>
    persistent plan_all_gather(In&& in, Out&& out, options const& how = {}) {
        return plan({whole_request(make(), collective::all_gather, in, out, {}, 0, how), {}});
    }
    template <lasting_input_range In, output_range Out, counts_range Counts>
    persistent plan_all_gather(In&& in, Out&& out, Counts const& counts, options const& how = {}) {
        constexpr auto what = collective::all_gather;
        return plan({whole_request(make(), what, in, out, parts(what, counts), 0, how), {}});
    }
    template <output_range InOut>
    persistent plan_broadcast(InOut&& inout, rank_t root = 0, options const& how = {}) {
        return plan({make().broadcast(type_of<InOut>(), writable_memory_of(inout), root, how), {}});
    }
    template <lasting_input_range In, output_range Out>
    persistent plan_gather(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        return plan({whole_request(make(), collective::gather, in, out, {}, root, how), {}});
    }
    template <lasting_input_range In, output_range Out, counts_range Counts>
    persistent plan_gather(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                           options const& how = {}) {
        constexpr auto what = collective::gather;
        return plan({whole_request(make(), what, in, out, parts(what, counts), root, how), {}});
    }
    template <lasting_input_range In, output_range Out>
    persistent plan_scatter(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        constexpr auto what = collective::scatter;
        return plan({block_request(make(), what, in, out, {}, nullptr, root, how), {}});
    }
    template <lasting_input_range In, output_range Out, counts_range Counts>
    persistent plan_scatter(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                            options const& how = {}) {
        constexpr auto what = collective::scatter;
        auto cut = parts(what, counts);
        return plan({block_request(make(), what, in, out, std::move(cut), nullptr, root, how), {}});
    }
    template <lasting_input_range In, output_range Out>
    persistent plan_all_to_all(In&& in, Out&& out, options const& how = {}) {
        return plan({exchange_request(make(), in, out, {}, {}, how), {}});
    }
    template <lasting_input_range In, output_range Out, counts_range Sends, counts_range Recvs>
    persistent plan_all_to_all(In&& in, Out&& out, Sends const& send_counts,
                               Recvs const& recv_counts, options const& how = {}) {
        constexpr auto what = collective::all_to_all;
        return plan({exchange_request(make(), in, out, parts(what, send_counts),
                                      parts(what, recv_counts), how),
                     {}});
    }
    persistent plan_barrier(options const& how = {}) {
        return plan({make().begin(collective::barrier, element_type_of<std::byte>(), how), {}});
    }

    /// What stands below a communicator, for the rest of the library and for tests.
    friend core_pointer const& core_of(communicator_base const& comm) { return comm.core_; }

protected:
    explicit communicator_base(core_pointer core);

    request_maker make() const { return {rank_, size_, *calls_}; }
    part_counts parts(collective what, counts_range auto const& given) const {
        return make().parts(what, given);
    }
    template <class T, class Op>
    reducer reducer_of(Op const& op) const {
        auto result = host::make_reducer<T>(op);
        if (on_device_) { bind(result); }
        return result;
    }
    /// The operator, with its reducer.
    template <class T, class Op>
    shared_pointer<std::pair<Op, reducer>> keep(Op const& op) const {
        auto kept = make_shared_object<std::pair<Op, reducer>>(op, reducer{});
        return kept->second = reducer_of<T>(kept->first), kept;
    }
    /// all_reduce, reduce, scan and exscan. Always inlined, because a small call costs little more
    /// than its instructions.
    template <class In, class Out, class Op>
    [[gnu::always_inline]] void run_vector(collective what, In& in, Out& out, Op const& op,
                                           rank_t root, options const& how) {
        auto const r = reducer_of<element_t<In>>(op);
        run(vector_request(make(), what, in, out, r, root, how));
    }
    template <class In, class Out, class Op>
    lasting_call lasting_vector(collective what, In& in, Out& out, Op const& op, rank_t root,
                                options const& how) const {
        auto const kept = keep<element_t<In>>(op);
        return {vector_request(make(), what, in, out, kept->second, root, how), kept};
    }
    /// reduce_scatter.
    template <class In, class Out, class Op>
    lasting_call lasting_blocks(In& in, Out& out, part_counts counts, Op const& op,
                                options const& how) const {
        constexpr auto what = collective::reduce_scatter;
        auto const kept = keep<element_t<In>>(op);
        return {block_request(make(), what, in, out, std::move(counts), &kept->second, 0, how),
                kept};
    }

    void run(call_request const& r);
    pending start(call_request const& r, shared_pointer<void const> kept = {});
    pending start(lasting_call const& c) { return start(c.request, c.kept); }

    core_pointer core_;
    int rank_ = 0, size_ = 1;
    call_book const* calls_ = nullptr;  // the core's; it numbers the calls
    bool on_device_ = false;

private:
    persistent plan(lasting_call const& c) const { return {core_, c.request, c.kept}; }
    void bind(reducer& r) const;  // to the kernel of the device that holds the buffers
};

}  // namespace collectives::detail
