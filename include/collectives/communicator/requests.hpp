// SPDX-License-Identifier: BSD-3-Clause
// Turns typed arguments into call requests, and finds what is wrong with them. Each function here
// is the one text of its collective; blocking and started forms both begin with it.
#pragma once

#include <collectives/communicator/arguments.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace collectives {

template <transport Transport>
class request_maker {
public:
    explicit request_maker(communicator_core<Transport>& core) : core_(&core) {}

    // Small calls are this and little else: compilers do not always see that it is to be inlined.
    template <class T>
    [[gnu::always_inline]] call_request begin(collective what, options const& how,
                                              rank_t root = 0) const {
        call_request r;
        r.shape.what = r.as = what;
        r.shape.size = core_->engine().size();
        r.shape.rank = core_->engine().rank();
        r.shape.root = root;
        r.shape.elem_size = sizeof(T);
        r.type = type_id<T>();
        r.type_name = type_name<T>();
        r.how = how;
        if constexpr (!device_transport<Transport>) {
            core_->require(how.stream == nullptr, what, no_streams);
        }
        if (is_rooted(what)) { core_->require_rank(root, what, "root"); }
        return r;
    }

    /// all_reduce and reduce: whole vectors in, a whole vector out (on root alone for reduce).
    template <class In, class Out>
    [[gnu::always_inline]] call_request vector(collective what, In&& in, Out&& out,
                                               reducer const& op, rank_t root,
                                               options const& how) const {
        using T = element_t<In>;
        static_assert(std::is_same_v<T, element_t<Out>>, "in and out hold different types");
        auto r = begin<T>(what, how, root);
        auto const from = detail::memory_of(in);
        r.shape.count = from.bytes / sizeof(T);
        r.in = from.data;
        r.op = &op;
        if (what == collective::all_reduce || r.shape.rank == root) {
            auto const to = detail::memory_of(out);
            require_size(r, "out", to.bytes / sizeof(T), r.shape.count);
            r.shape.in_place = aliases(r, from, to, 0);
            r.out = std::ranges::data(out);
        }
        // Prepared contributions lie in out, or for reduce in a buffer of their own.
        if (op.prepares) { r.shape.in_place = what == collective::all_reduce; }
        return r;
    }

    template <class InOut>
    call_request broadcast(InOut&& inout, rank_t root, options const& how) const {
        using T = element_t<InOut>;
        auto r = begin<T>(collective::broadcast, how, root);
        r.shape.count = std::ranges::size(inout);
        r.in = r.out = std::ranges::data(inout);
        r.shape.in_place = true;
        return r;
    }

    /// all_gather and gather: a block in, the whole out (on root alone for gather).
    template <class In, class Out>
    call_request to_whole(collective what, In&& in, Out&& out, std::vector<std::size_t> counts,
                          rank_t root, options const& how) const {
        using T = element_t<In>;
        static_assert(std::is_same_v<T, element_t<Out>>, "in and out hold different types");
        auto r = begin<T>(what, how, root);
        auto const block = detail::memory_of(in);
        r.in = block.data;
        auto const sees_whole = what == collective::all_gather || r.shape.rank == root;
        if (sees_whole) { r.out = std::ranges::data(out); }
        auto const whole = sees_whole ? detail::memory_of(out) : detail::memory_span{};
        cut(r, "in", block, "out", whole, sees_whole, std::move(counts));
        return r;
    }

    /// reduce_scatter and scatter: the whole in (on root alone for scatter), a block out.
    template <class In, class Out>
    call_request to_block(collective what, In&& in, Out&& out, std::vector<std::size_t> counts,
                          reducer const* op, rank_t root, options const& how) const {
        using T = element_t<In>;
        static_assert(std::is_same_v<T, element_t<Out>>, "in and out hold different types");
        auto r = begin<T>(what, how, root);
        auto const block = detail::memory_of(out);
        r.out = std::ranges::data(out);
        r.op = op;
        auto const sees_whole = what == collective::reduce_scatter || r.shape.rank == root;
        if (sees_whole) { r.in = std::ranges::data(in); }
        auto const whole = sees_whole ? detail::memory_of(in) : detail::memory_span{};
        cut(r, "out", block, "in", whole, sees_whole, std::move(counts));
        if (op != nullptr && op->prepares) { r.shape.in_place = false; }
        return r;
    }

