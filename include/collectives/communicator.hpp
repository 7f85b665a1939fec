// SPDX-License-Identifier: BSD-3-Clause
// What a user holds: the collectives as members.
#pragma once

#include <collectives/communicator/buffer.hpp>
#include <collectives/communicator/pending.hpp>
#include <collectives/communicator/requests.hpp>
#include <collectives/core/op.hpp>
#include <collectives/space/host.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives {

/// A group of ranks that call collectives together, in the same order. One thread at a time uses a
/// rank's communicators (all that come from one `run` or `join`), except for `abort`.
///
/// Sizes are exact; counts are elements. Every collective throws usage_error (before anything is
/// sent), mismatch_error, timeout_error, peer_lost_error or transport_error; after any but the
/// first the communicator is broken, and each further call throws at once.
template <transport Transport>
class communicator {
public:
    using transport_type = Transport;

    /// The communicator of all ranks of a job, as `run` and `join` make it.
    explicit communicator(std::shared_ptr<Transport> t)
        : communicator(std::make_shared<hub<Transport>>(t), t->first_board(), everybody(*t), 1) {}
    communicator(std::shared_ptr<hub<Transport>> shared, typename Transport::board board,
                 rank_group group, std::uint64_t context)
        : core_(std::make_shared<communicator_core<Transport>>(
              std::move(shared), std::move(board), std::move(group), context)) {}
    communicator(communicator&&) noexcept = default;
    communicator& operator=(communicator&&) noexcept = default;

    rank_t rank() const { return core_->engine().rank(); }
    int size() const { return core_->engine().size(); }
    Transport& transport() const { return core_->engine().carrier(); }

    /// Every rank gets the reduction of all ranks' vectors, the same bits. in, out: n elements.
    template <input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    void all_reduce(In&& in, Out&& out, Op const& op = {}, options const& how = {}) {
        auto const r = host::make_reducer<element_t<In>>(op);
        core_->run(make().vector(collective::all_reduce, in, out, r, 0, how));
    }
    template <output_range InOut, reduction_op<element_t<InOut>> Op = sum>
    void all_reduce(InOut&& inout, Op const& op = {}, options const& how = {}) {
        all_reduce(inout, inout, op, how);
    }
    template <input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    auto start_all_reduce(In&& in, Out&& out, Op const& op = {}, options const& how = {}) {
        auto const kept = keep<element_t<In>>(op);
        return started(make().vector(collective::all_reduce, in, out, kept->second, 0, how), kept);
    }
    template <output_range InOut, reduction_op<element_t<InOut>> Op = sum>
    auto start_all_reduce(InOut&& inout, Op const& op = {}, options const& how = {}) {
        return start_all_reduce(inout, inout, op, how);
    }

    /// Root gets the reduction of all ranks' vectors. out is looked at on root alone.
    template <input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    void reduce(In&& in, Out&& out, Op const& op = {}, rank_t root = 0, options const& how = {}) {
        auto const r = host::make_reducer<element_t<In>>(op);
        core_->run(make().vector(collective::reduce, in, out, r, root, how));
    }
    template <input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    auto start_reduce(In&& in, Out&& out, Op const& op = {}, rank_t root = 0,
                      options const& how = {}) {
        auto const kept = keep<element_t<In>>(op);
        return started(make().vector(collective::reduce, in, out, kept->second, root, how), kept);
    }

    /// Rank i gets block i of the reduction. in: n elements; out: block(n, size, rank) or counts.
    template <input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    void reduce_scatter(In&& in, Out&& out, Op const& op = {}, options const& how = {}) {
        auto const r = host::make_reducer<element_t<In>>(op);
        core_->run(make().to_block(collective::reduce_scatter, in, out, {}, &r, 0, how));
    }
    template <input_range In, output_range Out, counts_range Counts,
              reduction_op<element_t<In>> Op = sum>
    void reduce_scatter(In&& in, Out&& out, Counts const& counts, Op const& op = {},
                        options const& how = {}) {
        auto const r = host::make_reducer<element_t<In>>(op);
        core_->run(make().to_block(collective::reduce_scatter, in, out,
                                   make().counts(collective::reduce_scatter, counts), &r, 0, how));
    }
    template <input_range In, output_range Out, reduction_op<element_t<In>> Op = sum>
    auto start_reduce_scatter(In&& in, Out&& out, Op const& op = {}, options const& how = {}) {
        auto const kept = keep<element_t<In>>(op);
        return started(
            make().to_block(collective::reduce_scatter, in, out, {}, &kept->second, 0, how), kept);
    }
    template <input_range In, output_range Out, counts_range Counts,
              reduction_op<element_t<In>> Op = sum>
    auto start_reduce_scatter(In&& in, Out&& out, Counts const& counts, Op const& op = {},
                              options const& how = {}) {
        auto const kept = keep<element_t<In>>(op);
        return started(make().to_block(collective::reduce_scatter, in, out,
                                       make().counts(collective::reduce_scatter, counts),
                                       &kept->second, 0, how),
                       kept);
    }

