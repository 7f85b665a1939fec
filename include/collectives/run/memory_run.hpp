// SPDX-License-Identifier: BSD-3-Clause
// Carries out plans in memory that peers reach. A pass reads several sources where they are, and
// writes sums to peers' outputs if the plan says so. One counter per rank and channel says how far
// the rank has come; the waits of the plan use these counters.
#pragma once

#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/run/buffers.hpp>
#include <collectives/run/engine.hpp>
#include <collectives/run/memory_access.hpp>
#include <collectives/run/memory_peers.hpp>
#include <collectives/run/memory_sums.hpp>
#include <collectives/run/program.hpp>
#include <collectives/run/run_window.hpp>
#include <collectives/run/running_call.hpp>
#include <collectives/run/space.hpp>
#include <collectives/transport/shared/board.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace collectives::inline v0::detail {

/// One run of a plan over peers' memory. `progress` never blocks. A pass covers at most 256 KiB,
/// and the run reads the stop word between two passes.
class memory_run {
public:
    static constexpr std::size_t pass_bytes = 256 * 1024, pass_bytes_on_device = 1U << 30;

    /// Starts a run that the run window has already begun. Publishes where this rank's buffers are
    /// (`bases`), for peers to read once its counter says that it has come. What the arguments
    /// point to must live until `progress` returns true, and the scratch for as long as the plan's
    /// `keeps` says.
    void start(engine& e, memory_form const& form, running_call const& of, run_buffers at,
               std::array<std::uint64_t, 3> bases) {
        engine_ = &e;
        memory_ = e.memory();
        space_ = e.space();
        board_ = &e.shared_board();
        me_ = e.rank();
        plan_ = &form.own->steps;
        peers_ = {*memory_, *board_, form, of.reads};
        run_ = form.run;
        hash_ = of.hash;
        buffers_ = at;
        op_ = of.op;
        if (space_.device() != nullptr) { ordered_.assign(static_cast<std::size_t>(e.size()), 0); }
        sums_.start(e, *form.of, *plan_, at, op_);
        wrong_ = false;
        next_ = done_ = 0;
        auto& mine = board_->channel(me_, run_);
        mine.hash = hash_;
        mine.bases = bases;
        mine.announced.store(plan_->shown.word(), std::memory_order_release);
        mine.ring = e.runs.own_ring();
    }

    /// Does what can be done now. Returns true once this rank has done its part.
    bool progress() {
        // One access for all passes: on a device, its end may wait for what was enqueued.
        memory_access peers(*memory_);
        auto const ended = advance(peers);
        if (auto* const device = space_.device(); device != nullptr) { device->start_copies(); }
        tell();
        return ended;
    }
    /// The wait that it cannot get past, or null.
    [[gnu::cold]] plans::instruction const* stuck_at() const {
        if (next_ >= plan_->program.size()) { return nullptr; }
        auto const& i = plan_->program[next_];
        return i.what == opcode::wait ? &i : nullptr;
    }
    bool wrong() const { return wrong_; }           // a peer came with another call
    std::uint64_t ticks() const { return ticks_; }  // grows with each instruction or pass

private:
    using instruction = plans::instruction;
    using opcode = plans::opcode;

    bool advance(memory_access& peers) {
        for (; next_ < plan_->program.size(); ++next_, done_ = 0) {
            auto const& i = plan_->program[next_];
            switch (i.what) {
                case opcode::wait:
                    if (!may_go_on(i)) { return false; }
                    break;
                case opcode::publish:
                    if (!publish(i.at)) { return false; }
                    break;
                case opcode::copy:
                    if (!copy(i, peers)) { return false; }
                    break;
                case opcode::reduce:
                    if (!in_passes(i.bytes, op_->elem_size, peers,
                                   [&](std::size_t first, std::size_t bytes) {
                                       return sums_.carry_out(peers_, i, first, bytes);
                                   })) {
                        return false;
                    }
                    break;
                case opcode::send:
                case opcode::receive:
                case opcode::test: break;  // plans in memory have none
            }
        }
        return true;
    }