    template <class In, class Out>
    call_request exchange(In&& in, Out&& out, std::vector<std::size_t> send_counts,
                          std::vector<std::size_t> recv_counts, options const& how) const {
        using T = element_t<In>;
        static_assert(std::is_same_v<T, element_t<Out>>, "in and out hold different types");
        auto r = begin<T>(collective::all_to_all, how);
        auto const from = detail::memory_of(in);
        auto const to = detail::memory_of(out);
        r.in = from.data;
        r.out = std::ranges::data(out);
        r.shape.count = from.bytes / sizeof(T);
        if (recv_counts.empty()) {
            require_size(r, "out", to.bytes / sizeof(T), r.shape.count);
            if (r.shape.count % static_cast<std::size_t>(r.shape.size) != 0) {
                core_->refuse(r.as, text_of(r.shape.count, " elements do not make ", r.shape.size,
                                            " equal blocks; pass counts"));
            }
        } else {
            require_size(r, "in", r.shape.count, sum(r, send_counts));
            require_size(r, "out", to.bytes / sizeof(T), sum(r, recv_counts));
        }
        r.shape.in_place = aliases(r, to, from, 0);
        r.shape.counts = std::move(send_counts);
        r.shape.recv_counts = std::move(recv_counts);
        return r;
    }

    template <counts_range Counts>
    std::vector<std::size_t> counts(collective what, Counts const& given) const {
        std::vector<std::size_t> result;
        for (auto const n : given) {
            if constexpr (std::is_signed_v<std::remove_cvref_t<decltype(n)>>) {
                if (n < 0) { core_->refuse(what, text_of("a count of ", n)); }
            }
            result.push_back(static_cast<std::size_t>(n));
        }
        if (result.size() != static_cast<std::size_t>(core_->engine().size())) {
            core_->refuse(what,
                          text_of(result.size(), " counts for ", core_->engine().size(), " ranks"));
        }
        return result;
    }

private:
    void require_size(call_request const& r, char const* which, std::size_t has,
                      std::size_t needs) const {
        if (has == needs) { return; }
        core_->refuse(r.as, text_of(which, " has ", has, " elements, not ", needs));
    }
    std::size_t sum(call_request const& r, std::vector<std::size_t> const& counts) const {
        std::size_t total = 0;
        for (auto const n : counts) {
            core_->require(n <= std::numeric_limits<std::size_t>::max() - total, r.as,
                           "the counts add up to more than can be counted");
            total += n;
        }
        return total;
    }
    /// Whether `inner` is in place in `outer` at `offset`; any other overlap is refused.
    bool aliases(call_request const& r, detail::memory_span inner, detail::memory_span outer,
                 std::size_t offset) const {
        auto const how = detail::overlap_of(inner, outer, offset);
        core_->require(how != detail::overlap::other, r.as,
                       "in and out overlap, and are not in place");
        return how == detail::overlap::same;
    }
    /// Checks a block against the whole it is cut from and fills in the shape.
    void cut(call_request& r, char const* block_name, detail::memory_span block_memory,
             char const* whole_name, detail::memory_span whole, bool sees_whole,
             std::vector<std::size_t> counts) const {
        auto& s = r.shape;
        auto const own = block_memory.bytes / s.elem_size;
        auto const mine = static_cast<std::size_t>(s.rank);
        if (counts.empty() && !sees_whole) {
            s.count = own;
            s.knows_all_blocks = false;
            return;
        }
        s.count = counts.empty() ? whole.bytes / s.elem_size : sum(r, counts);
        if (sees_whole) { require_size(r, whole_name, whole.bytes / s.elem_size, s.count); }
        std::size_t before = 0;
        for (std::size_t i = 0; i < mine && !counts.empty(); ++i) { before += counts[i]; }
        auto const part =
            counts.empty() ? block(s.count, s.size, s.rank) : extent{before, counts[mine]};
        require_size(r, block_name, own, part.size);
        if (sees_whole) { s.in_place = aliases(r, block_memory, whole, part.first * s.elem_size); }
        s.counts = std::move(counts);
    }

    communicator_core<Transport>* core_;
};

}  // namespace collectives
