// SPDX-License-Identifier: BSD-3-Clause
// How a device's space finds the program's kernels.
#pragma once

#include <collectives/core/device_copy.hpp>
#include <collectives/core/type_name.hpp>
#include <collectives/space/canonical.hpp>
#include <collectives/space/cuda/kernels.hpp>

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace collectives::inline v0::cuda {

/// Makes a reducer enqueue its kernel. False where the program has none; then it is unchanged.
inline bool bind_kernel(reducer& r) {
    auto const* const form = r.canonical;
    if (form == nullptr || form->operation == nullptr) { return false; }
    auto const kernel = kernels().find(*form->operation, *form->element);
    if (kernel == nullptr) { return false; }
    r.reduce = kernel;
    if (form->convert != nullptr) {
        form->kernel->store(kernel, std::memory_order_relaxed);
        r.reduce = form->convert;
    }
    return true;
}

/// What packs elements whose type_id is `own` as `wire`; null where the program has no such kernel.
inline pack_function pack_kernel(std::uint64_t own, std::uint64_t wire) {
    pack_function found = nullptr;
    for_each_pack([&]<class Own, class Wire>(std::type_identity<Own>, std::type_identity<Wire>) {
        if (type_id<Own>() == own && type_id<Wire>() == wire) {
            found = kernels().find_pack(typeid(Own), typeid(Wire));
        }
    });
    return found;
}

}  // namespace collectives::cuda
