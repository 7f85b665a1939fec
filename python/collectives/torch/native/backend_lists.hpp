// SPDX-License-Identifier: BSD-3-Clause
// The backend's calls on lists of tensors, and on parts of them.
#pragma once

#include "backend.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace collectives_torch {

inline pointer backend::allgather_coalesced(tensor_lists& out, tensors& in,
                                            c10d::AllgatherOptions const& o) {
    TORCH_CHECK(static_cast<int>(out.size()) == getSize(), "collectives: ", out.size(),
                " lists of tensors for ", getSize(), " ranks");
    tensor_lists by_input(in.size());
    tensors all;
    for (auto const& one : out) {
        TORCH_CHECK(one.size() == in.size(), "collectives: a list has ", one.size(),
                    " tensors, not ", in.size());
        for (std::size_t i = 0; i < in.size(); ++i) { by_input[i].push_back(one[i]); }
        all.insert(all.end(), one.begin(), one.end());
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
        require_dense(in[i]);
        require_one_each(by_input[i], in[i]);
    }
    return group_.call({OpType::ALLGATHER_COALESCED, "all_gather"}, in, all, o.asyncOp,
                       [&](call_parts& parts) {
                           for (std::size_t i = 0; i < in.size(); ++i) {
                               start_to_whole(group_, parts, coll::collective::all_gather, in[i],
                                              by_input[i], 0, how(o));
                           }
                       });
}

inline pointer backend::allgather_into_tensor_coalesced(tensors& out, tensors& in,
                                                        c10d::AllgatherOptions const& o) {
    TORCH_CHECK(out.size() == in.size(), "collectives: ", out.size(), " outputs for ", in.size(),
                " inputs");
    for (std::size_t i = 0; i < in.size(); ++i) { require_whole(out[i], in[i]); }
    return group_.call({OpType::COALESCED, "all_gather"}, in, out, o.asyncOp,
                       [&](call_parts& parts) {
                           for (std::size_t i = 0; i < in.size(); ++i) {
                               start_to_whole(group_, parts, coll::collective::all_gather, in[i],
                                              out[i], 0, how(o));
                           }
                       });
}

inline pointer backend::reduce_scatter_tensor_coalesced(tensors& out, tensors& in,
                                                        c10d::ReduceScatterOptions const& o) {
    TORCH_CHECK(out.size() == in.size(), "collectives: ", out.size(), " outputs for ", in.size(),
                " inputs");
    for (std::size_t i = 0; i < in.size(); ++i) { require_whole(in[i], out[i]); }
    return group_.call(
        {OpType::COALESCED, "reduce_scatter"}, in, out, o.asyncOp, [&](call_parts& parts) {
            for (std::size_t i = 0; i < in.size(); ++i) {
                start_reduce_scatter(group_, parts, in[i], out[i], o.reduceOp, how(o));
            }
        });
}

inline pointer backend::gather(tensor_lists& out, tensors& in, c10d::GatherOptions const& o) {
    auto& t = only_one(in);
    auto const root = static_cast<int>(o.rootRank);
    tensors all;
    if (getRank() == root) {
        all = only_list(out);
        require_one_each(all, t);
        for (auto const& one : all) {
            TORCH_CHECK(one.numel() == t.numel(), "collectives: gather into tensors of ",
                        one.numel(), " and ", t.numel(), " elements");
        }
    } else {
        TORCH_CHECK(out.empty() || out.front().empty(),
                    "collectives: gather has outputs on the root alone");
    }
    return group_.call({OpType::GATHER, "gather"}, in, all, o.asyncOp, [&](call_parts& parts) {
        start_to_whole(group_, parts, coll::collective::gather, t, all, root, how(o));
    });
}

inline pointer backend::gather_into_tensor(at::Tensor& out, at::Tensor& in,
                                           c10d::GatherOptions const& o) {
    auto const root = static_cast<int>(o.rootRank);
    require_dense(in);
    tensors all;
    if (getRank() == root) {
        require_whole(out, in);
        all = {out};
    }
    return group_.call({OpType::GATHER, "gather"}, in, all, o.asyncOp, [&](call_parts& parts) {
        start_to_whole(group_, parts, coll::collective::gather, in, all, root, how(o));
    });
}

