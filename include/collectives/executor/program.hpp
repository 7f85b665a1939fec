// SPDX-License-Identifier: BSD-3-Clause
// A call made ready to run: its schedule bound to bytes, kept from call to call.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/executor/completion.hpp>
#include <collectives/executor/layout.hpp>
#include <collectives/executor/planner.hpp>
#include <collectives/executor/push.hpp>
#include <collectives/algorithm/halving.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/schedule/halves.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace collectives {

/// Whether the vector of a collective is one piece on every rank, so that a slice of it is just a
/// shorter vector. The others consist of the ranks' blocks; a slice takes a part of each.
constexpr bool is_one_vector(collective what) {
    return what == collective::all_reduce || what == collective::broadcast ||
           what == collective::reduce;
}

/// A program of one round whose peers' inputs all lie where this rank can read them.
struct flat_form {
    struct source {
        rank_t peer = -1;        // -1: the rank's own value
        std::size_t offset = 0;  // in the peer's input
    };

    plan const* steps = nullptr;
    std::vector<place> places;    // of what each receive reads, in its peer's input
    std::vector<source> sources;  // of all folds, as in `steps`
    std::size_t sent = 0;         // bytes of this rank's input that peers read
    std::size_t bytes = 0;        // of the longest input, the same on all ranks
    bool copies = false;          // some receives are copies
    bool waits_for_all = false;   // without a root no rank ends before all have come
};

/// Everything about a call that does not change between calls of the same shape. Plans are made
/// when first asked for: O(steps), what is asked about peers O(steps of all ranks).
class program {
public:
    program(call_shape shape, any_algorithm chosen, int slices, fingerprint const& call)
        : shape_(std::move(shape)),
          algorithm_(chosen),
          slices_(slices),
          call_(call),
          hash_(call.hash()) {
        if (reduces(shape_.what) && shape_.size > 1) {
            auto all = chosen.record_all(shape_.what, shape_.size, shape_.root);
            if (chosen.is<halving>()) {  // whose folded ranks alone send all chunks at once
                in_two_ = whole_rounds(all);
                for (auto& s : all) { s = in_halves(std::move(s), in_two_); }
            }
            completing_ = completing_reductions(all, shape_.rank);
            adds_once_for_all_ =
                shape_.what == collective::all_reduce && collectives::adds_once_for_all(all);
        }
        mine_ = record(shape_.rank);
    }

    call_shape const& shape() const { return shape_; }
    any_algorithm algorithm() const { return algorithm_; }
    int slices() const { return slices_; }
    /// Whether ranks know the blocks of others only as far as they meet them.
    bool blocks_vary() const {
        return (shape_.what == collective::gather || shape_.what == collective::scatter) &&
               call_.counts == 0;
    }
    /// See executor/push.hpp. The same on all ranks.
    bool adds_once_for_all() const { return adds_once_for_all_; }
    fingerprint const& call() const { return call_; }
    std::uint64_t hash() const { return hash_; }

    /// How far a slice's input and output lie behind the whole's, in bytes.
    std::size_t offset_of(int slice) const {
        return is_one_vector(shape_.what)
                   ? block(shape_.count, slices_, slice).first * shape_.elem_size
                   : 0;
    }
    int rounds() const { return mine_.rounds; }
    plan const& steps(int slice, passage how) {
        auto& made = kept(plans_[static_cast<std::size_t>(how)], slice);
        if (!made) { made = std::make_unique<plan>(make(mine_, shape_, slice, how, completing_)); }
        return *made;
    }
    /// Where the peers of a plan that runs in memory keep what its receives read: a place for each
    /// receive, of peers whose own plans are of this variant.
    std::vector<place> const& remote(int slice, plan_variant v) {
        auto& made = kept(remote_[v.index()], slice);
        if (!made) {
            made = std::make_unique<std::vector<place>>(find_remote(slice, v.how, v.in_place));
        }
        return *made;
    }
    /// Its flat form; null if it has none, or some rank's input is of more than `most` bytes. Only
    /// what is equal on all ranks decides. `most` is the same in each call.
    flat_form const* flat(std::size_t most) {
        if (!flat_is_known_) {
            if (has_flat_form(most)) { make_flat(); }
            flat_is_known_ = true;
        }
        return flat_.get();
    }

private:
    schedule record(rank_t r) const {
        return in_halves(algorithm_.record(shape_.what, r, shape_.size, shape_.root), in_two_);
    }

    template <class T>
    using per_class = std::vector<std::unique_ptr<T>>;

