// SPDX-License-Identifier: BSD-3-Clause
// What a run of the direct executor adds up, and all the places where the sums go: each is written
// while the nearest cache holds it (executor/push.hpp, docs/performance.md).
#pragma once

#include <collectives/executor/buffers.hpp>
#include <collectives/executor/engine.hpp>
#include <collectives/executor/program.hpp>
#include <collectives/executor/run_book.hpp>
#include <collectives/executor/run_peers.hpp>
#include <collectives/executor/space.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace collectives {

class run_folds {
public:
    /// Whether who adds up writes sums to outputs of other ranks, of those that take them.
    static bool may_push(engine const& e, program const& p) {
        auto const& shape = p.shape();
        return p.adds_once_for_all() && shape.elem_size <= piece_bytes &&
               (is_on_device(e) || bytes_of(p) >= least_pushed);
    }
    /// Whether it is better to be pushed to, out of place, only where peers' caches are far.
    static bool minds_distance(engine const& e, program const& p) {
        return may_push(e, p) && is_small_out_of_place(e, p);
    }
    /// Whether a rank that works in this way has the sums of others written to its output: where
    /// that is its input, read a moment ago by who adds up, or the vector large; or caches are far,
    /// as what is pushed goes past them.
    static bool takes_sums(engine const& e, program const& p, passage how, bool is_far) {
        return how == passage::direct && may_push(e, p) && (is_far || !is_small_out_of_place(e, p));
    }
    /// Whether a rank that does not take sums, and is not in place, copies those that it makes to
    /// where peers read them. Then nobody writes to lines that another one has just read.
    static bool copies_sums(engine const& e, program const& p, bool is_far) {
        return p.shape().what == collective::all_reduce && is_small_out_of_place(e, p) && !is_far;
    }

    void start(engine& e, program& of, plan const& own, plan_variant variant, run_buffers at,
               reducer const* op) {
        engine_ = &e;
        plan_ = &own;
        at_ = at;
        op_ = op;
        auto const& shape = of.shape();
        size_ = shape.size;
        me_ = shape.rank;
        staged_ = is_staged(variant.how);
        result_ = host::destination_of(bytes_of(of));
        pushes_ = may_push(e, of);
        small_ = is_small(e, of);
        space_ = e.space();
    }

    bool pushes() const { return pushes_; }
    /// Where to write what nobody reads again in this run, or what somebody does.
    destination destination_if(bool rests) const {
        return rests ? result_ : destination::read_soon;
    }
    /// Adds up bytes [first, first + bytes) of a fold. May leave off where the run is stopped.
    void carry_out(run_peers const& peers, fold const& f, std::size_t first, std::size_t bytes) {
        find_inputs(peers, f, first);
        find_outputs(peers, f, first);
        auto* const own = at_.write(f.to) + first;
        if (space_.device() != nullptr) {
            std::vector<void*> const others(outputs_.begin(), outputs_.end());
            reduce(f, own, bytes, destination_if(f.rests), others);
        } else {
            auto const stages = f.stages && !all_are_pushed_to();
            auto* const staged = stages ? at_.write(f.staged) + first : nullptr;
            auto const how = stages ? engine_->watch.best(staged, bytes) : destination_if(f.rests);
            auto const stages_pieces =
                stages && result_ == destination::not_read_soon && op_->elem_size <= piece_bytes;
            if (stages_pieces || !outputs_.empty()) {
                spread(f, own, staged, bytes, how);
            } else if (stages) {
                reduce(f, own, bytes, destination::read_soon);
                host::copy(staged, own, bytes, how);
            } else {
                reduce(f, own, bytes, how);
            }
        }
    }

private:
    static constexpr std::size_t piece_bytes = 2 * 1024;    // of sums
    static constexpr std::size_t least_pushed = 16 * 1024;  // of a vector; any on a device
    static constexpr std::size_t least_pushed_out_of_place = 1024 * 1024;  // likewise

