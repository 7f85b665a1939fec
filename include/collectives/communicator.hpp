// SPDX-License-Identifier: BSD-3-Clause
// What a user holds: the collectives as members.
#pragma once

#include <collectives/communicator/base.hpp>
#include <collectives/communicator/buffer.hpp>
#include <collectives/communicator/pending.hpp>
#include <collectives/communicator/typed_requests.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/op.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/select/explanation.hpp>
#include <collectives/select/machine_model.hpp>
#include <collectives/space/host.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace collectives::inline v0 {

/// A group of ranks that call collectives together, in the same order, over whatever transport. One
/// thread at a time uses a rank's communicators (all that come from one `run` or `join`), except
/// for `abort`. Sizes are exact; counts are elements. Every collective throws usage_error (before
/// anything is sent), mismatch_error, timeout_error, peer_lost_error or transport_error; after any
/// but the first the communicator is broken, and each further call throws at once.
/// Each collective has a `start_` form with the same arguments that returns a `pending`, and a
/// `plan_` form that returns a `persistent`. `scan` and `exscan` are in communicator/base.hpp.
/// What is said of bytes below is the least that the busiest of P ranks must send for a vector of n
/// bytes; `cost_of` says what each algorithm sends, and in how many rounds.
class communicator : public detail::communicator_base {
public:
    /// The communicator of all ranks of a job, as `run` and `join` make it.
    explicit communicator(shared_pointer<any_transport> t);
    communicator(communicator&&) noexcept = default;
    communicator& operator=(communicator&&) noexcept = default;

    /// Every rank gets the reduction of all ranks' vectors, the same bits. in, out: n elements;
    /// they may be the same range. Bytes: 2 n (P-1)/P.
    template <input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    void all_reduce(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        run_vector(collective::all_reduce, in, out, op, 0, how);
    }
    template <output_range InOut, reduction_op<element_t<InOut>> Op = sum>
    void all_reduce(InOut&& inout, Op op = {}, options const& how = {}) {
        all_reduce(inout, inout, op, how);
    }
    template <lasting_input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    pending start_all_reduce(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        return start(lasting_vector(collective::all_reduce, in, out, op, 0, how));
    }
    template <output_range InOut, reduction_op<element_t<InOut>> Op = sum>
    pending start_all_reduce(InOut&& inout, Op op = {}, options const& how = {}) {
        return start_all_reduce(inout, inout, op, how);
    }

    /// Root gets the reduction of all ranks' vectors. in, out: n elements; only root's out is used.
    /// Bytes: n.
    template <input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    void reduce(In&& in, Out&& out, Op op = {}, rank_t root = 0, options const& how = {}) {
        run_vector(collective::reduce, in, out, op, root, how);
    }
    template <lasting_input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    pending start_reduce(In&& in, Out&& out, Op op = {}, rank_t root = 0, options const& how = {}) {
        return start(lasting_vector(collective::reduce, in, out, op, root, how));
    }

    /// Rank i gets block i of the reduction. in: n elements; out: block(n, size, rank) or counts.
    /// Bytes: n (P-1)/P.
    template <input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    void reduce_scatter(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        auto const r = reducer_of<element_t<In>>(op);
        run(detail::block_request(make(), collective::reduce_scatter, in, out, {}, &r, 0, how));
    }
    template <input_range In, output_range Out, counts_range Counts,
              reduction_op<element_t<In>> Op = sum>
    void reduce_scatter(In&& in, Out&& out, Counts const& counts, Op op = {},
                        options const& how = {}) {
        auto const r = reducer_of<element_t<In>>(op);
        constexpr auto what = collective::reduce_scatter;
        run(detail::block_request(make(), what, in, out, parts(what, counts), &r, 0, how));
    }
    template <lasting_input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    pending start_reduce_scatter(In&& in, Out&& out, Op op = {}, options const& how = {}) {
        return start(lasting_blocks(in, out, {}, op, how));
    }
    template <lasting_input_range In, output_range Out, counts_range Counts,
              reduction_op<element_t<In>> Op = sum>
    pending start_reduce_scatter(In&& in, Out&& out, Counts const& counts, Op op = {},
                                 options const& how = {}) {
        return start(lasting_blocks(in, out, parts(collective::reduce_scatter, counts), op, how));
    }

