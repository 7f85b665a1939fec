// SPDX-License-Identifier: BSD-3-Clause
// The direct executor: reads values where they lie in peers' memory, several in one pass. One
// counter per rank and lane says how far it has come; what may be overwritten follows from it.
#pragma once

#include <collectives/executor/buffers.hpp>
#include <collectives/executor/group.hpp>
#include <collectives/executor/plan.hpp>
#include <collectives/transport/concepts.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace collectives {

/// Where each receive of a plan lies in its peer's buffers, for a peer out of place and in place.
using remote_places = std::vector<std::array<place, 2>>;

/// What a rank says before what it sends in round 0 can be read.
inline constexpr int announced = -1;

/// Lanes count runs in the upper 44 bits, and in the lower 20 one more than the completed rounds.
constexpr std::uint64_t lane_count(std::uint64_t run, int rounds) {
    return run << 20 | static_cast<std::uint64_t>(rounds + 1);
}

/// One run of a plan over peers' memory. `progress` never blocks; a pass is at most 256 KiB, and
/// between two of them the stop word is looked at.
template <peer_addressable Transport>
class direct_run {
public:
    static constexpr std::size_t pass_bytes = 256 * 1024;

    /// Announces where this rank's buffers lie (with `in_place`, which of the two variants of the
    /// plan it follows) and that it has entered. Locations of 0 say that peers cannot reach them.
    void announce(typename Transport::board& board, rank_t me, std::uint64_t run,
                  std::uint64_t hash, std::array<std::uint64_t, 3> bases, bool in_place,
                  plan const& p) {
        board_ = &board;
        run_ = run;
        me_ = me;
        wrong_ = false;
        agreed_ = 0;
        auto& mine = board.lane(me, run);
        mine.hash = hash;
        mine.bases = bases;
        mine.in_place = in_place ? 1 : 0;
        hash_ = hash;
        auto const gathers_first = !p.rounds.empty() && p.rounds.front().number == 0 &&
                                   p.rounds.front().gathers.first != p.rounds.front().gathers.last;
        publish(gathers_first ? announced : 0);
    }
    enum class agreement { not_yet, reachable, unreachable };
    /// Whether all ranks' buffers can be reached, once all have announced themselves.
    agreement agree(int size) {
        bool all = true;
        for (; agreed_ < size; ++agreed_) {
            if (!has_come(agreed_, announced) || !calls_the_same(agreed_)) {
                return agreement::not_yet;
            }
        }
        for (rank_t r = 0; r < size; ++r) {
            for (auto const where : board_->lane(r, run_).bases) { all = all && where != 0; }
        }
        return all ? agreement::reachable : agreement::unreachable;
    }

    void start(Transport& t, rank_group const& group, plan const& p, remote_places const& remote,
               run_buffers at, reducer const* op) {
        transport_ = &t;
        size_ = group.size();
        plan_ = &p;
        remote_ = &remote;
        at_ = at;
        op_ = op;
        round_ = 0;
        begin_round();
    }

    bool progress() {
        while (round_ < plan_->rounds.size()) {
            if (!run_round(plan_->rounds[round_])) { return false; }
            ++round_;
            ++ticks_;
            begin_round();
        }
        if (!left_) {
            publish(plan_->total_rounds);
            left_ = true;
        }
        for (; reader_ < plan_->readers.size(); ++reader_) {
            auto const& r = plan_->readers[reader_];
            if (!has_come(r.peer, r.round + 1)) { return false; }
        }
        for (auto const& c : plan_->epilogue) { at_.carry_out(c); }
        return true;
    }
    /// A peer came with another call.
    bool wrong() const { return wrong_; }
    /// Grows with everything that gets done.
    std::uint64_t ticks() const { return ticks_; }

private:
    enum class stage { clear, published };

    /// This rank is in a peer's memory as long as it lives, even if the operator throws.
    class stay {
    public:
        explicit stay(Transport& t) : transport_(t) { t.enter_memory(); }
        stay(stay const&) = delete;
        stay& operator=(stay const&) = delete;
        ~stay() { transport_.leave_memory(); }

    private:
        Transport& transport_;
    };

