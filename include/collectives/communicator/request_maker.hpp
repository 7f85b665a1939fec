// SPDX-License-Identifier: BSD-3-Clause
// Turns arguments into call requests and finds what is wrong with them. Each function is the one
// text of its collective; blocking and started forms both begin with it.
#pragma once

#include <collectives/communicator/arguments.hpp>
#include <collectives/communicator/call_request.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <type_traits>

namespace collectives::inline v0::detail {

class call_book;

/// Makes the requests of one rank of a communicator. All functions throw usage_error.
class request_maker {
public:
    using counts = lean_vector<std::size_t>;

    request_maker(rank_t rank, int size, call_book const& calls)
        : rank_(rank), size_(size), calls_(&calls) {}

    /// A call that has no buffers yet.
    [[gnu::always_inline]] call_request begin(collective what, element_type of, options const& how,
                                              rank_t root = 0) const {
        call_request r;
        r.shape.what = r.reported_as = what;
        r.shape.size = size_;
        r.shape.rank = rank_;
        r.shape.root = root;
        r.shape.elem_size = of.size;
        r.type = of.id;
        r.type_name = of.name;
        r.how = how;
        if (is_rooted(what)) { require_rank(root, what, "root"); }
        return r;
    }
    /// all_reduce, reduce, scan and exscan: whole vectors in, a whole vector out (for reduce on
    /// root alone, for exscan not on rank 0).
    call_request vector(collective what, element_type of, memory_span in, writable_memory out,
                        reducer const& op, rank_t root, options const& how) const;
    call_request broadcast(element_type of, writable_memory inout, rank_t root,
                           options const& how) const;
    /// all_gather and gather: a block in, the whole out (on root alone for gather). `parts` here
    /// and below is empty or what the function `parts` gives.
    call_request to_whole(collective what, element_type of, memory_span in, writable_memory out,
                          counts parts, rank_t root, options const& how) const;
    /// reduce_scatter and scatter: the whole in (on root alone for scatter), a block out.
    call_request to_block(collective what, element_type of, memory_span in, writable_memory out,
                          counts parts, reducer const* op, rank_t root, options const& how) const;
    /// all_to_all.
    call_request exchange(element_type of, memory_span in, writable_memory out, counts sends,
                          counts receives, options const& how) const;

    /// One count per rank, and after these the displacements of a cut.
    template <counts_range Counts>
    counts parts(collective what, Counts const& given) const {
        counts result;
        if constexpr (is_cut<Counts>) {
            append(what, "count", given.counts, result);
            append(what, "displacement", given.displacements, result);
        } else {
            append(what, "count", given, result);
        }
        return result;
    }

    /// "rank 3, all_reduce #5: " and what is wrong with the call, in parts.
    template <class... Parts>
    [[noreturn]] void refuse(collective what, Parts const&... why) const {
        refuse_joined(what, {text_part(why)...});
    }
    template <class... Parts>
    void require(bool fine, collective what, Parts const&... why) const {
        if (!fine) { refuse(what, why...); }
    }
    void require_rank(rank_t r, collective what, std::string_view role) const {
        if (r < 0 || r >= size_) { refuse_rank(r, what, role); }
    }

private:
    [[noreturn]] void refuse_joined(collective what, std::initializer_list<text_part> why) const;
    [[noreturn]] void refuse_rank(rank_t r, collective what, std::string_view role) const;
    [[noreturn]] void refuse_size(call_request const& r, std::string_view which, std::size_t has,
                                  std::size_t needs) const;
    [[noreturn]] void refuse_number(collective what, std::string_view name, long long n) const;
    void require_one_per_rank(collective what, std::string_view name, std::size_t n) const;
    /// Adds one number of each rank.
    template <integer_range Numbers>
    void append(collective what, std::string_view name, Numbers const& given, counts& to) const {
        auto const before = to.size();
        for (auto const n : given) {
            if constexpr (std::is_signed_v<std::remove_cvref_t<decltype(n)>>) {
                if (n < 0) { refuse_number(what, name, n); }
            }
            to.push_back(static_cast<std::size_t>(n));
        }
        require_one_per_rank(what, name, to.size() - before);
    }
    void require_size(call_request const& r, std::string_view which, std::size_t has,
                      std::size_t needs) const {
        if (has != needs) { refuse_size(r, which, has, needs); }
    }
    std::size_t sum(call_request const& r, counts const& of) const;
    bool has_places(counts const& parts) const {
        return parts.size() > static_cast<std::size_t>(size_);
    }
    /// Checks the places of a cut's blocks in `out`. Returns `out` without what is behind the last
    /// block. A cut whose blocks lie one behind the other becomes counts.
    writable_memory cut_output(collective what, element_type of, writable_memory out, rank_t root,
                               counts& parts) const;
    /// The same for `in`, whose blocks may overlap if `out` is apart from it.
    memory_span cut_input(collective what, element_type of, memory_span in, memory_span out,
                          rank_t root, counts& parts) const;
    std::size_t place_blocks(collective what, std::string_view whole_name, std::size_t elements,
                             counts& parts) const;
    void require_apart(collective what, std::string_view whole_name, counts const& parts) const;
    /// Whether `inner` is in place in `outer` at `offset`. Refuses any other overlap.
    bool aliases(call_request const& r, memory_span inner, memory_span outer,
                 std::size_t offset) const {
        auto const how = detail::overlap_of(inner, outer, offset);
        require(how != detail::overlap::other, r.reported_as,
                "in and out overlap, and are not in place");
        return how == detail::overlap::same;
    }
    void cut(call_request& r, std::string_view block_name, memory_span block_memory,
             std::string_view whole_name, memory_span whole, bool sees_whole, counts parts) const;

    rank_t rank_;
    int size_;
    call_book const* calls_;  // of the communicator, for the number of a call that is refused
};

}  // namespace collectives::detail

#ifndef COLLECTIVES_COMPILED
#include <collectives/communicator/request_maker.ipp>
#endif