    static bool is_on_device(engine const& e) { return e.space().device() != nullptr; }
    static bool is_small(engine const& e, program const& p) {
        return !is_on_device(e) && bytes_of(p) < least_pushed_out_of_place;
    }

    static std::size_t bytes_of(program const& p) { return p.shape().count * p.shape().elem_size; }
    static bool is_small_out_of_place(engine const& e, program const& p) {
        return !p.shape().in_place && is_small(e, p);
    }

    /// The next `bytes` bytes of the inputs.
    void reduce(fold const& f, std::byte* to, std::size_t bytes, destination where,
                std::span<void* const> others = {}) {
        collectives::carry_out(f, *op_, to, inputs_.data(), bytes,
                               {size_, false, where, space_.queue(), others});
    }
    /// Adds up pieces and writes each to where it is needed: to this rank's output, where peers
    /// read it, if anywhere, and to the outputs of those that take sums.
    void spread(fold const& f, std::byte* own, std::byte* staged, std::size_t bytes,
                destination best) {
        auto const pushed = unread_ != nullptr && result_ == destination::read_soon
                                ? engine_->push_watch.best(unread_, bytes, small_)
                                : result_;
        auto const own_rests =
            pushed == result_ && (f.stages ? f.rests : !staged_ && all_are_pushed_to());
        if (own_rests) { outputs_.push_back(own); }
        alignas(64) std::array<std::byte, piece_bytes> sums;
        host::copies written;
        auto const most = sums.size() / op_->elem_size * op_->elem_size;
        for (std::size_t done = 0; done < bytes && !engine_->stopped(); done += most) {
            auto const now = std::min(most, bytes - done);
            reduce(f, sums.data(), now, destination::read_soon);
            if (!own_rests) { written.add(own + done, sums.data(), now); }
            if (staged != nullptr) { written.add(staged + done, sums.data(), now, best); }
            for (auto& i : inputs_) { i = static_cast<std::byte const*>(i) + now; }
            for (auto& n : next_) { n += now; }
            if (!outputs_.empty()) { written.add(outputs_, sums.data(), now, pushed, next_); }
            for (auto& o : outputs_) { o += now; }
        }
        written.end();
    }

    bool all_are_pushed_to() const {
        return outputs_.size() + 1 == static_cast<std::size_t>(size_);
    }
    /// The outputs of the peers that take sums. The others read them where they are.
    void find_outputs(run_peers const& peers, fold const& f, std::size_t first) {
        outputs_.clear();
        unread_ = nullptr;
        for (rank_t r = 0; pushes_ && r < size_; ++r) {
            if (r == me_ || !peers.variant(r).takes_sums) { continue; }
            outputs_.push_back(peers.output(r) + f.to.offset + first);
            if (!peers.variant(r).in_place) { unread_ = outputs_.back(); }
        }
    }
    /// Where byte `first` of each source of a fold lies. What was staged a moment ago need not be
    /// asked for.
    void find_inputs(run_peers const& peers, fold const& f, std::size_t first) {
        inputs_.clear();
        next_.clear();
        for (int k = 0; k < f.sources; ++k) {
            auto const& s = plan_->sources[static_cast<std::size_t>(f.first_source + k)];
            auto const* const from =
                (s.transfer < 0 ? at_.read(f.own) : peers.source(s.transfer)) + s.offset + first;
            inputs_.push_back(from);
            if (s.transfer < 0 || !peers.is_source_staged(s.transfer)) { next_.push_back(from); }
        }
    }

    engine* engine_ = nullptr;
    plan const* plan_ = nullptr;
    run_buffers at_{};
    any_space space_;
    reducer const* op_ = nullptr;
    int size_ = 0;
    rank_t me_ = 0;
    bool staged_ = false;
    bool pushes_ = false, small_ = false;
    destination result_{};
    std::vector<void const*> inputs_;     // that are added up next
    std::vector<std::byte const*> next_;  // those to ask for before
    std::vector<std::byte*> outputs_;     // that sums are written to
    std::byte* unread_ = nullptr;         // one of these where nobody reads what is there before
};

}  // namespace collectives
