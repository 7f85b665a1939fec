// SPDX-License-Identifier: BSD-3-Clause
// The definitions of fusion/buffer.hpp.
#pragma once

#include <collectives/fusion/buffer.hpp>
#include <collectives/fusion/state.hpp>

#include <exception>

namespace collectives::inline v0 {

COLLECTIVES_INLINE bool fused_tensor::test() { return state_->is_done(ticket_); }
COLLECTIVES_INLINE void fused_tensor::wait() { state_->wait(ticket_); }

COLLECTIVES_INLINE fusion_buffer::fusion_buffer(communicator& comm, fusion_options const& how)
    : state_(new detail::fusion_state(comm, how)), thrown_(std::uncaught_exceptions()) {}
COLLECTIVES_INLINE fusion_buffer::~fusion_buffer() {
    if (!state_) { return; }
    if (!state_->broken() && std::uncaught_exceptions() <= thrown_) {
        try {
            state_->flush();
        } catch (...) {  // NOLINT: a destructor has nobody to tell
        }
    }
    state_->close();
}

COLLECTIVES_INLINE fused_tensor fusion_buffer::add(fused_type const& type, void* data,
                                                   std::size_t count, std::string_view name,
                                                   int priority) {
    auto const& of = state_->element(type);
    return {state_, state_->add(of, data, count, name, priority)};
}
COLLECTIVES_INLINE void fusion_buffer::flush() { state_->flush(); }
COLLECTIVES_INLINE void fusion_buffer::require(fused_type const& type) {
    (void)state_->element(type);
}
COLLECTIVES_INLINE void fusion_buffer::fail(failure const& why) { state_->fail(why); }

}  // namespace collectives
