// SPDX-License-Identifier: BSD-3-Clause
// The definitions of fusion/unordered.hpp.
#pragma once

#include <collectives/core/owned.hpp>
#include <collectives/fusion/unordered.hpp>
#include <collectives/fusion/unordered_state.hpp>

namespace collectives::inline v0 {

COLLECTIVES_INLINE unordered_fusion_buffer::unordered_fusion_buffer(communicator& comm,
                                                                    fusion_options const& how)
    : state_(make_owned<detail::unordered_fusion_state>(comm, how)) {}
COLLECTIVES_INLINE unordered_fusion_buffer::unordered_fusion_buffer(
    unordered_fusion_buffer&&) noexcept = default;
COLLECTIVES_INLINE unordered_fusion_buffer::~unordered_fusion_buffer() = default;

COLLECTIVES_INLINE void unordered_fusion_buffer::add(fused_type const& type, void* data,
                                                     std::size_t count, std::string_view name,
                                                     int priority) {
    state_->add(type, data, count, name, priority);
}
COLLECTIVES_INLINE void unordered_fusion_buffer::flush() { state_->flush(); }

}  // namespace collectives
