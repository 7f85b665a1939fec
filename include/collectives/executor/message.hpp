// SPDX-License-Identifier: BSD-3-Clause
// The message executor: posts a round's sends and receives, waits for them, reduces, next round.
#pragma once

#include <collectives/core/text.hpp>
#include <collectives/executor/buffers.hpp>
#include <collectives/executor/group.hpp>
#include <collectives/executor/plan.hpp>
#include <collectives/executor/space.hpp>
#include <collectives/transport/any_transport.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace collectives {

/// One run of a plan over messages. Reused from call to call, so that nothing is allocated in the
/// steady state. `progress` never blocks.
class message_run {
public:
    /// The plan, group and operator must live until `done` or `cancel`. `op` may be null where
    /// nothing is reduced.
    void start(any_transport& t, rank_group const& group, plan const& p, run_buffers at,
               reducer const* op, std::uint64_t tag, std::size_t granule,
               std::atomic<std::uint32_t> const* stop, message_label label, bool sizes_agreed) {
        transport_ = &t;
        space_ = any_space(t.device());
        group_ = &group;
        plan_ = &p;
        at_ = at;
        op_ = op;
        tag_ = tag;
        granule_ = granule;
        stop_ = stop;
        label_ = label;
        sizes_agreed_ = sizes_agreed;
        round_ = 0;
        posted_ = false;
        complaint_.clear();
        thrown_ = nullptr;
        auto const most = most_requests(p);
        while (requests_.size() < most) { requests_.push_back(t.make_request()); }
        if (feeds_.size() < p.receives.size()) { feeds_.resize(p.receives.size()); }
    }

    /// Does what can be done now. True once the output is complete.
    /// Throws what the operator throws.
    bool progress() {
        while (round_ < plan_->rounds.size()) {
            auto const& r = plan_->rounds[round_];
            if (!posted_) { post(r); }
            for (; tested_ < pending_; ++tested_) {
                if (!transport_->test(*requests_[tested_])) { break; }
                if (requests_[tested_]->wrong()) { complain(tested_); }
            }
            if (thrown_) { std::rethrow_exception(std::exchange(thrown_, nullptr)); }
            if (wrong() || tested_ < pending_) { return false; }
            for (int f = r.folds.first; f < r.folds.last; ++f) { reduce(f); }
            ++round_;
            posted_ = false;
        }
        for (auto const& c : plan_->epilogue) { at_.carry_out(space_, c); }
        return true;
    }
    /// A message of the wrong size came: the ranks disagree.
    bool wrong() const { return !complaint_.empty(); }
    std::string const& complaint() const { return complaint_; }

    void cancel() {
        for (std::size_t i = 0; i < pending_ && posted_; ++i) { transport_->cancel(*requests_[i]); }
        posted_ = false;
    }

private:
    struct feed {  // what a consumer is given as its context
        message_run* run = nullptr;
        transfer const* what = nullptr;
    };

    static std::size_t most_requests(plan const& p) {
        std::size_t most = 0;
        for (auto const& r : p.rounds) {
            most = std::max(most, static_cast<std::size_t>(r.sends.last - r.sends.first +
                                                           r.receives.last - r.receives.first));
        }
        return most;
    }

    void complain(std::size_t request) {
        auto const& r = *requests_[request];
        auto const& round = plan_->rounds[round_];
        auto const sends = round.sends.last - round.sends.first;  // come first, see post
        auto const index = round.receives.first + static_cast<int>(request) - sends;
        auto const& t = plan_->receives[static_cast<std::size_t>(index)];
        auto const* const at_least = r.came_cut() ? "at least " : "";
        complaint_ = text_of("rank ", t.peer, " sent ", at_least, r.actual_bytes(), " bytes, rank ",
                             group_->rank(), " expected ", t.bytes);
    }

    message_label label(transfer const& t) const {
        auto result = label_;
        result.round = plan_->algorithms_round(t.round);
        result.chunks = t.chunks;
        result.action = t.action;
        return result;
    }