inline pointer backend::scatter(tensors& out, tensor_lists& in, c10d::ScatterOptions const& o) {
    auto& t = only_one(out);
    auto const root = static_cast<int>(o.rootRank);
    tensors all;
    if (getRank() == root) {
        all = only_list(in);
        require_one_each(all, t);
        for (auto const& one : all) {
            TORCH_CHECK(one.numel() == t.numel(), "collectives: scatter of tensors of ",
                        one.numel(), " and ", t.numel(), " elements");
        }
    } else {
        TORCH_CHECK(in.empty() || in.front().empty(),
                    "collectives: scatter has inputs on the root alone");
    }
    return group_.call({OpType::SCATTER, "scatter"}, all, out, o.asyncOp, [&](call_parts& parts) {
        start_scatter(group_, parts, all, t, root, how(o));
    });
}

/// The elements of each part, where a tensor is cut along its first dimension.
inline counts counts_of_splits(at::Tensor const& t, std::vector<std::int64_t> const& splits,
                               int size) {
    counts result;
    TORCH_CHECK(splits.empty() || static_cast<int>(splits.size()) == size,
                "collectives: ", splits.size(), " splits for ", size, " ranks");
    auto const rows = t.dim() == 0 ? 1 : t.size(0);
    auto const row = rows == 0 ? 0 : t.numel() / rows;
    TORCH_CHECK(!splits.empty() || rows % size == 0, "collectives: ", rows,
                " rows do not make equal parts for ", size, " ranks");
    std::int64_t total = 0;
    for (int r = 0; r < size; ++r) {
        auto const n = splits.empty() ? rows / size : splits[static_cast<std::size_t>(r)];
        TORCH_CHECK(n >= 0, "collectives: a split of ", n, " rows");
        total += n;
        result.push_back(static_cast<std::size_t>(n * row));
    }
    TORCH_CHECK(total == rows, "collectives: splits of ", total, " rows of a tensor that has ",
                rows);
    return result;
}

inline pointer backend::alltoall_base(at::Tensor& out, at::Tensor& in,
                                      std::vector<std::int64_t>& out_splits,
                                      std::vector<std::int64_t>& in_splits,
                                      c10d::AllToAllOptions const& o) {
    require_dense(in);
    require_dense(out);
    require_type(in, out);
    counts sends, receives;
    if (!out_splits.empty() || !in_splits.empty()) {
        sends = counts_of_splits(in, in_splits, getSize());
        receives = counts_of_splits(out, out_splits, getSize());
    } else {
        static_cast<void>(counts_of_splits(in, {}, getSize()));
        TORCH_CHECK(in.numel() == out.numel(), "collectives: all_to_all of ", in.numel(),
                    " elements into ", out.numel());
    }
    return group_.call(
        {OpType::ALLTOALL_BASE, "all_to_all"}, in, out, o.asyncOp, [&](call_parts& parts) {
            start_exchange(group_, parts, in, out, std::move(sends), std::move(receives), how(o));
        });
}

inline pointer backend::alltoall(tensors& out, tensors& in, c10d::AllToAllOptions const& o) {
    TORCH_CHECK(static_cast<int>(in.size()) == getSize(), "collectives: ", in.size(),
                " tensors for ", getSize(), " ranks");
    require_types(in, in.front());
    require_one_each(out, in[static_cast<std::size_t>(getRank())]);
    counts sends, receives;
    for (auto const& t : in) { sends.push_back(elements_of(t)); }
    for (auto const& t : out) { receives.push_back(elements_of(t)); }
    return group_.call(
        {OpType::ALLTOALL, "all_to_all"}, in, out, o.asyncOp, [&](call_parts& parts) {
            start_exchange(group_, parts, in, out, std::move(sends), std::move(receives), how(o));
        });
}

inline pointer backend::barrier(c10d::BarrierOptions const& o) {
    return group_.call({OpType::BARRIER, "barrier"}, {}, {}, o.asyncOp, [&](call_parts& parts) {
        group_.carry_out(parts,
                         group_.make().begin(coll::collective::barrier,
                                             coll::detail::element_type_of<std::byte>(), how(o)));
    });
}

}  // namespace collectives_torch
