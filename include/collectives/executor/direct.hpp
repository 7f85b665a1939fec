// SPDX-License-Identifier: BSD-3-Clause
// The direct executor: reads values where they lie in peers' memory, several in one pass, and
// writes sums straight to peers' outputs where it can (executor/run_folds.hpp). One counter per
// rank and lane says how far it has come; what may be overwritten follows from it.
#pragma once

#include <collectives/executor/buffers.hpp>
#include <collectives/executor/engine.hpp>
#include <collectives/executor/inside.hpp>
#include <collectives/executor/program.hpp>
#include <collectives/executor/run_book.hpp>
#include <collectives/executor/run_folds.hpp>
#include <collectives/executor/run_peers.hpp>
#include <collectives/executor/space.hpp>
#include <collectives/transport/shared/board.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace collectives {

/// One run of a plan over peers' memory. `progress` never blocks; a pass is at most 256 KiB, and
/// between two of them the stop word is looked at.
class direct_run {
public:
    static constexpr std::size_t pass_bytes = 256 * 1024, pass_bytes_on_device = 1U << 30;

    /// Run number `run` of slice `slice`: writes down where this rank's buffers lie, for peers to
    /// read once its counter says that it has come. All must live until `progress` says true; the
    /// scratch until all peers have left the run, unless it waits for those who read there.
    void start(engine& e, program& of, int slice, std::uint64_t run, std::uint64_t hash,
               plan_variant variant, bool waits_for_readers, run_buffers at,
               std::array<std::uint64_t, 3> bases, reducer const* op) {
        engine_ = &e;
        memory_ = e.memory();
        space_ = e.space();
        board_ = &e.lanes();
        me_ = e.rank();
        plan_ = &of.steps(slice, variant.how);
        peers_ = {*memory_, *board_, of, *plan_, slice, run};
        run_ = run;
        hash_ = hash;
        at_ = at;
        op_ = op;
        if (space_.device() != nullptr) { ordered_.assign(static_cast<std::size_t>(e.size()), 0); }
        staged_ = collectives::is_staged(variant.how);
        takes_sums_ = variant.takes_sums;
        folds_.start(e, of, *plan_, variant, at, op);
        waits_for_readers_ = waits_for_readers;
        wrong_ = false;
        round_ = 0;
        auto& mine = board_->lane(me_, run);
        mine.hash = hash;
        mine.bases = bases;
        mine.variant.store(variant.word(), std::memory_order_release);
        mine.around = e.runs.around();
        begin_round();
    }

    bool progress() {
        auto const ended = advance();
        tell();
        return ended;
    }
    bool wrong() const { return wrong_; }           // a peer came with another call
    std::uint64_t ticks() const { return ticks_; }  // grows with everything that gets done
    /// What the counters of ranks that have left the run have reached.
    std::uint64_t end() const { return lane_come(run_, plan_->total_rounds); }

private:
    enum class stage { clear, published };

    bool advance() {
        while (round_ < plan_->rounds.size()) {
            if (!run_round(plan_->rounds[round_])) { return false; }
            ++round_;
            ++ticks_;
            begin_round();
            // Before anything is waited for: who waits for this rank may be who it waits for.
            if (round_ < plan_->rounds.size() && !plan_->rounds[round_].gathered_over.empty()) {
                publish(lane_done(run_, plan_->rounds[round_ - 1].number));
            }
        }
        if (!left_) {
            publish(end());
            left_ = true;
        }
        for (; waits_for_readers_ && reader_ < plan_->readers.size(); ++reader_) {
            auto const& r = plan_->readers[reader_];
            // Whose output was written reads nothing there.
            // In such a run each of them has come, else its lane might tell of an older one.
            if (folds_.pushes() && r.round == 1 && peers_.variant(r.peer).takes_sums) { continue; }
            if (!has_reached(r.peer, lane_done(run_, r.round))) { return false; }
        }
        for (auto const& c : plan_->epilogue) {
            at_.carry_out(space_, c, folds_.destination_if(true));
        }
        return true;
    }

    void begin_round() {
        stage_ = stage::clear;
        waited_ = receive_ = fold_ = 0;
        done_ = 0;
        reader_ = 0;
        left_ = false;
    }
    void tell() {
        if (std::exchange(has_news_, false)) { board_->wake_others(); }
    }
    void publish(std::uint64_t reached) {
        if (auto* const device = space_.device()) { device->note(); }
        board_->lane(me_, run_).counter.store(reached, std::memory_order_release);
        has_news_ = true;
    }
    bool has_reached(rank_t peer, std::uint64_t where) {
        auto const come = peers_.counter(peer);
        if (come < where) { return false; }
        if (auto* const device =
                space_.device()) {  // what it has enqueued comes before what this rank enqueues now
            auto& seen = ordered_[static_cast<std::size_t>(peer)];
            if (seen < where) {
                device->after(engine_->group().job_rank(peer));
                seen = come;
            }
        }
        return true;
    }
    /// Of a peer that has come: its lane stays as it is until this rank has left the run.
    bool calls_the_same(rank_t peer) {
        wrong_ = wrong_ || peers_.hash(peer) != hash_;
        return !wrong_;
    }

