// SPDX-License-Identifier: BSD-3-Clause
// Tensor fusion: many small tensors are reduced as few large ones.
#pragma once

#include <collectives/communicator/arguments.hpp>
#include <collectives/core/compiled.hpp>
#include <collectives/fusion/counted_state.hpp>
#include <collectives/fusion/fused_type.hpp>
#include <collectives/fusion/options.hpp>

#include <cstddef>
#include <string_view>

namespace collectives::inline v0 {

class communicator;
namespace detail {
class fusion_state;
}  // namespace detail
struct failure;

/// A tensor that was added. May be dropped, and may outlive the buffer: one that was not done by
/// then throws an error. Used by one thread at a time together with the buffer, as it is with a
/// communicator.
class fused_tensor {
public:
    /// For the library: `fusion_buffer::add` makes them.
    fused_tensor(detail::counted_holder<detail::fusion_state> const& state, detail::fusion_ticket t)
        : state_(state), ticket_(t) {}

    /// True once the result is in the tensor; never waits, and does not start its bucket. Throws
    /// what `wait` would.
    bool test();
    /// Returns once the result is in the tensor. Starts its bucket if that is still open: then all
    /// ranks must wait for one of its tensors at this place. Throws what `flush` does.
    void wait();

private:
    detail::counted_holder<detail::fusion_state> state_;
    detail::fusion_ticket ticket_;
};

/// All-reduces tensors in place, those of one element type together in buckets of at most
/// `threshold` bytes. A tensor above the threshold travels by itself and is not copied. A bucket
/// starts as soon as it is full: when the next tensor has no room in it, or when it holds what the
/// bucket of that number held before the last flush. Small ones cost two copies, and large ones
/// nothing over an all_reduce.
///
/// All ranks make the buffer at the same place (it is collective) and then add the same tensors in
/// the same order, and flush at the same places. What differs (name, type, size or number of
/// tensors) is a mismatch_error on all ranks that names the tensor and what two ranks have; a rank
/// that does not come is a timeout_error. No message is sent to agree on that: a hash of a bucket's
/// tensors is part of its call.
///
/// With `progress_thread` buckets travel, and are packed and unpacked, on a thread of the buffer's
/// own, which sleeps while there is nothing to do; else they move whenever the rank is in `add`,
/// `test`, `wait`, `flush` or any other call of the library. While tensors are under way the thread
/// is the one that uses the rank's communicators: the rank calls nothing on any of them between its
/// first `add` and the end of `flush`. (Over MPI: a usage_error unless MPI_THREAD_SERIALIZED.)
///
/// With `priorities` the bucket of the highest priority goes next where more buckets are ready than
/// may be `under_way`. A backward pass ends with the gradients that the next forward pass needs
/// first: let the priority grow from tensor to tensor, and few buckets be under way. For each start
/// the ranks agree, by an all_reduce of 8 bytes, on a bucket that is ready on all of them. The bits
/// of the results do not change.
///
/// Without that thread and without priorities other collectives may be called on `comm` in between,
/// in the same order on all ranks. After an error other than usage_error both are broken. With
/// `reproducible` the bits do not depend on the threshold.
///
/// Over a communicator of devices tensors lie in memory that the rank's device reaches (else `add`
/// throws usage_error), and each bucket is packed and unpacked by one kernel.
class fusion_buffer {
public:
    /// Collective. Throws usage_error for options that do not fit the communicator.
    explicit fusion_buffer(communicator& comm, fusion_options const& how = {});
    fusion_buffer(fusion_buffer&&) noexcept = default;
    fusion_buffer& operator=(fusion_buffer&&) = delete;
    /// Flushes, unless an exception is the reason for its end. Then it only ends what was started;
    /// tensors that were not done never are. Does not throw: a failure stays with the communicator.
    ~fusion_buffer();

    /// Adds a tensor, which must live and stay as it is until it is done; its result comes in its
    /// place. The name, if one is given, must be the same on all ranks; messages show 39 characters
    /// of it. The priority, likewise, counts where the options say so: a bucket has the highest of
    /// its tensors. Starts what is full, moves what is under way, and does not wait unless as many
    /// buckets are under way as may be and there are no priorities. Throws usage_error where the
    /// operator is none for the elements, else what a collective throws.
    template <output_range Tensor>
    fused_tensor add(Tensor&& tensor, std::string_view name = {}, int priority = 0) {
        return add(fused_type_of<element_t<Tensor>>, std::ranges::data(tensor),
                   std::ranges::size(tensor), name, priority);
    }
    /// The same for `count` elements of a type that is known when the program runs.
    fused_tensor add(fused_type const& type, void* data, std::size_t count,
                     std::string_view name = {}, int priority = 0);

    /// Starts all that is left and waits for it. Then every result is in its tensor.
    void flush();

    /// Throws usage_error where `add` would for elements of this type.
    void require(fused_type const& type);
    /// Breaks the communicator, on all ranks, with this failure.
    void fail(failure const& why);

private:
    detail::counted_holder<detail::fusion_state> state_;
    int thrown_;  // exceptions under way when it was made
};

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/fusion/buffer.ipp>
#endif