    /// Every rank gets all ranks' blocks. in: block(n, size, rank) or counts; out: n elements.
    /// Bytes: n (P-1)/P.
    template <input_range In, output_range Out>
    void all_gather(In&& in, Out&& out, options const& how = {}) {
        run(detail::whole_request(make(), collective::all_gather, in, out, {}, 0, how));
    }
    template <input_range In, output_range Out, counts_range Counts>
    void all_gather(In&& in, Out&& out, Counts const& counts, options const& how = {}) {
        constexpr auto what = collective::all_gather;
        run(detail::whole_request(make(), what, in, out, parts(what, counts), 0, how));
    }
    template <lasting_input_range In, output_range Out>
    pending start_all_gather(In&& in, Out&& out, options const& how = {}) {
        return start(detail::whole_request(make(), collective::all_gather, in, out, {}, 0, how));
    }
    template <lasting_input_range In, output_range Out, counts_range Counts>
    pending start_all_gather(In&& in, Out&& out, Counts const& counts, options const& how = {}) {
        constexpr auto what = collective::all_gather;
        return start(detail::whole_request(make(), what, in, out, parts(what, counts), 0, how));
    }

    /// Every rank gets root's vector. inout: n elements. Bytes: n.
    template <output_range InOut>
    void broadcast(InOut&& inout, rank_t root = 0, options const& how = {}) {
        run(make().broadcast(detail::type_of<InOut>(), writable_memory_of(inout), root, how));
    }
    template <output_range InOut>
    pending start_broadcast(InOut&& inout, rank_t root = 0, options const& how = {}) {
        return start(
            make().broadcast(detail::type_of<InOut>(), writable_memory_of(inout), root, how));
    }

    /// Root gets all ranks' blocks. in: block(n, size, rank) or counts; out: n elements, on root
    /// alone. Bytes: a rank's block. Without counts the root first sends n to all.
    template <input_range In, output_range Out>
    void gather(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        run_as_messages(detail::whole_request(make(), collective::gather, in, out, {}, root, how));
    }
    template <input_range In, output_range Out, counts_range Counts>
    void gather(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                options const& how = {}) {
        constexpr auto what = collective::gather;
        run(detail::whole_request(make(), what, in, out, parts(what, counts), root, how));
    }
    template <lasting_input_range In, output_range Out>
    pending start_gather(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        return start_unsized(
            detail::whole_request(make(), collective::gather, in, out, {}, root, how));
    }
    template <lasting_input_range In, output_range Out, counts_range Counts>
    pending start_gather(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                         options const& how = {}) {
        constexpr auto what = collective::gather;
        return start(detail::whole_request(make(), what, in, out, parts(what, counts), root, how));
    }

    /// Rank i gets block i of root's vector. in: n elements, on root alone; out: block(n, size,
    /// rank) or counts. Bytes: n less root's block. Without counts the root first sends n to all.
    template <input_range In, output_range Out>
    void scatter(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        run_as_messages(
            detail::block_request(make(), collective::scatter, in, out, {}, nullptr, root, how));
    }
    template <input_range In, output_range Out, counts_range Counts>
    void scatter(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                 options const& how = {}) {
        run(detail::block_request(make(), collective::scatter, in, out,
                                  parts(collective::scatter, counts), nullptr, root, how));
    }
    template <lasting_input_range In, output_range Out>
    pending start_scatter(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        return start_unsized(
            detail::block_request(make(), collective::scatter, in, out, {}, nullptr, root, how));
    }
    template <lasting_input_range In, output_range Out, counts_range Counts>
    pending start_scatter(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                          options const& how = {}) {
        return start(detail::block_request(make(), collective::scatter, in, out,
                                           parts(collective::scatter, counts), nullptr, root, how));
    }

    /// Block j of rank i's in becomes block i of rank j's out. in, out: n elements in P equal
    /// blocks, or counts of both. Bytes: n (P-1)/P.
    template <input_range In, output_range Out>
    void all_to_all(In&& in, Out&& out, options const& how = {}) {
        run(detail::exchange_request(make(), in, out, {}, {}, how));
    }
    template <input_range In, output_range Out, counts_range Sends, counts_range Recvs>
    void all_to_all(In&& in, Out&& out, Sends const& send_counts, Recvs const& recv_counts,
                    options const& how = {}) {
        constexpr auto what = collective::all_to_all;
        run_as_messages(detail::exchange_request(make(), in, out, parts(what, send_counts),
                                                 parts(what, recv_counts), how));
    }
    template <lasting_input_range In, output_range Out>
    pending start_all_to_all(In&& in, Out&& out, options const& how = {}) {
        return start(detail::exchange_request(make(), in, out, {}, {}, how));
    }
    template <lasting_input_range In, output_range Out, counts_range Sends, counts_range Recvs>
    pending start_all_to_all(In&& in, Out&& out, Sends const& send_counts, Recvs const& recv_counts,
                             options const& how = {}) {
        constexpr auto what = collective::all_to_all;
        return start(detail::exchange_request(make(), in, out, parts(what, send_counts),
                                              parts(what, recv_counts), how));
    }