    bool run_round(plan_round const& r) {
        if (stage_ == stage::clear) {
            if (!have_read(r.gathered_over)) { return false; }
            waited_ = 0;
            for (int c = r.gathers.first; c < r.gathers.last; ++c) {
                gather(plan_->copies[static_cast<std::size_t>(c)]);
            }
            publish(lane_come(run_, r.number));
            stage_ = stage::published;
        }
        if (!have_read(r.overwritten)) { return false; }
        for (; r.receives.first + receive_ < r.receives.last; ++receive_, done_ = 0) {
            auto const index = r.receives.first + receive_;
            auto const& t = plan_->receives[static_cast<std::size_t>(index)];
            if (!has_reached(t.peer, lane_come(run_, t.round)) || !calls_the_same(t.peer)) {
                return false;
            }
            engine_->runs.meet(*memory_, t.peer, peers_.around(t.peer));
            if (t.action != verb::recv_copy || takes_sums_) { continue; }
            auto const* const from = peers_.source(index);
            auto const copied = in_passes(t.bytes, 1, [&](std::size_t first, std::size_t bytes) {
                space_.copy(at_.write(t.at) + first, from + first, bytes,
                            folds_.destination_if(t.rests));
            });
            if (!copied) { return false; }
        }
        for (; r.folds.first + fold_ < r.folds.last; ++fold_, done_ = 0) {
            auto const& f = plan_->folds[static_cast<std::size_t>(r.folds.first + fold_)];
            auto const folded =
                in_passes(f.bytes, op_->elem_size, [&](std::size_t first, std::size_t bytes) {
                    folds_.carry_out(peers_, f, first, bytes);
                });
            if (!folded) { return false; }
        }
        return true;
    }

    void gather(copy const& c) {
        if (staged_ && space_.device() == nullptr) {
            return at_.carry_out(space_, c, engine_->watch.best(at_.write(c.to), c.bytes));
        }
        at_.carry_out(space_, c);
    }

    bool have_read(run_of<reader> who) {
        for (auto i = who.first + waited_; i < who.last; ++i, ++waited_) {
            auto const& o = plan_->overwritten[static_cast<std::size_t>(i)];
            if (!has_reached(o.peer, lane_done(run_, o.round))) { return false; }
        }
        return true;
    }

    /// Calls pass(first, bytes) over `bytes` bytes in steps; false if the run was stopped.
    template <class Pass>
    bool in_passes(std::size_t bytes, std::size_t granule, Pass&& pass) {
        auto const whole = space_.device() == nullptr ? pass_bytes : pass_bytes_on_device;
        auto const most = std::max(whole / granule, std::size_t{1}) * granule;
        while (done_ < bytes) {
            stay_inside const here(*memory_);
            if (board_->stopped()) { return false; }
            auto const now = std::min(most, bytes - done_);
            pass(done_, now);
            if (board_->stopped()) { return false; }  // a pass ends early then
            done_ += now;
            tell();  // who waits for this rank need not wait for all of its passes
            ++ticks_;
        }
        return true;
    }

    engine* engine_ = nullptr;
    peer_memory* memory_ = nullptr;
    any_space space_;
    shared::board* board_ = nullptr;
    rank_t me_ = 0;
    plan const* plan_ = nullptr;
    run_peers peers_;
    std::uint64_t run_ = 0;
    std::uint64_t hash_ = 0;
    run_folds folds_;
    bool staged_ = false;  // peers read copies of what this rank has made
    bool takes_sums_ = false;
    bool waits_for_readers_ = true;
    run_buffers at_{};
    reducer const* op_ = nullptr;
    std::size_t round_ = 0;
    stage stage_ = stage::clear;
    int waited_ = 0, receive_ = 0, fold_ = 0;
    std::uint64_t ticks_ = 0;
    std::size_t done_ = 0, reader_ = 0;
    bool left_ = false, wrong_ = false, has_news_ = false;  // the last: for peers that may sleep
    std::vector<std::uint64_t> ordered_;  // on a device: of each peer, what comes before this rank
};

}  // namespace collectives
