// SPDX-License-Identifier: BSD-3-Clause
// A prepared call: its plans, kept from call to call.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/lower/lower.hpp>
#include <collectives/lower/protocol.hpp>
#include <collectives/plan/resolve.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace collectives::inline v0::detail {

/// A plan of one segment, and the places of its symbols.
struct ready_plan {
    lowering::rank_choice choice;
    plans::plan steps;
    /// For each announcement that a peer may make: where the sources of the plan that the peer
    /// offers are in its memory. Made when first needed.
    std::array<owned<lean_vector<plans::place>>, 8> offered;
};

/// The plan of a call in cells. It has no symbols, because all ranks announce the same.
struct cell_form {
    plans::plan steps;
    std::size_t waits = 0, rest = 0;  // the instructions in which it waits, and those after them
    std::size_t first_source = 0;     // of the latter, in the plan's list
    std::size_t sent = 0;             // bytes of this rank's input that peers read
    std::size_t longest = 0;          // bytes of the longest input, the same on all ranks
    std::size_t beside = 0;           // bytes of the scratch that lie beside the cell
    bool all_come = false;            // no rank ends before all have written their cells
};

/// Everything about a call that does not change between calls of the same shape. Plans are made
/// when first needed: O(steps), and O(steps of all ranks) for what peers offer.
class program {
public:
    [[gnu::cold]] program(lowering::call_shape const& shape, any_algorithm chosen, int segments,
                          fingerprint const& call)
        : shape_(shape),
          lowered_(chosen, shape_, segments),
          call_(call),
          hash_(call.hash()),
          blocks_vary_(is_rooted(shape_.what) && has_blocks(shape_.what) && call_.counts == 0) {}

    program(program const&) = delete;
    program& operator=(program const&) = delete;
    [[gnu::cold]] ~program() = default;

    lowering::call_shape const& shape() const { return shape_; }
    lowering::lowered_call const& lowered() const { return lowered_; }
    any_algorithm algorithm() const { return lowered_.algorithm(); }
    int segments() const { return lowered_.segments(); }
    /// Whether a rank may not know the sizes of other ranks' blocks in advance.
    bool blocks_vary() const { return blocks_vary_; }
    /// Whether all ranks know how long each message is.
    bool sizes_agreed() const { return shape_.recv_counts.empty() && !blocks_vary_; }
    fingerprint const& call() const { return call_; }
    std::uint64_t hash() const { return hash_; }
    /// From now on the calls' operator has this fingerprint: another state, which no plan depends
    /// on. Calls under way keep theirs.
    void set_op(std::uint64_t op_fingerprint) {
        call_.op = op_fingerprint;
        hash_ = call_.hash();
    }

    /// The plan of a segment under this choice. Lives as long as the program.
    ready_plan& plan_for(int segment, lowering::rank_choice const& choice) {
        auto& all = class_of(segment).made;
        for (auto const& one : all) {
            if (one->choice == choice) { return *one; }
        }
        all.push_back(make(segment, choice));
        resolve_all(segment);
        return *all.back();
    }
    /// The plan of a segment over messages. `streams` must be the same in each call.
    plans::plan const& over_messages(int segment, bool streams) {
        auto& known = class_of(segment).over_messages;
        if (known == nullptr) {
            auto const choice = lowering::choose_for_messages(lowered_, shape_.in_place, streams);
            known = &plan_for(segment, choice).steps;
            if (segments() == 1) { whole_ = known; }
        }
        return *known;
    }
    /// The plan over messages of a call in one segment. Null if the call has more segments, or if
    /// its plan is not made yet.
    plans::plan const* whole_over_messages() const { return whole_; }
    /// Bytes of scratch that a segment's plan needs under a protocol in memory.
    std::size_t scratch(int segment, plans::protocol how) {
        auto& known = class_of(segment).scratch[static_cast<std::size_t>(how)];
        if (known == unknown) { known = find_scratch(segment, how); }
        return known;
    }
    /// The places of the sources that peers with this announcement offer.
    lean_vector<plans::place> const& offered(ready_plan& of, int segment,
                                             plans::announcement shown) {
        auto const index = index_of(shown);
        if (!of.offered[index]) { note_announcement(segment, shown); }
        return *of.offered[index];
    }
    /// The form of the call in cells; null if cells do not suit it. Depends only on what is equal
    /// on all ranks.
    cell_form const* in_cells() {
        if (!cells_are_known_) { make_cells(); }
        return cells_.get();
    }

private:
    static constexpr std::size_t index_of(plans::announcement shown) {
        auto const protocols = static_cast<std::size_t>(shown.how) -
                               static_cast<std::size_t>(plans::protocol::zero_copy);
        return 2 * protocols + (shown.in_place ? 1 : 0);
    }

