// SPDX-License-Identifier: BSD-3-Clause
// all_reduce of sparse tensors: all ranks gather the parts of all, and add them up in rank order.
#pragma once

#include "backend.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace collectives_torch {

/// Also where it is asked for asynchronously, it ends before it returns: it takes three calls, of
/// which the second and third need the results of the first.
inline pointer backend::allreduce_sparse(tensors& data, c10d::AllreduceOptions const& o) {
    TORCH_CHECK(
        data.size() == 1 && data.front().layout() == at::kSparse && data.front().device().is_cpu(),
        "collectives: one sparse tensor of the CPU is expected");
    TORCH_CHECK(o.reduceOp.op_ == c10d::ReduceOp::SUM,
                "collectives: sparse tensors are only added");
    auto const mine = data.front().coalesce();
    auto const ranks = static_cast<std::int64_t>(getSize());
    c10d::AllgatherOptions at_once;
    at_once.timeout = o.timeout;
    at_once.asyncOp = false;

    // How many elements each rank has, and the shape, which must be the same.
    auto const dims = mine.dim();
    auto shape = at::empty({dims + 1}, at::kLong);
    for (std::int64_t d = 0; d < dims; ++d) { shape[d] = mine.size(d); }
    shape[dims] = mine._nnz();
    auto shapes = at::empty({ranks, dims + 1}, at::kLong);
    _allgather_base(shapes, shape, at_once);
    std::int64_t most = 0;
    for (std::int64_t r = 0; r < ranks; ++r) {
        TORCH_CHECK(at::equal(shapes[r].narrow(0, 0, dims), shape.narrow(0, 0, dims)),
                    "collectives: rank ", r, " has a sparse tensor of another shape");
        most = std::max(most, shapes[r][dims].item<std::int64_t>());
    }

    auto const padded = [&](at::Tensor const& t, std::int64_t along) {
        auto sizes = t.sizes().vec();
        sizes[static_cast<std::size_t>(along)] = most;
        auto result = at::zeros(sizes, t.options());
        result.narrow(along, 0, t.size(along)).copy_(t);
        return result;
    };
    auto const gather_all = [&](at::Tensor part) {
        auto sizes = part.sizes().vec();
        sizes.insert(sizes.begin(), ranks);
        auto all = at::empty(sizes, part.options());
        _allgather_base(all, part, at_once);
        return all;
    };
    auto const indices = gather_all(padded(mine._indices(), 1));
    auto const values = gather_all(padded(mine._values(), 0));
    at::Tensor total;
    for (std::int64_t r = 0; r < ranks; ++r) {
        auto const n = shapes[r][dims].item<std::int64_t>();
        auto const part = at::sparse_coo_tensor(indices[r].narrow(1, 0, n),
                                                values[r].narrow(0, 0, n), mine.sizes());
        total = total.defined() ? total + part : part;
    }
    data.front().copy_(total.coalesce());
    return group_.call({OpType::_ALLREDUCE_SPARSE, "sparse_all_reduce"}, data, data, o.asyncOp,
                       [](call_parts&) {});
}

}  // namespace collectives_torch