    void post(plan_round const& r) {
        posted_ = true;
        pending_ = tested_ = 0;
        for (int c = r.gathers.first; c < r.gathers.last; ++c) {
            at_.carry_out(space_, plan_->copies[static_cast<std::size_t>(c)]);
        }
        // Sends first: what asks a peer to take a long message is then on its way before what lets
        // the same peer send one, and its data; else the two would go one after the other.
        for (int i = r.sends.first; i < r.sends.last; ++i) {
            auto const& t = plan_->sends[static_cast<std::size_t>(i)];
            transport_->isend({group_->job_rank(t.peer), tag_, 0, at_.read(t.at), t.bytes, granule_,
                               label(t), sizes_agreed_},
                              *requests_[pending_++]);
        }
        for (int i = r.receives.first; i < r.receives.last; ++i) {
            auto const& t = plan_->receives[static_cast<std::size_t>(i)];
            incoming in{group_->job_rank(t.peer),
                        tag_,
                        0,
                        nullptr,
                        t.bytes,
                        granule_,
                        {},
                        stop_,
                        label(t),
                        sizes_agreed_};
            if (t.consumable) {
                auto& f = feeds_[static_cast<std::size_t>(i)];
                f = {this, &t};
                in.take = {&message_run::take, &f};
            } else {
                in.data = at_.write(t.at);
            }
            transport_->irecv(in, *requests_[pending_++]);
        }
    }

    /// Called by the transport, which may be at work for another operation: what the operator
    /// throws is kept until this one is looked at.
    static void take(void* context, std::size_t offset, std::byte const* data, std::size_t bytes) {
        auto const& f = *static_cast<feed const*>(context);
        auto& run = *f.run;
        if (run.thrown_) { return; }
        try {
            run.fold_in(*f.what, offset, data, bytes);
        } catch (...) { run.thrown_ = std::current_exception(); }
    }
    /// Folds bytes in as they come: whole elements, since messages are cut at the granule.
    void fold_in(transfer const& t, std::size_t offset, std::byte const* data, std::size_t bytes) {
        for (int k = 0; k < t.folds; ++k) {
            auto const& into = plan_->folds[static_cast<std::size_t>(t.first_fold + k)];
            auto const start = message_offset(*plan_, into);
            auto const first = std::max(offset, start);
            auto const last = std::min(offset + bytes, start + into.bytes);
            if (first >= last) { continue; }
            collectives::carry_out(*plan_, into, at_, *op_, at_.write(into.to) + (first - start),
                                   first - start, last - first, manner(),
                                   [&](auto const&) { return data + (first - offset); });
        }
    }
    fold_manner manner() const { return {.size = group_->size(), .queue = space_.queue()}; }
    static std::size_t message_offset(plan const& p, fold const& f) {
        for (int k = 0; k < f.sources; ++k) {
            auto const& s = p.sources[static_cast<std::size_t>(f.first_source + k)];
            if (s.transfer >= 0) { return s.offset; }
        }
        return 0;
    }

    void reduce(int index) {
        auto const& f = plan_->folds[static_cast<std::size_t>(index)];
        auto const message = [&](fold_source const& s) -> transfer const& {
            return plan_->receives[static_cast<std::size_t>(s.transfer)];
        };
        for (int k = 0; k < f.sources; ++k) {
            auto const& s = plan_->sources[static_cast<std::size_t>(f.first_source + k)];
            if (s.transfer >= 0 && message(s).consumable) { return; }
        }
        collectives::carry_out(*plan_, f, at_, *op_, at_.write(f.to), 0, f.bytes, manner(),
                               [&](auto const& s) { return at_.read(message(s).at) + s.offset; });
    }

    any_transport* transport_ = nullptr;
    any_space space_;
    rank_group const* group_ = nullptr;
    plan const* plan_ = nullptr;
    run_buffers at_{};
    reducer const* op_ = nullptr;
    std::uint64_t tag_ = 0;
    std::size_t granule_ = 1;
    std::atomic<std::uint32_t> const* stop_ = nullptr;
    message_label label_{};
    bool sizes_agreed_ = false;
    std::size_t round_ = 0;
    bool posted_ = false;
    std::string complaint_;
    std::exception_ptr thrown_;
    std::size_t pending_ = 0, tested_ = 0;
    std::vector<std::unique_ptr<any_request>> requests_;
    std::vector<feed> feeds_;
};

}  // namespace collectives