    template <class T>
    std::unique_ptr<T>& kept(per_class<T>& all, int slice) {
        auto const i = static_cast<std::size_t>(class_of(slice));
        if (i >= all.size()) { all.resize(i + 1); }
        return all[i];
    }

    /// Slices of one vector come in two sizes; slices of blocks all differ.
    int class_of(int slice) const {
        if (slice == 0 || !is_one_vector(shape_.what)) { return slice; }
        return block(shape_.count, slices_, slice).size == block(shape_.count, slices_, 0).size ? 0
                                                                                                : 1;
    }
    call_shape slice_shape(call_shape shape, int slice) const {
        if (is_one_vector(shape.what)) { shape.count = block(shape.count, slices_, slice).size; }
        return shape;
    }
    plan make(schedule const& s, call_shape const& of, int slice, passage how,
              std::vector<std::pair<int, int>> const& completing) const {
        auto const shape = slice_shape(of, slice);
        auto const whole = is_one_vector(shape.what);
        auto const where = lay_out(shape, s.chunks, whole ? 0 : slice, whole ? 1 : slices_);
        auto const side_by_side = whole || slices_ == 1;
        auto const in_place = shape.in_place && how != passage::image;  // all is read from inputs
        auto result = planner(s, where, {how, side_by_side}, in_place, completing).make();
        result.in_two = in_two_;
        return result;
    }

    bool has_flat_form(std::size_t most) const {
        return rounds() <= 1 && shape_.size > 1 && slices_ == 1 && shape_.recv_counts.empty() &&
               !blocks_vary() && longest_input() <= most / shape_.elem_size;
    }
    /// Of any rank, in elements.
    std::size_t longest_input() const {
        if (shape_.what != collective::all_gather && shape_.what != collective::gather) {
            return shape_.count;
        }
        return shape_.counts.empty()
                   ? block(shape_.count, shape_.size, 0).size
                   : *std::max_element(shape_.counts.begin(), shape_.counts.end());
    }
    void make_flat() {
        auto const& own = steps(0, passage::image);
        auto form = std::make_unique<flat_form>();
        form->steps = &own;
        form->places = find_remote(0, passage::image, false);
        for (auto const& s : own.sources) {
            auto const i = static_cast<std::size_t>(s.transfer);
            form->sources.push_back(
                s.transfer < 0
                    ? flat_form::source{}
                    : flat_form::source{own.receives[i].peer, form->places[i].offset + s.offset});
        }
        form->sent = own.sends.empty() ? 0 : shape_.input_bytes();
        form->bytes = longest_input() * shape_.elem_size;
        form->copies = std::any_of(own.receives.begin(), own.receives.end(),
                                   [](auto const& t) { return t.action == verb::recv_copy; });
        form->waits_for_all = !is_rooted(shape_.what);
        flat_ = std::move(form);
    }

    /// Plays the peers' parts to learn where they keep what they send.
    std::vector<place> find_remote(int slice, passage how, bool in_place) {
        auto const& receives = steps(slice, how).receives;  // the same however they come
        std::vector<place> result(receives.size());
        std::vector<bool> speaks(static_cast<std::size_t>(shape_.size));
        for (auto const& t : receives) { speaks[static_cast<std::size_t>(t.peer)] = true; }
        for (rank_t peer = 0; peer < shape_.size; ++peer) {
            if (!speaks[static_cast<std::size_t>(peer)]) { continue; }
            auto const its = record(peer);
            auto shape = shape_;
            shape.rank = peer;
            shape.in_place = in_place || shape_.what == collective::broadcast;
            auto const sent = make(its, shape, slice, how, {}).sends;
            auto s = sent.begin();
            for (std::size_t r = 0; r < receives.size(); ++r) {
                auto const& t = receives[r];
                if (t.peer != peer) { continue; }
                while (s->peer != shape_.rank || s->round != t.round) { ++s; }
                result[r] = s->at;
                ++s;
            }
        }
        return result;
    }

    call_shape shape_;
    any_algorithm algorithm_;
    int slices_;
    fingerprint call_;
    std::uint64_t hash_;
    std::vector<int> in_two_;  // rounds that are two, see schedule/halves.hpp
    schedule mine_;
    std::vector<std::pair<int, int>> completing_;
    bool adds_once_for_all_ = false;
    // Of each class of slices.
    std::array<per_class<plan>, passages> plans_;  // by passage
    std::array<per_class<std::vector<place>>, plan_variant::count> remote_;
    std::unique_ptr<flat_form> flat_;
    bool flat_is_known_ = false;
};

}  // namespace collectives
