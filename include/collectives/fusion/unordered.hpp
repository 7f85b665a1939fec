// SPDX-License-Identifier: BSD-3-Clause
// Fusion for ranks whose tensors become ready in different orders: none starts before all have it.
#pragma once

#include <collectives/communicator/arguments.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/fusion/fused_type.hpp>
#include <collectives/fusion/options.hpp>

#include <cstddef>
#include <ranges>
#include <string_view>

namespace collectives::inline v0 {

class communicator;
namespace detail {
class unordered_fusion_state;
}  // namespace detail

/// As fusion_buffer, but ranks may add their tensors in any order; each has a name that no other
/// has. Ranks ask in rounds which tensors all have added: a round is one all_reduce of a bit per
/// tensor ever added and one word. Only names that a rank has not added before cost more: they are
/// gathered once. Of the tensors that become ready in one round those of the highest priority go
/// first.
///
/// Rounds move while the rank is in `add` or `flush`. Between the first `add` and the end of
/// `flush` a rank calls nothing else that waits for others: they may wait for it in `add`. A tensor
/// that some rank has not added when all flush is a mismatch_error on all, as is one of another
/// type or size. After an error other than usage_error the buffer is broken, and `comm` is not.
class unordered_fusion_buffer {
public:
    /// Collective. Throws usage_error for `progress_thread`: rounds belong to the rank's own
    /// thread; and for a communicator over devices: rounds are in host memory alone.
    explicit unordered_fusion_buffer(communicator& comm, fusion_options const& how = {});
    unordered_fusion_buffer(unordered_fusion_buffer&&) noexcept;
    unordered_fusion_buffer& operator=(unordered_fusion_buffer&&) = delete;
    ~unordered_fusion_buffer();

    /// Adds a tensor, which must live and stay as it is until the next `flush` returns. Higher
    /// priorities go first; they are equal on all ranks. Throws usage_error for a name that is
    /// still waited for and where the operator is none for the elements, else what a collective
    /// throws.
    template <output_range Tensor>
    void add(Tensor&& values, std::string_view name, int priority = 0) {
        add(fused_type_of<element_t<Tensor>>, std::ranges::data(values), std::ranges::size(values),
            name, priority);
    }
    /// The same for `count` elements of a type that is known when the program runs.
    void add(fused_type const& type, void* data, std::size_t count, std::string_view name,
             int priority = 0);
    /// Returns when every tensor is done.
    void flush();

private:
    owned<detail::unordered_fusion_state> state_;
};

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/fusion/unordered.ipp>
#endif
