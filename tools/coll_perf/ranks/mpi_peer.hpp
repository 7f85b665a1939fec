// SPDX-License-Identifier: BSD-3-Clause
// An MPI as a peer: which of its calls a case is.
#pragma once

#include "../kinds.hpp"
#include "../order.hpp"

#include "../../launched/mpi_calls.hpp"

#include <cstddef>

namespace coll_perf {

/// The call of an MPI that a case measures.
class mpi_peer_call {
public:
    mpi_peer_call(launched::mpi_calls const& calls, measured_case const& c)
        : calls_(calls), starts_(kind::of(c.collective).how == form::started) {
        using launched::mpi_form;
        auto const kind = kind::of(c.collective);
        launched::mpi_call to{.what = kind.like,
                              .type = c.type,
                              .op = c.op,
                              .root = c.root,
                              .count = c.count,
                              .in_place = c.in_place,
                              .window = window};
        switch (kind.how) {
            case form::call: break;
            case form::counts: to.how = mpi_form::counts; break;
            case form::started: to.how = mpi_form::started; break;
            case form::exchange: to.how = mpi_form::exchange; break;
            case form::ping_pong: to.how = mpi_form::ping_pong; break;
            case form::one_way: to.how = mpi_form::one_way; break;
            case form::both_ways: to.how = mpi_form::both_ways; break;
            default: return;
        }
        call_ = calls.find(to);
    }

    /// Whether MPI has such a call.
    explicit operator bool() const { return call_ != nullptr; }
    void operator()(std::byte* in, std::size_t in_count, std::byte* out,
                    std::size_t out_count) const {
        call_(in, in_count, out, out_count);
        if (starts_) { calls_.wait(); }
    }
    /// Starts the call. The result tests it and waits for it.
    launched::mpi_calls start(std::byte* in, std::size_t in_count, std::byte* out,
                              std::size_t out_count) const {
        call_(in, in_count, out, out_count);
        return calls_;
    }

private:
    launched::mpi_calls calls_;
    bool starts_;
    launched::mpi_calls::function call_;
};

}  // namespace coll_perf
