// SPDX-License-Identifier: BSD-3-Clause
// The kernels' bodies as functions of the host, on the fake's streams.
#pragma once

#include <collectives/space/cuda/launch.hpp>

#include <cuda/fake.hpp>

#include <algorithm>
#include <cstddef>

namespace fake {

namespace coll = collectives;

template <class Op, class T, class Visit>
void for_each_pointer(cuda::fold_body<Op, T> const& body, Visit const& visit) {
    for (int k = 0; k < body.n; ++k) { visit(body.sources[k]); }
    for (int k = 0; k < body.outputs; ++k) { visit(body.to[k]); }
}
template <class Visit>
void for_each_pointer(cuda::copy_body const& body, Visit const& visit) {
    body.for_each_address(visit);
}

/// The tensors are in a table that is not written yet.
template <class Own, class Wire, class Visit>
void for_each_pointer(cuda::pack_body<Own, Wire> const& body, Visit const& visit) {
    visit(body.task.ranges);
    visit(body.task.bucket);
}

/// A few workers, the last one first.
struct launcher {
    template <class Body>
    static void launch(Body const& body, std::size_t work, void* queue) {
        auto& s = *static_cast<stream*>(queue);
        for_each_pointer(body, [&](void const* p) { s.of().check_reach(p, s); });
        ++s.of().kernels;
        s.push([body, workers = std::min(work, std::size_t{3})] {
            for (auto i = workers; i-- > 0;) { body({i, workers}); }
        });
    }
};

}  // namespace fake