    void tell() {
        if (std::exchange(has_news_, false)) { board_->wake_others(); }
    }
    bool publish(plans::point at) {
        if (auto* const device = space_.device(); device != nullptr && !device->note()) {
            return false;
        }
        board_->channel(me_, run_).counter.store(channel_counter(run_, at),
                                                 std::memory_order_release);
        has_news_ = true;
        ++ticks_;
        return true;
    }
    bool may_go_on(instruction const& i) {
        if (i.runs_back != 0) { return true; }  // the window waited for this before the run began
        // A peer whose output was written reads nothing here. Each peer has come by now, so its
        // channel describes this run, or a later one if the peer has left this one.
        if (i.when == plans::condition::unless_peer_takes_results &&
            peers_.announced(i.peer).takes_results) {
            return true;
        }
        if (!has_reached(i.peer, channel_counter(run_, i.at))) { return false; }
        if (!plans::is_come(i.at)) { return true; }
        // The peer's channel does not change until this rank has left the run.
        wrong_ = wrong_ || peers_.hash(i.peer) != hash_;
        if (wrong_) { return false; }
        engine_->runs.prefault(*memory_, i.peer, peers_.ring_of(i.peer));
        return true;
    }
    bool has_reached(rank_t peer, std::uint64_t where) {
        auto const come = peers_.counter(peer);
        if (come < where) { return false; }
        if (auto* const device =
                space_.device()) {  // this rank's work comes after what the peer has enqueued
            auto& seen = ordered_[static_cast<std::size_t>(peer)];
            if (seen < where) {
                device->after(engine_->group().job_rank(peer));
                seen = come;
            }
        }
        return true;
    }

    bool copy(instruction const& i, memory_access& peers) {
        auto const& from = plan_->sources[static_cast<std::size_t>(i.sources.first)];
        auto const& to = plan_->destinations[static_cast<std::size_t>(i.destinations.first)];
        auto const is_shared = plans::is_shared(i);
        if (is_shared && plans::drops_shared(i, peers_.announced(i.peer))) { return true; }
        if (to.to.peer >= 0 || i.destinations.size() > 1) {
            return in_passes(i.bytes, 1, peers, [&](std::size_t first, std::size_t bytes) {
                if (is_shared) {  // only a rank that lends its output shares
                    return memory_->put(engine_->group().job_rank(i.peer),
                                        peers_.lent_output(to.to) + first,
                                        buffers_.read(from) + first, bytes);
                }
                sums_.push_copy_on_device(peers_, i, first, bytes);
                return true;
            });
        }
        auto* const own = buffers_.write(to.to);
        if (from.peer < 0) {
            auto const watched =
                to.how == plans::store::measured && space_.device() == nullptr && i.bytes != 0;
            space_.copy(own, buffers_.read(from), i.bytes,
                        watched ? engine_->watch.best(own, i.bytes) : sums_.destination_of(to.how));
            return true;
        }
        auto const lent_at = peers_.lent_at(i.sources.first);
        auto const* const its = lent_at != 0 ? nullptr : peers_.source(i.sources.first, i.bytes);
        return in_passes(i.bytes, 1, peers, [&](std::size_t first, std::size_t bytes) {
            if (lent_at != 0) {
                auto const lender = engine_->group().job_rank(from.peer);
                return memory_->fetch(lender, lent_at + first, own + first, bytes);
            }
            space_.copy(own + first, its + first, bytes, sums_.destination_of(to.how));
            return true;
        });
    }

    /// Calls pass(first, bytes) over `bytes` bytes in steps. Returns false if the run was stopped,
    /// or if a pass could not be made.
    [[gnu::noinline]] bool in_passes(std::size_t bytes, std::size_t granule, memory_access& peers,
                                     function_ref<bool(std::size_t, std::size_t)> pass) {
        auto const whole = space_.device() == nullptr ? pass_bytes : pass_bytes_on_device;
        auto const most = std::max(whole / granule, std::size_t{1}) * granule;
        while (done_ < bytes) {
            peers.enter();
            if (board_->stopped()) { return false; }
            auto const now = std::min(most, bytes - done_);
            if (!pass(done_, now)) { return false; }  // the peer's end will be told
            if (board_->stopped()) { return false; }  // a pass ends early then
            done_ += now;
            tell();  // peers need not wait for all passes
            ++ticks_;
        }
        return true;
    }

    engine* engine_ = nullptr;
    peer_memory* memory_ = nullptr;
    any_space space_;
    shared::board* board_ = nullptr;
    rank_t me_ = 0;
    plans::plan const* plan_ = nullptr;
    memory_peers peers_;
    std::uint64_t run_ = 0;
    std::uint64_t hash_ = 0;
    memory_sums sums_;
    run_buffers buffers_{};
    reducer const* op_ = nullptr;
    std::size_t next_ = 0;  // instruction
    std::size_t done_ = 0;  // bytes of that instruction
    std::uint64_t ticks_ = 0;
    bool wrong_ = false, has_news_ = false;  // has_news_: peers that sleep must be woken
    lean_vector<std::uint64_t>
        ordered_;  // on a device, per peer: the counter that this rank's stream waits for
};

}  // namespace collectives::detail