    /// Returns once all ranks have entered it. At least log2(P) rounds, without payload.
    void barrier(options const& how = {});
    pending start_barrier(options const& how = {});

    /// Messages, matched in order per (from, to, tag). Sizes and types of both sides must be equal,
    /// else it is a mismatch_error. Of the options, only timeout counts.
    template <input_range Data>
    void send(Data&& data, rank_t to, int tag = 0, options const& how = {}) {
        run_pair({collective::send, detail::type_of<Data>(), memory_of(data), to, tag, how});
    }
    template <output_range Data>
    void recv(Data&& data, rank_t from, int tag = 0, options const& how = {}) {
        run_pair({collective::recv, detail::type_of<Data>(), memory_of(data), from, tag, how});
    }
    template <lasting_input_range Data>
    pending start_send(Data&& data, rank_t to, int tag = 0, options const& how = {}) {
        return start_pair(
            {collective::send, detail::type_of<Data>(), memory_of(data), to, tag, how});
    }
    template <output_range Data>
    pending start_recv(Data&& data, rank_t from, int tag = 0, options const& how = {}) {
        return start_pair(
            {collective::recv, detail::type_of<Data>(), memory_of(data), from, tag, how});
    }

    /// Sends `out` to one rank and receives `in` from another, or the same, at once. The two must
    /// not overlap.
    template <input_range Out, output_range In>
    void send_recv(Out&& out, rank_t to, In&& in, rank_t from, int tag = 0,
                   options const& how = {}) {
        exchange(detail::type_of<Out>(), memory_of(out), to, detail::type_of<In>(),
                 writable_memory_of(in), from, tag, how);
    }
    /// The bytes of the next message from a rank under a tag, if one has arrived; does not wait. If
    /// that rank has left, looks for up to 20 ms, then throws peer_lost_error, which breaks the
    /// communicator as in a receive. Throws usage_error if the transport cannot tell.
    std::optional<std::size_t> probe(rank_t from, int tag = 0);

    /// A communicator of the ranks with the same color, ordered by key, then rank. Collective.
    communicator split(int color, int key = 0);

    /// n zeroed elements on every rank in memory that peers can reach. Collective; n is the same on
    /// all ranks. Throws transport_error on every rank if one has no memory.
    template <class T>
    buffer<T> allocate(std::size_t n) {
        static_assert(std::is_trivially_copyable_v<T>);
        return buffer<T>(allocate_elements(n, sizeof(T)));
    }

    /// The same ranks over a transport that `adaptor` makes from this one (counted, throttled,
    /// traced). Collective. The adapted transport keeps this one alive.
    template <class Adaptor>
    communicator with(Adaptor const& adaptor) {
        return over([&](pointer t) { return adaptor(std::move(t)); });
    }

    /// Ends every rank's waits with an error. May be called from any thread.
    void abort(std::string_view why);
    /// After a loss: a communicator of the living ranks, in their order. Collective among them. A
    /// late rank is left out, and gets peer_lost_error. So do all if less than half of the ranks
    /// live, or half without rank 0.
    communicator shrink(options const& how = {});

    /// What `automatic` would take for a vector of `bytes` bytes, with the predicted times. For
    /// gather and scatter the size does not count, because without counts not every rank knows it.
    explanation explain(std::size_t bytes, collective what = collective::all_reduce);
    /// The prices by which `automatic` chooses. They must be equal on all ranks: see `tune`.
    machine_model const& model() const;
    void use(machine_model const& prices);  ///< from now on, also in what is split off later

private:
    using pointer = shared_pointer<any_transport>;
    explicit communicator(detail::core_pointer core);
    void run_as_messages(detail::call_request const& r);  // not every rank knows all sizes
    pending start_unsized(detail::call_request const& r);
    pending start_pair(detail::pair_call const& r);
    void run_pair(detail::pair_call const& r);
    void exchange(detail::element_type sent, memory_span out, rank_t to,
                  detail::element_type received, writable_memory in, rank_t from, int tag,
                  options const& how);
    memory_block allocate_elements(std::size_t n, std::size_t size);
    communicator over(function_ref<pointer(pointer)> adaptor);
};

}  // namespace collectives
#ifndef COLLECTIVES_COMPILED
#include <collectives/communicator.ipp>
#endif
