// SPDX-License-Identifier: BSD-3-Clause
// The reductions of a run in memory. A result may have several destinations; each is written while
// the nearest cache holds the result (docs/lab/measurements.md).
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/lower/protocol.hpp>
#include <collectives/run/buffers.hpp>
#include <collectives/run/engine.hpp>
#include <collectives/run/memory_peers.hpp>
#include <collectives/run/space.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace collectives::inline v0::detail {

class memory_sums {
public:
    void start(engine& e, program const& of, plans::plan const& own, run_buffers at,
               reducer const* op) {
        engine_ = &e;
        plan_ = &own;
        buffers_ = at;
        op_ = op;
        auto const bytes = lowering::vector_bytes(of.shape());
        staged_ = plans::is_staged(own.shown.how);
        result_ = host::destination_of(bytes);
        space_ = e.space();
        small_ = space_.device() == nullptr && bytes < lowering::least_pushed_out_of_place;
        may_be_lent_ = lowering::suits_lending(of.shape()) && !e.memory()->always_reachable();
    }

    /// Whether stores go through the caches or past them.
    destination destination_of(plans::store how) const {
        return how == plans::store::dead_after ? result_ : destination::read_soon;
    }
    /// Carries out bytes [first, first + bytes) of a reduction. May stop early if the run was
    /// stopped. Returns false if a peer that lends a source has ended.
    bool carry_out(memory_peers const& peers, plans::instruction const& i, std::size_t first,
                   std::size_t bytes) {
        find_sources(peers, i, first);
        fetched here(engine_->scratch);
        if (!fetch_lent(here, peers, i, first, bytes)) { return false; }
        find_peers_outputs(peers, i, first);
        auto const& to = destination_at(i, 0);
        auto* const own = buffers_.write(to.to) + first;
        if (space_.device() != nullptr) {
            reduce_on_device(i, own, bytes, destination_of(to.how));
            return true;
        }
        auto const drops_staged = i.when == plans::condition::unless_all_take_results && all_take();
        auto const stages =
            i.destinations.size() > 1 && destination_at(i, 1).to.peer < 0 && !drops_staged;
        auto* const staged = stages ? buffers_.write(destination_at(i, 1).to) + first : nullptr;
        auto const how = stages ? engine_->watch.best(staged, bytes) : destination_of(to.how);
        auto const stages_pieces = stages && result_ == destination::not_read_soon &&
                                   op_->elem_size <= lowering::largest_pushed_element;
        if (stages_pieces || !outputs_.empty()) {
            reduce_in_strips(i, own, staged, bytes, how);
        } else {
            reduce(i, own, bytes, stages ? destination::read_soon : how);
            if (stages) { host::copy(staged, own, bytes, how); }
        }
        return true;
    }

    /// Copies bytes [first, first + bytes) to the outputs that a plan names, on a device: one pass
    /// reads them once.
    [[gnu::cold]] void push_copy_on_device(memory_peers const& peers, plans::instruction const& i,
                                           std::size_t first, std::size_t bytes) {
        find_sources(peers, i, first);
        find_peers_outputs(peers, i, first);
        auto const& to = destination_at(i, 0).to;
        if (to.peer < 0) { outputs_.push_back(buffers_.write(to) + first); }
        space_.device()->copy_to_all({outputs_.data(), outputs_.size()}, sources_.front(), bytes);
    }

private:
    plans::destination const& destination_at(plans::instruction const& i, int k) const {
        return plan_->destinations[static_cast<std::size_t>(i.destinations.first + k)];
    }

    /// Reduces the next `bytes` bytes of the sources to `to`.
    void reduce(plans::instruction const& i, std::byte* to, std::size_t bytes, destination where,
                list_view<void* const> others = {}) {
        detail::carry_out(i, *op_, to, sources_.data(), bytes,
                          {plan_->size, false, where, space_.queue(), others});
    }
    [[gnu::cold]] void reduce_on_device(plans::instruction const& i, std::byte* to,
                                        std::size_t bytes, destination where) {
        lean_vector<void*> const others(outputs_.begin(), outputs_.end());
        reduce(i, to, bytes, where, {others.data(), others.size()});
    }
    /// Adds up strips and writes each to every destination: this rank's output, the scratch where
    /// peers read it, if any, and the outputs of the peers that take results. A strip is added up
    /// in the output itself, or beside it where all outputs are written past the caches.
    void reduce_in_strips(plans::instruction const& i, std::byte* own, std::byte* staged,
                          std::size_t bytes, destination best) {
        auto const pushed = unread_ != nullptr && result_ == destination::read_soon
                                ? engine_->push_watch.best(unread_, bytes, small_)
                                : result_;
        auto const dead_after = destination_at(i, 0).how == plans::store::dead_after;
        auto const own_streams = pushed == destination::not_read_soon && pushed == result_ &&
                                 (i.destinations.size() > 1 && destination_at(i, 1).to.peer < 0
                                      ? dead_after
                                      : !staged_ && all_take());
        if (own_streams) { outputs_.push_back(own); }
        alignas(64) std::array<std::byte, lowering::largest_pushed_element> sums;
        host::copies written;
        auto const strip = own_streams ? sums.size() : strip_in_place;
        auto const most = strip / op_->elem_size * op_->elem_size;
        for (std::size_t done = 0; done < bytes && !engine_->stopped(); done += most) {
            auto const now = std::min(most, bytes - done);
            auto* const sum = own_streams ? sums.data() : own + done;
            reduce(i, sum, now, destination::read_soon);
            if (staged != nullptr) { written.add(staged + done, sum, now, best); }
            for (auto& s : sources_) { s = static_cast<std::byte const*>(s) + now; }
            for (auto& n : next_) { n += now; }
            if (!outputs_.empty()) {
                written.add({outputs_.data(), outputs_.size()}, sum, now, pushed,
                            {next_.data(), next_.size()});
            }
            for (auto& o : outputs_) { o += now; }
        }
        written.end();
    }

