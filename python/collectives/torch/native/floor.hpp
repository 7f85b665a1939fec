// SPDX-License-Identifier: BSD-3-Clause
// A backend that does nothing: what torch's own way from a call to a backend and back takes.
#pragma once

#include "backend.hpp"

namespace collectives_torch {

class floor_backend final : public c10d::Backend {
public:
    floor_backend(int rank, int size) : Backend(rank, size) {}
    std::string const getBackendName() const override { return "floor"; }
    pointer broadcast(tensors&, c10d::BroadcastOptions const&) override { return done(); }
    pointer allreduce(tensors&, c10d::AllreduceOptions const&) override { return done(); }
    pointer reduce(tensors&, c10d::ReduceOptions const&) override { return done(); }
    pointer _allgather_base(at::Tensor&, at::Tensor&, c10d::AllgatherOptions const&) override {
        return done();
    }
    pointer _reduce_scatter_base(at::Tensor&, at::Tensor&,
                                 c10d::ReduceScatterOptions const&) override {
        return done();
    }
    pointer alltoall_base(at::Tensor&, at::Tensor&, std::vector<std::int64_t>&,
                          std::vector<std::int64_t>&, c10d::AllToAllOptions const&) override {
        return done();
    }
    pointer gather(tensor_lists&, tensors&, c10d::GatherOptions const&) override { return done(); }
    pointer scatter(tensors&, tensor_lists&, c10d::ScatterOptions const&) override {
        return done();
    }
    pointer barrier(c10d::BarrierOptions const&) override { return done(); }

private:
    struct nothing final : c10d::Work {
        nothing() { finish(); }
    };
    static pointer done() { return c10::make_intrusive<nothing>(); }
};

}  // namespace collectives_torch
