// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/communicator/message_path.hpp>
#include <collectives/communicator/pair_calls.hpp>
#include <collectives/core/first_failure.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/text.hpp>
#include <collectives/select/model_text.hpp>
#include <collectives/transport/message.hpp>

#include <array>
#include <cstring>
#include <string>

namespace collectives::inline v0 {

namespace detail {

/// The communicator of all ranks of a job.
[[gnu::cold]] inline shared_pointer<detail::communicator_core> first_core(
    shared_pointer<any_transport> const& t) {
    auto everybody = numbers_below(static_cast<std::size_t>(t->size()));
    auto shared = make_shared_object<detail::rank_progress>(t);
    auto board = t->first_board();
    if (board->asks()) { shared->let_any_thread_tell(); }
    auto const over_links = t->short_path != nullptr;  // a library carries the messages
    auto const prices = over_links ? machine_model::of_links() : machine_model{};
    return make_shared_object<detail::communicator_core>(
        std::move(shared), std::move(board), detail::rank_group(std::move(everybody), t->rank()),
        std::uint64_t{1}, detail::model_of_environment(prices));
}

COLLECTIVES_INLINE void communicator_core::run_as_messages(call_request const& r) {
    auto const lock = engine_.lock();
    require_stream(r.reported_as, r.how);
    auto const path = engine_.has_cells() ? &message_path<any_transport>::run : short_path_;
    if (path != nullptr && path(*this, r)) { return; }
    if (blocks_vary(r)) { return complete<unsized_operation>(idle_unsized_, r); }
    complete<operation>(idle_, r);
}
COLLECTIVES_INLINE operation& communicator_core::next_operation() {
    if (idle_.empty()) { idle_.push_back(take<operation>(idle_)); }
    return *idle_.back();
}
COLLECTIVES_INLINE void communicator_core::wait_over_messages(call_request const& r,
                                                              shared_pointer<program> const& what,
                                                              entry const& entered,
                                                              std::exception_ptr const& thrown) {
    auto o = take<operation>(idle_);
    running guard{this, o.get()};
    o->resume(engine_, what, entered, thrown, r.how.timeout.span());
    engine_.add(*o);
    engine_.wait(*o);
    idle_.push_back(std::move(o));
}

COLLECTIVES_INLINE void communicator_core::start(pair_message& m, pair_call const& r) {
    engine_.require_usable(r.what);
    make().require_rank(r.peer, r.what, "peer");
    if (on_device()) { follow_stream(engine_, r.what, r.how.stream, r.data, {}); }
    try {
        m.become(r.what, r.of, r.data.bytes / r.of.size, engine_.calls.number_message());
        m.start(engine_, r.peer, r.tag, r.data.data, r.data.bytes, r.of.size, r.how.timeout.span());
        m.done = may_end_at_once(m) && m.progress();
        if (!m.done) { engine_.add(m); }
    } catch (...) {
        engine_.break_by_exception(name_of{r.what});
        m.cancel();  // a fragment may be under way before the one that was refused
        throw;
    }
}

COLLECTIVES_INLINE void communicator_core::run_pairs(pair_call const& received,
                                                     pair_call const& sent) {
    auto const lock = engine_.lock();
    auto arriving = take<pair_message>(idle_pairs_), leaving = take<pair_message>(idle_pairs_);
    idle_pairs_.make_room(2);
    running const first{this, arriving.get()}, second{this, leaving.get()};
    start(static_cast<pair_message&>(*arriving), received);
    first_failure failure;
    auto const is_leaving =
        failure.attempt([&] { start(static_cast<pair_message&>(*leaving), sent); });
    auto const wait = [&](activity& a) { failure.attempt([&] { engine_.wait(a); }); };
    wait(*arriving);  // a failed start has broken the communicator, which ends this wait
    if (is_leaving) { wait(*leaving); }
    failure.rethrow();
    idle_pairs_.push_back(std::move(arriving));
    idle_pairs_.push_back(std::move(leaving));
}

COLLECTIVES_INLINE void communicator_core::abort(std::string_view why) {
    engine_.board().fail(failure::make(failure_kind::aborted,
                                       text_of("aborted by rank ", engine_.rank(), ": ", why)));
    if (engine_.board().asks()) { engine_.shared()->tell_failures(); }
}

/// An all_gather of `bytes` bytes per rank for the library itself. `stated`, which messages name as
/// the count, must be equal on all ranks.
inline void all_gather_as(detail::communicator_core& core, collective what, void const* mine,
                          void* all, std::size_t bytes, std::size_t stated = 0) {
    auto const ranks = static_cast<std::size_t>(core.engine().size());
    auto r = core.make().to_whole(collective::all_gather, detail::element_type_of<std::byte>(),
                                  {mine, bytes}, {all, bytes * ranks}, {}, 0, {});
    r.reported_as = what;
    r.reported_count = stated;
    core.run(r);
    // A peer may have overwritten what this rank gave.
    auto const place = bytes * static_cast<std::size_t>(core.engine().rank());
    std::memcpy(static_cast<std::byte*>(all) + place, mine, bytes);
}

/// A communicator of `members`, ranks of `core`, over `shared`.
inline shared_pointer<detail::communicator_core> derive(
    detail::communicator_core& core, shared_pointer<detail::rank_progress> shared,
    lean_vector<rank_t> members, std::uint64_t salt) {
    auto& engine = core.engine();
    auto const me = static_cast<rank_t>(members.index_of(engine.rank()));
    auto const leader = static_cast<std::size_t>(members.front());
    auto const share = [&](std::uint64_t mine) {
        lean_vector<std::uint64_t> all(static_cast<std::size_t>(engine.size()));
        all_gather_as(core, collective::split, &mine, all.data(), sizeof mine);
        return all[leader];
    };
    for (auto& m : members) { m = engine.group().job_rank(m); }
    engine.require_usable(collective::split);  // before a board is made in vain
    // Count it before anything can fail: if one group has no memory, the others go on.
    auto const context = with_generation(mix(mix(engine.context(), core.next_derived()), salt),
                                         generation_of(engine.context()));
    auto board = shared->carrier->make_board(members, me, share);
    return make_shared_object<detail::communicator_core>(std::move(shared), std::move(board),
                                                         detail::rank_group(std::move(members), me),
                                                         context, core.planner().model());
}

}  // namespace detail

COLLECTIVES_INLINE communicator::communicator(shared_pointer<any_transport> t)
    : communicator(detail::first_core(t)) {}
COLLECTIVES_INLINE communicator::communicator(shared_pointer<detail::communicator_core> core)
    : communicator_base(std::move(core)) {}
COLLECTIVES_INLINE detail::communicator_base::communicator_base(core_pointer core)
    : core_(std::move(core)),
      rank_(core_->engine().rank()),
      size_(core_->engine().size()),
      calls_(&core_->engine().calls),
      on_device_(core_->engine().space().device() != nullptr) {}

COLLECTIVES_INLINE void detail::communicator_base::run(call_request const& r) { core_->run(r); }
COLLECTIVES_INLINE void communicator::run_as_messages(detail::call_request const& r) {
    core_->run_as_messages(r);
}
COLLECTIVES_INLINE pending communicator::start_unsized(detail::call_request const& r) {
    return {core_, core_->start_operation<detail::unsized_operation>(r), {}};
}
COLLECTIVES_INLINE pending detail::communicator_base::start(call_request const& r,
                                                            shared_pointer<void const> kept) {
    auto started = core_->start_operation<operation>(r);
    return {core_, std::move(started), std::move(kept)};
}
COLLECTIVES_INLINE pending communicator::start_pair(detail::pair_call const& r) {
    return {core_, core_->start_pair(r), {}};
}
COLLECTIVES_INLINE void communicator::run_pair(detail::pair_call const& r) { core_->run_pair(r); }
COLLECTIVES_INLINE void communicator::exchange(detail::element_type sent, memory_span out,
                                               rank_t to, detail::element_type received,
                                               writable_memory in, rank_t from, int tag,
                                               options const& how) {
    detail::send_recv(core_, sent, out, to, received, in, from, tag, how);
}
COLLECTIVES_INLINE std::optional<std::size_t> communicator::probe(rank_t from, int tag) {
    return detail::probe(core_->engine(), from, tag);
}
COLLECTIVES_INLINE void communicator::barrier(options const& how) {
    run(make().begin(collective::barrier, detail::element_type_of<std::byte>(), how));
}
COLLECTIVES_INLINE pending communicator::start_barrier(options const& how) {
    return start(make().begin(collective::barrier, detail::element_type_of<std::byte>(), how));
}

COLLECTIVES_INLINE communicator communicator::split(int color, int key) {
    auto const lock = core_->engine().lock();
    struct choice {
        int color, key;
    };
    choice const mine{color, key};
    lean_vector<choice> all(static_cast<std::size_t>(size()));
    detail::all_gather_as(*core_, collective::split, &mine, all.data(), sizeof mine);
    auto const of = [&](rank_t r) { return all[static_cast<std::size_t>(r)]; };
    lean_vector<std::uint64_t> keys;
    for (auto const& its : all) {
        keys.push_back(static_cast<std::uint64_t>(its.key) ^ (std::uint64_t{1} << 63));
    }
    auto members = numbers_by(keys);
    members.erase_if([&](rank_t r) { return of(r).color != color; });
    auto const salt = static_cast<std::uint64_t>(static_cast<std::uint32_t>(color));
    return communicator(detail::derive(*core_, core_->engine().shared(), std::move(members), salt));
}

COLLECTIVES_INLINE communicator communicator::over(function_ref<pointer(pointer)> adaptor) {
    auto const lock = core_->engine().lock();
    auto const& below = core_->engine().shared();
    auto members = numbers_below(static_cast<std::size_t>(size()));
    auto shared = make_shared_object<detail::rank_progress>(adaptor(below->carrier), below->work);
    return communicator(
        detail::derive(*core_, std::move(shared), std::move(members), hash_text("with")));
}

COLLECTIVES_INLINE memory_block communicator::allocate_elements(std::size_t n, std::size_t each) {
    make().require(n <= static_cast<std::size_t>(-1) / each, collective::allocate,
                   text_of(n, " elements are more than memory can be"));
    memory_block mine;
    std::array<std::uint64_t, 2> ask{1, n};
    std::string why;
    try {
        mine = memory_block(core_->engine().shared()->carrier, n * each);
    } catch (std::exception const& e) {
        ask[0] = 0;
        why = e.what();
    }
    lean_vector<std::array<std::uint64_t, 2>> all(static_cast<std::size_t>(size()));
    detail::all_gather_as(*core_, collective::allocate, &ask, all.data(), sizeof ask, n);
    for (std::size_t r = 0; r < all.size(); ++r) {
        if (all[r][0] != 0) { continue; }
        throw_error<transport_error>("rank ", rank(), ", allocate: rank ", r, " has no memory for ",
                                     n, " elements", (why.empty() ? "" : text_of(": ", why)));
    }
    return mine;
}

COLLECTIVES_INLINE void communicator::abort(std::string_view why) { core_->abort(why); }
COLLECTIVES_INLINE explanation communicator::explain(std::size_t bytes, collective what) {
    make().require(static_cast<std::size_t>(what) < scheduled_collectives.size(), what,
                   "automatic chooses nothing for it");
    auto const unknown = is_rooted(what) && has_blocks(what);
    return core_->planner().explain(what, unknown ? 0 : bytes);
}
COLLECTIVES_INLINE machine_model const& communicator::model() const {
    return core_->planner().model();
}
COLLECTIVES_INLINE void communicator::use(machine_model const& prices) {
    core_->planner().use(prices);
}
COLLECTIVES_INLINE void detail::communicator_base::bind(reducer& r) const { core_->bind(r); }

}  // namespace collectives

#include <collectives/communicator/shrink.ipp>