    bool all_take() const { return outputs_.size() + 1 == static_cast<std::size_t>(plan_->size); }
    /// Finds the outputs of the peers that take results. The other peers read the sums here.
    void find_peers_outputs(memory_peers const& peers, plans::instruction const& i,
                            std::size_t first) {
        outputs_.clear();
        unread_ = nullptr;
        for (int k = 0; k < i.destinations.size(); ++k) {
            auto const& to = destination_at(i, k).to;
            if (to.peer < 0) { continue; }
            auto const its = peers.announced(to.peer);
            if (!its.takes_results) { continue; }
            outputs_.push_back(peers.output(to, i.bytes) + first);
            if (!its.in_place) { unread_ = outputs_.back(); }
        }
    }
    /// Finds the address of byte `first` of each source. A source that was staged a moment ago
    /// needs no prefetch.
    void find_sources(memory_peers const& peers, plans::instruction const& i, std::size_t first) {
        sources_.clear();
        next_.clear();
        for (int k = i.sources.first; k < i.sources.last; ++k) {
            auto const& p = plan_->sources[static_cast<std::size_t>(k)];
            auto const is_own = p.peer < 0;
            if (!is_own && may_be_lent_ && peers.lent_at(k) != 0) {
                sources_.push_back(nullptr);  // fetch_lent gives it an address
                continue;
            }
            auto const* const from = (is_own ? buffers_.read(p) : peers.source(k, i.bytes)) + first;
            sources_.push_back(from);
            if (is_own || !peers.is_staged_copy(k)) { next_.push_back(from); }
        }
    }

    /// What peers lend for a pass, until the pass has ended.
    class fetched {
    public:
        explicit fetched(scratch_pool& from) : from_(from) {}
        fetched(fetched const&) = delete;
        fetched& operator=(fetched const&) = delete;
        ~fetched() {
            if (memory_.data != nullptr) { from_.give_back(memory_); }
        }
        std::byte* take(std::size_t bytes) { return (memory_ = from_.take(bytes)).data; }

    private:
        scratch_pool& from_;
        scratch_pool::buffer memory_{};
    };
    /// Copies bytes [first, first + bytes) of each source that a peer lends into `here`. Returns
    /// false if the peer has ended.
    bool fetch_lent(fetched& here, memory_peers const& peers, plans::instruction const& i,
                    std::size_t first, std::size_t bytes) {
        auto const is_lent = [](void const* source) { return source == nullptr; };
        auto const lent = std::count_if(sources_.begin(), sources_.end(), is_lent);
        if (lent == 0) { return true; }
        auto* to = here.take(static_cast<std::size_t>(lent) * bytes);
        for (std::size_t k = 0; k < sources_.size(); ++k) {
            if (!is_lent(sources_[k])) { continue; }
            auto const at = i.sources.first + static_cast<int>(k);
            auto const peer = plan_->sources[static_cast<std::size_t>(at)].peer;
            if (!engine_->memory()->fetch(engine_->group().job_rank(peer),
                                          peers.lent_at(at) + first, to, bytes)) {
                return false;
            }
            sources_[k] = to;
            to += bytes;
        }
        return true;
    }

    static constexpr std::size_t strip_in_place = 4096;  // bytes (docs/lab/measurements.md)

    engine* engine_ = nullptr;
    plans::plan const* plan_ = nullptr;
    run_buffers buffers_{};
    any_space space_;
    reducer const* op_ = nullptr;
    bool staged_ = false, small_ = false, may_be_lent_ = false;
    destination result_{};
    lean_vector<void const*> sources_;    // to add up next
    lean_vector<std::byte const*> next_;  // to prefetch before that
    lean_vector<std::byte*> outputs_;     // of the peers that take results
    std::byte* unread_ = nullptr;         // one of these whose old content nobody reads
};

}  // namespace collectives::detail