    /// Every rank gets all ranks' blocks. in: block(n, size, rank) or counts; out: n elements.
    template <input_range In, output_range Out>
    void all_gather(In&& in, Out&& out, options const& how = {}) {
        core_->run(make().to_whole(collective::all_gather, in, out, {}, 0, how));
    }
    template <input_range In, output_range Out, counts_range Counts>
    void all_gather(In&& in, Out&& out, Counts const& counts, options const& how = {}) {
        core_->run(make().to_whole(collective::all_gather, in, out,
                                   make().counts(collective::all_gather, counts), 0, how));
    }
    template <input_range In, output_range Out>
    auto start_all_gather(In&& in, Out&& out, options const& how = {}) {
        return started(make().to_whole(collective::all_gather, in, out, {}, 0, how));
    }
    template <input_range In, output_range Out, counts_range Counts>
    auto start_all_gather(In&& in, Out&& out, Counts const& counts, options const& how = {}) {
        return started(make().to_whole(collective::all_gather, in, out,
                                       make().counts(collective::all_gather, counts), 0, how));
    }

    /// Every rank gets root's vector. inout: n elements.
    template <output_range InOut>
    void broadcast(InOut&& inout, rank_t root = 0, options const& how = {}) {
        core_->run(make().broadcast(inout, root, how));
    }
    template <output_range InOut>
    auto start_broadcast(InOut&& inout, rank_t root = 0, options const& how = {}) {
        return started(make().broadcast(inout, root, how));
    }

    /// Root gets all ranks' blocks. out is looked at on root alone.
    template <input_range In, output_range Out>
    void gather(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        core_->run(make().to_whole(collective::gather, in, out, {}, root, how));
    }
    template <input_range In, output_range Out, counts_range Counts>
    void gather(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                options const& how = {}) {
        core_->run(make().to_whole(collective::gather, in, out,
                                   make().counts(collective::gather, counts), root, how));
    }
    template <input_range In, output_range Out>
    auto start_gather(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        return started(make().to_whole(collective::gather, in, out, {}, root, how));
    }
    template <input_range In, output_range Out, counts_range Counts>
    auto start_gather(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                      options const& how = {}) {
        return started(make().to_whole(collective::gather, in, out,
                                       make().counts(collective::gather, counts), root, how));
    }

    /// Rank i gets block i of root's vector. in is looked at on root alone.
    template <input_range In, output_range Out>
    void scatter(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        core_->run(make().to_block(collective::scatter, in, out, {}, nullptr, root, how));
    }
    template <input_range In, output_range Out, counts_range Counts>
    void scatter(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                 options const& how = {}) {
        core_->run(make().to_block(collective::scatter, in, out,
                                   make().counts(collective::scatter, counts), nullptr, root, how));
    }
    template <input_range In, output_range Out>
    auto start_scatter(In&& in, Out&& out, rank_t root = 0, options const& how = {}) {
        return started(make().to_block(collective::scatter, in, out, {}, nullptr, root, how));
    }
    template <input_range In, output_range Out, counts_range Counts>
    auto start_scatter(In&& in, Out&& out, Counts const& counts, rank_t root = 0,
                       options const& how = {}) {
        return started(make().to_block(collective::scatter, in, out,
                                       make().counts(collective::scatter, counts), nullptr, root,
                                       how));
    }

