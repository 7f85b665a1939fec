// SPDX-License-Identifier: BSD-3-Clause
// A reduction without its types: what back ends call, so that they are no templates.
#pragma once

#include <collectives/core/streaming_copy.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collectives::inline v0 {

/// One pass over memory.
struct reduction {
    void* dst = nullptr;
    void const* const* sources = nullptr;
    int n = 0;
    std::size_t count = 0;  ///< elements
    int finish_size = 0;
    bool raw = false;  ///< sources are contributions as the callers passed them
    destination to = destination::read_soon;
    void* queue = nullptr;              ///< in a device's memory: where the pass is enqueued
    void* const* other_dsts = nullptr;  ///< there alone: what else gets the result
    int others = 0;
};

struct canonical_form;  // space/canonical.hpp

/// One operator on one element type. Sources and destinations are arrays of `count` elements, at
/// any address (the alignment of the element type is not needed). The destination may be the very
/// same array as a source, or several; any other overlap is not allowed. Each element's result
/// depends on the elements alone, not on where they stand nor on how calls cut the arrays.
struct reducer {
    /// dst[i] = op(... op(op(sources[0][i], sources[1][i]), sources[2][i]) ...): n >= 1 sources,
    /// left to right, in one pass over memory; narrow floats are added in float and rounded once.
    /// `finish_size` > 0 says that the result is the whole reduction over that many ranks, and
    /// finishes it (`average` divides) before the rounding; 0 leaves a partial result.
    using reduce_function = void (*)(void const* op, reduction const& pass);
    reduce_function reduce = nullptr;
    bool prepares = false;  ///< whether contributions are to be prepared: premultiplied_sum alone
    bool finishes = false;  ///< whether the last pass differs from the others (for
                            ///< one rank it always may: see `run`)
    bool commutative = false;
    void const* op = nullptr;                   ///< the caller's; must live as long as this is used
    std::size_t elem_size = 0;                  ///< bytes per element
    std::uint64_t fingerprint = 0;              ///< operator, its state, and element type
    std::uint64_t op_type = 0;                  ///< the operator alone, if it has a state; else 0
    canonical_form const* canonical = nullptr;  ///< for spaces with kernels of their own
    std::string_view op_name;
    std::string_view type_name;

    /// dst[i] = what a rank's own contribution src[i] becomes before it is reduced.
    void prepare(void* dst, void const* src, std::size_t count, void* queue = nullptr) const {
        reduce(op,
               {.dst = dst, .sources = &src, .n = 1, .count = count, .raw = true, .queue = queue});
    }

    /// Every operation runs each contribution through `prepare` once (or uses `raw`, where every
    /// source is one) and gives `finish_size` once per element, in its last pass. With a single
    /// rank that pass is run({in}, finish_size = 1).
    void run(void* dst, void const* const* sources, int n, std::size_t count, int finish_size = 0,
             destination to = destination::read_soon) const {
        reduce(op, {dst, sources, n, count, finish_size, false, to});
    }

    void raw(void* dst, void const* const* sources, int n, std::size_t count, int finish_size = 0,
             destination to = destination::read_soon) const {
        reduce(op, {dst, sources, n, count, finish_size, true, to});
    }
};

}  // namespace collectives
