// SPDX-License-Identifier: BSD-3-Clause
// The backend as torch sees it: it checks the tensors of a call and hands it to its group.
#pragma once

#include "messages.hpp"
#include "moves.hpp"

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace collectives_torch {

using pointer = c10::intrusive_ptr<c10d::Work>;
using c10d::OpType;
using tensor_lists = std::vector<tensors>;

inline tensors& only_list(tensor_lists& all) {
    TORCH_CHECK(all.size() == 1, "collectives: one list of tensors is expected, not ", all.size());
    return all.front();
}

using store_pointer = c10::intrusive_ptr<c10d::Store>;
using backend_pointer = c10::intrusive_ptr<c10d::Backend>;
using options_pointer = c10::intrusive_ptr<c10d::Backend::Options>;

/// Declares gather_into_tensor for versions of torch whose Backend lacks it, so that `override`
/// compiles with all.
class gathering_backend : public c10d::Backend {
public:
    using Backend::Backend;
    virtual pointer gather_into_tensor(at::Tensor& out, at::Tensor& in,
                                       c10d::GatherOptions const& o) = 0;
};

/// Overrides torch's older names: newer versions forward to them.
class backend final : public gathering_backend {
public:
    backend(place where, int rank, int size, std::string const& name, std::string const& group_name,
            std::chrono::milliseconds time)
        : gathering_backend(rank, size),
          name_(name),
          options_(c10::make_intrusive<Options>(name, time)),
          group_(std::move(where), name, group_name, time) {
        options_->group_name = group_name;
        init();
    }

    std::string const getBackendName() const override { return name_; }
    c10::intrusive_ptr<Options> getBackendOptions() override { return options_; }
    void setTimeout(std::chrono::milliseconds time) override {
        options_->timeout = time;
        group_.set_time(time);
    }
    bool supportsSplitting() const override { return true; }
    backend_pointer split(store_pointer const& store, std::vector<int> const& ranks,
                          options_pointer const& o) override;
    void setSequenceNumberForGroup() override {}
    std::uint64_t getSequenceNumberForGroup() override { return group_.collectives(); }
    bool supportsTensorAlloc(c10::DeviceIndex) override { return has_shared_memory(group_.at()); }
    at::Tensor allocateTensor(long size, at::TensorOptions options) override {
        return group_.shared_tensor(size, options);
    }
    void abort() override { group_.abort("the program asked for it"); }
    void shutdown() override { group_.close(); }

    pointer broadcast(tensors& data, c10d::BroadcastOptions const& o) override {
        auto& t = only_one(data);
        auto const root = static_cast<int>(o.rootRank);
        return group_.call(
            {OpType::BROADCAST, "broadcast"}, data, data, o.asyncOp,
            [&](call_parts& parts) { start_broadcast(group_, parts, t, root, how(o)); });
    }
    pointer allreduce(tensors& data, c10d::AllreduceOptions const& o) override {
        TORCH_CHECK(data.size() == 1, "collectives: one tensor is expected, not ", data.size());
        if (data.front().layout() == at::kSparse) { return allreduce_sparse(data, o); }
        auto& t = only_one(data);
        return group_.call(
            {OpType::ALLREDUCE, "all_reduce"}, data, data, o.asyncOp, [&](call_parts& parts) {
                start_vector(group_, parts, coll::collective::all_reduce, t, o.reduceOp, 0, how(o));
            });
    }
    pointer allreduce_coalesced(tensors& data, c10d::AllreduceCoalescedOptions const& o) override {
        TORCH_CHECK(!data.empty(), "collectives: no tensors");
        for (auto const& t : data) { require_dense(t); }
        return group_.call({OpType::ALLREDUCE_COALESCED, "all_reduce"}, data, data, o.asyncOp,
                           [&](call_parts& parts) {
                               for (auto const& t : data) {
                                   start_vector(group_, parts, coll::collective::all_reduce, t,
                                                o.reduceOp, 0, how(o));
                               }
                           });
    }
    pointer allreduce_sparse(tensors& data, c10d::AllreduceOptions const& o) override;
    pointer reduce(tensors& data, c10d::ReduceOptions const& o) override {
        auto& t = only_one(data);
        auto const root = static_cast<int>(o.rootRank);
        return group_.call(
            {OpType::REDUCE, "reduce"}, data, data, o.asyncOp, [&](call_parts& parts) {
                start_vector(group_, parts, coll::collective::reduce, t, o.reduceOp, root, how(o));
            });
    }
    pointer allgather(tensor_lists& out, tensors& in, c10d::AllgatherOptions const& o) override {
        auto& t = only_one(in);
        auto& all = only_list(out);
        require_one_each(all, t);
        return group_.call(
            {OpType::ALLGATHER, "all_gather"}, in, all, o.asyncOp, [&](call_parts& parts) {
                start_to_whole(group_, parts, coll::collective::all_gather, t, all, 0, how(o));
            });
    }
    pointer _allgather_base(at::Tensor& out, at::Tensor& in,
                            c10d::AllgatherOptions const& o) override {
        require_whole(out, in);
        return group_.call({OpType::_ALLGATHER_BASE, "_all_gather_base"}, in, out, o.asyncOp,
                           [&](call_parts& parts) {
                               start_to_whole(group_, parts, coll::collective::all_gather, in, out,
                                              0, how(o));
                           });
    }
    pointer allgather_coalesced(tensor_lists& out, tensors& in,
                                c10d::AllgatherOptions const& o) override;
    pointer allgather_into_tensor_coalesced(tensors& out, tensors& in,
                                            c10d::AllgatherOptions const& o) override;
    pointer gather(tensor_lists& out, tensors& in, c10d::GatherOptions const& o) override;
    pointer gather_into_tensor(at::Tensor& out, at::Tensor& in,
                               c10d::GatherOptions const& o) override;
    pointer scatter(tensors& out, tensor_lists& in, c10d::ScatterOptions const& o) override;
    pointer reduce_scatter(tensors& out, tensor_lists& in,
                           c10d::ReduceScatterOptions const& o) override {
        auto& t = only_one(out);
        auto& all = only_list(in);
        require_one_each(all, t);
        return group_.call({OpType::REDUCE_SCATTER, "reduce_scatter"}, all, out, o.asyncOp,
                           [&](call_parts& parts) {
                               start_reduce_scatter(group_, parts, all, t, o.reduceOp, how(o));
                           });
    }
    pointer _reduce_scatter_base(at::Tensor& out, at::Tensor& in,
                                 c10d::ReduceScatterOptions const& o) override {
        require_whole(in, out);
        return group_.call({OpType::_REDUCE_SCATTER_BASE, "_reduce_scatter_base"}, in, out,
                           o.asyncOp, [&](call_parts& parts) {
                               start_reduce_scatter(group_, parts, in, out, o.reduceOp, how(o));
                           });
    }
    pointer reduce_scatter_tensor_coalesced(tensors& out, tensors& in,
                                            c10d::ReduceScatterOptions const& o) override;
    pointer alltoall_base(at::Tensor& out, at::Tensor& in, std::vector<std::int64_t>& out_splits,
                          std::vector<std::int64_t>& in_splits,
                          c10d::AllToAllOptions const& o) override;
    pointer alltoall(tensors& out, tensors& in, c10d::AllToAllOptions const& o) override;
    pointer barrier(c10d::BarrierOptions const& o) override;
    void monitoredBarrier(c10d::BarrierOptions const& o, bool wait_all_ranks) override {
        auto const time = o.timeout == c10d::kUnsetTimeout ? group_.time() : o.timeout;
        wait_at_monitored_barrier(group_, *store_, ++monitored_, time, wait_all_ranks);
    }
    pointer send(tensors& data, int to, int tag) override {
        return send_to(group_, only_one(data), to, tag);
    }
    pointer recv(tensors& data, int from, int tag) override {
        return receive_from(group_, only_one(data), from, tag);
    }
    pointer recvAnysource(tensors& data, int tag) override {
        return receive_from_anybody(group_, only_one(data), tag);
    }

    void use_store(store_pointer store) { store_ = std::move(store); }

private:
    template <class Options>
    coll::options how(Options const& o) const {
        return group_.options_for(o.timeout);
    }
    void require_one_each(tensors const& all, at::Tensor const& like) const {
        TORCH_CHECK(static_cast<int>(all.size()) == getSize(), "collectives: ", all.size(),
                    " tensors for ", getSize(), " ranks");
        require_types(all, like);
        auto const& own = all[static_cast<std::size_t>(getRank())];
        TORCH_CHECK(own.numel() == like.numel(),
                    "collectives: the rank's own tensor of the list has ", own.numel(),
                    " elements, not ", like.numel());
    }
    void require_whole(at::Tensor const& whole, at::Tensor const& block) const {
        require_dense(whole);
        require_dense(block);
        require_type(whole, block);
        TORCH_CHECK(whole.numel() == block.numel() * getSize(), "collectives: the tensor of all ",
                    getSize(), " ranks has ", whole.numel(), " elements, and that of one has ",
                    block.numel());
    }

    std::string name_;
    c10::intrusive_ptr<Options> options_;
    store_pointer store_;
    std::uint64_t monitored_ = 0;
    group group_;
};

}  // namespace collectives_torch

#include "backend_lists.hpp"