    /// Block j of rank i's in becomes block i of rank j's out. Equal blocks, or counts of both.
    template <input_range In, output_range Out>
    void all_to_all(In&& in, Out&& out, options const& how = {}) {
        core_->run(make().exchange(in, out, {}, {}, how));
    }
    template <input_range In, output_range Out, counts_range Sends, counts_range Recvs>
    void all_to_all(In&& in, Out&& out, Sends const& send_counts, Recvs const& recv_counts,
                    options const& how = {}) {
        core_->run(make().exchange(in, out, make().counts(collective::all_to_all, send_counts),
                                   make().counts(collective::all_to_all, recv_counts), how));
    }
    template <input_range In, output_range Out>
    auto start_all_to_all(In&& in, Out&& out, options const& how = {}) {
        return started(make().exchange(in, out, {}, {}, how));
    }
    template <input_range In, output_range Out, counts_range Sends, counts_range Recvs>
    auto start_all_to_all(In&& in, Out&& out, Sends const& send_counts, Recvs const& recv_counts,
                          options const& how = {}) {
        return started(make().exchange(in, out, make().counts(collective::all_to_all, send_counts),
                                       make().counts(collective::all_to_all, recv_counts), how));
    }

    /// Returns once all ranks have entered it.
    void barrier(options const& how = {}) {
        core_->run(make().template begin<std::byte>(collective::barrier, how));
    }
    auto start_barrier(options const& how = {}) {
        return started(make().template begin<std::byte>(collective::barrier, how));
    }

    /// Messages from one rank to another, matched in order per (from, to, tag). The sizes and types
    /// of both sides must be equal: otherwise a mismatch_error. Of the options, timeout counts.
    template <input_range Data>
    void send(Data&& data, rank_t to, int tag = 0, options const& how = {}) {
        start_send(data, to, tag, how).wait();
    }
    template <output_range Data>
    void recv(Data&& data, rank_t from, int tag = 0, options const& how = {}) {
        start_recv(data, from, tag, how).wait();
    }
    template <input_range Data>
    auto start_send(Data&& data, rank_t to, int tag = 0, options const& how = {}) {
        auto* const bytes = const_cast<std::byte*>(  // only read: a send has no other use for it
            reinterpret_cast<std::byte const*>(std::ranges::data(data)));
        return started_pair<element_t<Data>>(collective::send, bytes, std::ranges::size(data), to,
                                             tag, how);
    }
    template <output_range Data>
    auto start_recv(Data&& data, rank_t from, int tag = 0, options const& how = {}) {
        return started_pair<element_t<Data>>(
            collective::recv, reinterpret_cast<std::byte*>(std::ranges::data(data)),
            std::ranges::size(data), from, tag, how);
    }

    /// A communicator of the ranks with the same color, ordered by key, then rank. Collective.
    communicator split(int color, int key = 0) {
        struct member {
            int color, key, rank;
        };
        std::array const mine{member{color, key, rank()}};
        std::vector<member> all(static_cast<std::size_t>(size()));
        all_gather_as(collective::split, mine, all);
        std::erase_if(all, [color](auto const& p) { return p.color != color; });
        std::stable_sort(all.begin(), all.end(),
                         [](auto const& a, auto const& b) { return a.key < b.key; });
        std::vector<rank_t> members;
        for (auto const& p : all) { members.push_back(p.rank); }
        auto const salt = static_cast<std::uint64_t>(static_cast<std::uint32_t>(color));
        return derive(core_->engine().shared(), members, salt);
    }

    /// n zeroed elements on every rank in memory that peers can reach. Collective; n is the same on
    /// all ranks. Throws transport_error on every rank if one has no memory.
    template <class T>
    buffer<T, Transport> allocate(std::size_t n) {
        static_assert(std::is_trivially_copyable_v<T>);
        core_->require(n <= static_cast<std::size_t>(-1) / sizeof(T), collective::allocate,
                       std::to_string(n) + " elements are more than memory can be");
        std::optional<buffer<T, Transport>> mine;
        std::string why;
        try {
            mine.emplace(core_->engine().shared()->carrier, n);
        } catch (std::exception const& e) {
            why = e.what();
        }
        std::array const ask{static_cast<std::uint64_t>(mine.has_value()),
                             static_cast<std::uint64_t>(n)};
        std::vector<std::array<std::uint64_t, 2>> all(static_cast<std::size_t>(size()));
        all_gather_as(collective::allocate, std::span(&ask, 1), all, n);
        for (std::size_t r = 0; r < all.size(); ++r) {
            if (all[r][0] != 0) { continue; }
            throw transport_error("rank " + std::to_string(rank()) + ", allocate: rank " +
                                  std::to_string(r) + " has no memory for " + std::to_string(n) +
                                  " elements" + (why.empty() ? "" : ": " + why));
        }
        return std::move(*mine);
    }

