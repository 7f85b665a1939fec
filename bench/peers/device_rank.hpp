// SPDX-License-Identifier: BSD-3-Clause
// How a rank measures a call on vectors in the memory of its device: ours and others' alike.
#pragma once

#include "driver.hpp"

#include <collectives/transport/cuda/space.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace peers {

namespace cuda = coll::cuda;

/// A rank's vectors in the memory of its device, filled and looked at through a copy in the host's.
class device_place {
public:
    device_place(cuda::space& space, std::byte* host, std::byte* device)
        : space_(&space), host_(host), device_(device) {}

    std::byte* on_device(std::byte const* p) const { return device_ + (p - host_); }
    void filled(std::byte const* p, std::size_t bytes) const { move(on_device(p), p, bytes); }
    void fetch(std::byte* p, std::size_t bytes) const { move(p, on_device(p), bytes); }
    /// CUDA's own copy within the device.
    void copy(std::byte* to, std::byte const* from, std::size_t bytes) const {
        move(on_device(to), on_device(from), bytes);
    }
    /// A kernel's.
    void other_copy(std::byte* to, std::byte const* from, std::size_t bytes) const {
        coll::device_scope const here(space_);
        space_->copy(on_device(to), on_device(from), bytes);
        space_->drain();
    }

private:
    void move(void* to, void const* from, std::size_t bytes) const {
        if (bytes == 0) { return; }
        coll::device_scope const here(space_);
        space_->calls().copy(to, from, bytes, static_cast<cuda::stream>(space_->queue()));
        space_->drain();
    }
    cuda::space* space_;
    std::byte* host_;
    std::byte* device_;
};

/// The types and operators that a driver is compiled for.
template <class Types, class Operators>
struct known_calls;
template <class... T, class... Op>
struct known_calls<std::tuple<T...>, std::tuple<Op...>> {
    /// Calls visit.operator()<T, Op>() for the ones with these names.
    template <class Visit>
    static void visit(measured_case const& c, Visit const& visit) {
        auto const each_type = [&]<class Type>(std::type_identity<Type>) {
            auto const each = [&]<class Operator>(std::type_identity<Operator>) {
                if (coll::type_name<Type>() == c.type && Operator::name == c.op) {
                    visit.template operator()<Type, Operator>();
                }
            };
            (each(std::type_identity<Op>{}), ...);
        };
        (each_type(std::type_identity<T>{}), ...);
    }
};

/// Memory of a rank's device, `cudaMalloc`ed; none for 0 bytes.
class device_memory {
public:
    device_memory(cuda::space& space, std::size_t bytes)
        : space_(space),
          at_(bytes == 0 ? nullptr : static_cast<std::byte*>(space.allocate(bytes))) {}
    device_memory(device_memory const&) = delete;
    device_memory& operator=(device_memory const&) = delete;
    ~device_memory() {
        if (at_ != nullptr) { space_.deallocate(at_, 0); }
    }
    std::byte* data() const { return at_; }

private:
    cuda::space& space_;
    std::byte* at_;
};

/// One of the ranks that meet on a board; rank 0 tells the results.
struct device_rank {
    cuda::space& space;
    board& meeting;
    int rank;
    settings const& how;
    std::function<void(std::string const&)> const& tell;

    /// Case `index`, in `memory` of the device, which holds what `slots` asks for. `call` gets
    /// addresses in it.
    template <class Call>
    void measure(std::size_t index, measured_case const& c, model const& m, std::byte* memory,
                 Call const& call) const {
        private_memory mirror(slots(how, c).bytes());
        device_place const place(space, mirror.data(), memory);
        auto const there = [&](std::byte* in, std::size_t in_count, std::byte* out,
                               std::size_t out_count) {
            call(place.on_device(in), in_count, place.on_device(out), out_count);
        };
        sampling one(meeting, rank, how, c, m, mirror.data(), there, place);
        auto const result = one.run(index);
        if (rank == 0) { tell(as_text(result)); }
    }
};

}  // namespace peers