    static constexpr auto unknown = ~std::size_t{0};
    static constexpr std::array<std::size_t, 8> all_unknown{unknown, unknown, unknown, unknown,
                                                            unknown, unknown, unknown, unknown};
    struct segment_class {
        lean_vector<owned<ready_plan>> made;
        plans::plan const* over_messages = nullptr;        // the plan over messages
        std::array<std::size_t, 8> scratch = all_unknown;  // by protocol
        lean_vector<plans::announcement> announced;        // what peers announced so far
    };

    /// Segments of one vector have two sizes, so two classes. Segments of blocks all differ.
    [[gnu::cold]] segment_class& class_of(int segment) {
        auto i = static_cast<std::size_t>(segment);
        if (segment != 0 && !has_blocks(shape_.what)) {
            auto const elements = [&](int s) { return block(shape_.count, segments(), s).size; };
            i = elements(segment) == elements(0) ? 0 : 1;
        }
        while (i >= classes_.size()) { classes_.push_back({}); }
        return classes_[i];
    }
    [[gnu::cold]] owned<ready_plan> make(int segment, lowering::rank_choice const& choice) const {
        auto made = make_owned<ready_plan>();
        made->choice = choice;
        made->steps = lowered_.lower(shape_.rank, choice, segment);
        return made;
    }
    [[gnu::cold]] std::size_t find_scratch(int segment, plans::protocol how) const {
        return lowered_.lower(shape_.rank, {{how, shape_.in_place, false}}, segment).scratch;
    }
    [[gnu::cold]] void note_announcement(int segment, plans::announcement shown) {
        class_of(segment).announced.push_back(shown);
        resolve_all(segment);
    }
    /// Resolves each plan in memory under each announcement that was seen. Later calls in which
    /// plans and announcements meet in new pairs then allocate nothing.
    [[gnu::cold]] void resolve_all(int segment) {
        auto& of = class_of(segment);
        for (auto const& one : of.made) {
            if (plans::backend_of(one->choice.shown.how) != plans::backend::memory) { continue; }
            for (auto const& shown : of.announced) {
                auto& made = one->offered[index_of(shown)];
                if (!made) { made = resolve_offers(one->steps, segment, shown); }
            }
        }
    }
    /// Makes the views of the peers that the plan reads from.
    [[gnu::cold]] lean_vector<plans::peer_view> views(plans::plan const& own, int segment,
                                                      plans::announcement shown) const {
        lean_vector<plans::peer_view> result(static_cast<std::size_t>(shape_.size));
        for (auto const& p : own.sources) {
            if (p.where != plans::memory::offer) { continue; }
            auto& its = result[static_cast<std::size_t>(p.peer)];
            if (its.offers.empty()) { its = lowered_.offers_of(p.peer, shown, segment); }
        }
        return result;
    }
    [[gnu::cold]] owned<lean_vector<plans::place>> resolve_offers(plans::plan const& own,
                                                                  int segment,
                                                                  plans::announcement shown) const {
        auto const peers = views(own, segment, shown);
        auto made = make_owned<lean_vector<plans::place>>();
        for (auto const& p : own.sources) {
            made->push_back(plans::resolve(p, shape_.rank, peers));
        }
        return made;
    }
    [[gnu::cold]] void make_cells() {
        cells_are_known_ = true;
        if (!lowering::suits_cells(lowered_, !blocks_vary())) { return; }
        auto form = make_owned<cell_form>();
        form->longest = lowering::longest_input(shape_);
        form->all_come = waits_for_all(shape_.what);
        auto const choice = lowering::choose_for_cells(form->longest, shape_.in_place);
        auto const own = lowered_.lower(shape_.rank, choice);
        form->steps = plans::resolve(own, views(own, 0, choice.shown));
        auto const& steps = form->steps.program;
        auto i = steps.begin();
        for (; i->what != plans::opcode::publish; ++i) {
            if (i->what == plans::opcode::copy) { form->sent = i->bytes; }
        }
        if (choice.shown.how == plans::protocol::cells_beside) {
            form->beside = plans::whole_lines(form->sent);
        }
        auto rest = ++i;
        while (rest != steps.end() && rest->what == plans::opcode::wait) { ++rest; }
        form->waits = static_cast<std::size_t>(i - steps.begin());
        form->rest = static_cast<std::size_t>(rest - steps.begin());
        form->first_source = form->sent == 0 ? 0 : 1;  // the copy of the input has source 0
        cells_ = std::move(form);
    }

    lowering::call_shape shape_;
    lowering::lowered_call lowered_;
    fingerprint call_;
    std::uint64_t hash_;
    bool blocks_vary_;
    plans::plan const* whole_ = nullptr;
    lean_vector<segment_class> classes_;
    owned<cell_form> cells_;
    bool cells_are_known_ = false;
};

}  // namespace collectives::detail