    /// The same ranks over a transport that `adaptor` makes from this one (counted, throttled,
    /// traced). Collective. The adapted transport keeps this one alive.
    template <class Adaptor>
    auto with(Adaptor const& adaptor) {
        auto adapted = adaptor(core_->engine().shared()->carrier);
        using adapted_transport = typename decltype(adapted)::element_type;
        std::vector<rank_t> members(static_cast<std::size_t>(size()));
        for (std::size_t i = 0; i < members.size(); ++i) { members[i] = static_cast<rank_t>(i); }
        auto shared = std::make_shared<hub<adapted_transport>>(std::move(adapted));
        return derive(std::move(shared), members, hash_text("with"));
    }

    /// Ends every rank's waits with an error. May be called from any thread.
    void abort(std::string_view why) {
        core_->engine().board().fail(failure::make(
            failure_kind::aborted,
            "aborted by rank " + std::to_string(rank()) + ": " + std::string(why)));
    }

    /// What `automatic` would take for a vector of so many bytes, with the predicted times.
    explanation explain(std::size_t bytes, collective what = collective::all_reduce) {
        return core_->selector().explain({what, size(), 0, false, false}, bytes);
    }

private:
    static rank_group everybody(Transport const& t) {
        std::vector<rank_t> all(static_cast<std::size_t>(t.size()));
        for (std::size_t i = 0; i < all.size(); ++i) { all[i] = static_cast<rank_t>(i); }
        return {std::move(all), t.rank()};
    }

    request_maker<Transport> make() const { return request_maker<Transport>(*core_); }

    template <class T, class Op>
    static auto keep(Op const& op) {
        auto kept = std::make_shared<std::pair<Op, reducer>>(op, reducer{});
        kept->second = host::make_reducer<T>(kept->first);
        return kept;
    }
    pending<Transport> started(call_request const& r, std::shared_ptr<void const> kept = {}) {
        auto o = std::make_unique<operation<Transport>>();
        core_->start(*o, r);
        return {core_, std::move(o), std::move(kept)};
    }
    template <class T>
    pending<Transport> started_pair(collective what, std::byte* bytes, std::size_t count,
                                    rank_t peer, int tag, options const& how) {
        core_->engine().require_usable(what);
        core_->require_rank(peer, what, "peer");
        fingerprint call;
        call.what = what;
        call.count = count;
        call.type = type_id<T>();
        call.type_name = type_name<T>();
        call.sequence = core_->next_pair_number();
        auto m = std::make_unique<pair_message<Transport>>();
        m->start(core_->engine(), call, peer, tag, bytes, count * sizeof(T), sizeof(T),
                 how.timeout.span());
        core_->engine().add(*m);
        return {core_, std::move(m), {}};
    }

    /// An all_gather of one element per rank on the library's own account; `count` must be equal.
    template <class In, class Out>
    void all_gather_as(collective what, In const& in, Out& out, std::size_t count = 0) {
        options how;
        how.segment = count;  // 0 or, for allocate, what all ranks must agree on
        auto r = make().to_whole(collective::all_gather, in, out, {}, 0, how);
        r.as = what;
        core_->run(r);
    }

    template <collectives::transport Other>
    communicator<Other> derive(std::shared_ptr<hub<Other>> shared, std::vector<rank_t> members,
                               std::uint64_t salt) {
        auto const me = static_cast<rank_t>(
            std::find(members.begin(), members.end(), rank()) - members.begin());
        auto const leader = members.front();
        auto const share = [&](std::uint64_t mine) {
            std::vector<std::uint64_t> all(static_cast<std::size_t>(size()));
            all_gather_as(collective::split, std::array{mine}, all);
            return all[static_cast<std::size_t>(leader)];
        };
        for (auto& m : members) { m = core_->engine().group().job_rank(m); }
        auto board = shared->carrier->make_board(members, me, share);
        auto const context = mix(mix(core_->engine().context(), ++derived_), salt);
        return communicator<Other>(std::move(shared), std::move(board),
                                   rank_group(std::move(members), me), context);
    }

    std::shared_ptr<communicator_core<Transport>> core_;
    std::uint64_t derived_ = 0;
};

}  // namespace collectives