    void begin_round() {
        stage_ = stage::clear;
        waited_ = receive_ = fold_ = 0;
        done_ = 0;
        reader_ = 0;
        left_ = false;
    }
    void publish(int rounds) {
        board_->lane(me_, run_).counter.store(lane_count(run_, rounds), std::memory_order_seq_cst);
        board_->ring_others();
    }
    bool has_come(rank_t peer, int rounds) {
        auto const& its = board_->lane(peer, run_);
        return its.counter.load(std::memory_order_acquire) >= lane_count(run_, rounds);
    }
    /// Of a peer that has come and cannot leave before this rank has read from it.
    bool calls_the_same(rank_t peer) {
        wrong_ = wrong_ || board_->lane(peer, run_).hash != hash_;
        return !wrong_;
    }

    bool run_round(plan_round const& r) {
        if (stage_ == stage::clear) {
            auto const gathers = r.gathers.first != r.gathers.last;
            if (!gathers) { publish(r.number); }
            stage_ = gathers ? stage::clear : stage::published;
        }
        for (auto i = r.overwritten.first + waited_; i < r.overwritten.last; ++i, ++waited_) {
            auto const& o = plan_->overwritten[static_cast<std::size_t>(i)];
            if (!has_come(o.peer, o.round + 1)) { return false; }
        }
        if (stage_ == stage::clear) {
            for (int c = r.gathers.first; c < r.gathers.last; ++c) {
                at_.carry_out(plan_->copies[static_cast<std::size_t>(c)]);
            }
            publish(r.number);
            stage_ = stage::published;
        }
        for (; r.receives.first + receive_ < r.receives.last; ++receive_, done_ = 0) {
            auto const index = r.receives.first + receive_;
            auto const& t = plan_->receives[static_cast<std::size_t>(index)];
            if (!has_come(t.peer, t.round) || !calls_the_same(t.peer)) { return false; }
            if (t.action != verb::recv_copy) { continue; }
            auto const* const from = peer_bytes(index);
            auto const copied = in_passes(t.bytes, 1, [&](std::size_t first, std::size_t bytes) {
                host::copy(at_.write(t.at) + first, from + first, bytes);
            });
            if (!copied) { return false; }
        }
        for (; r.folds.first + fold_ < r.folds.last; ++fold_, done_ = 0) {
            auto const& f = plan_->folds[static_cast<std::size_t>(r.folds.first + fold_)];
            auto const folded =
                in_passes(f.bytes, op_->elem_size, [&](std::size_t first, std::size_t bytes) {
                    carry_out(*plan_, f, at_, *op_, size_, first, bytes, [&](auto const& s) {
                        return peer_bytes(s.transfer) + s.offset + first;
                    });
                });
            if (!folded) { return false; }
        }
        return true;
    }

    std::byte const* peer_bytes(int receive) const {
        auto const& its =
            board_->lane(plan_->receives[static_cast<std::size_t>(receive)].peer, run_);
        auto const& where = (*remote_)[static_cast<std::size_t>(receive)][its.in_place];
        return transport_->at(its.bases[static_cast<std::size_t>(where.where)]) + where.offset;
    }

    /// Calls pass(first, bytes) over `bytes` bytes in steps; false if the run was stopped.
    template <class Pass>
    bool in_passes(std::size_t bytes, std::size_t granule, Pass&& pass) {
        auto const most = std::max(pass_bytes / granule, std::size_t{1}) * granule;
        while (done_ < bytes) {
            stay const inside(*transport_);
            if (board_->stopped()) { return false; }
            auto const now = std::min(most, bytes - done_);
            pass(done_, now);
            done_ += now;
            ++ticks_;
        }
        return true;
    }

    Transport* transport_ = nullptr;
    typename Transport::board* board_ = nullptr;
    int size_ = 0;
    rank_t me_ = 0;
    std::uint64_t run_ = 0;
    std::uint64_t hash_ = 0;
    plan const* plan_ = nullptr;
    remote_places const* remote_ = nullptr;
    run_buffers at_{};
    reducer const* op_ = nullptr;
    std::size_t round_ = 0;
    stage stage_ = stage::clear;
    int waited_ = 0, receive_ = 0, fold_ = 0;
    rank_t agreed_ = 0;
    std::uint64_t ticks_ = 0;
    std::size_t done_ = 0, reader_ = 0;
    bool left_ = false;
    bool wrong_ = false;
};

}  // namespace collectives
