// SPDX-License-Identifier: BSD-3-Clause
// Any collective as one function, blocking or started: tests choose while they run.
#pragma once

#include <conformance/world.hpp>

#include <span>
#include <stdexcept>

namespace conformance {

/// Calls collective `what`. `in` is not looked at by broadcast, and `op` only where it reduces.
template <class T, class Op>
void call(coll::communicator& comm, coll::collective what, std::span<T const> in, std::span<T> out,
          Op const& op, int root, coll::options const& how) {
    auto const same = in.data() == out.data() && in.size() == out.size();
    switch (what) {
        using enum coll::collective;
        case all_reduce:
            return same ? comm.all_reduce(out, op, how) : comm.all_reduce(in, out, op, how);
        case reduce_scatter: return comm.reduce_scatter(in, out, op, how);
        case all_gather: return comm.all_gather(in, out, how);
        case broadcast: return comm.broadcast(out, root, how);
        case reduce: return comm.reduce(in, out, op, root, how);
        case gather: return comm.gather(in, out, root, how);
        case scatter: return comm.scatter(in, out, root, how);
        case all_to_all: return comm.all_to_all(in, out, how);
        case scan: return same ? comm.scan(out, op, how) : comm.scan(in, out, op, how);
        case exscan: return same ? comm.exscan(out, op, how) : comm.exscan(in, out, op, how);
        case barrier: return comm.barrier(how);
        default: throw std::logic_error("no collective");
    }
}

/// Starts collective `what`.
template <class T, class Op>
auto start(coll::communicator& comm, coll::collective what, std::span<T const> in, std::span<T> out,
           Op const& op, int root, coll::options const& how) {
    auto const same = in.data() == out.data() && in.size() == out.size();
    switch (what) {
        using enum coll::collective;
        case all_reduce:
            return same ? comm.start_all_reduce(out, op, how)
                        : comm.start_all_reduce(in, out, op, how);
        case reduce_scatter: return comm.start_reduce_scatter(in, out, op, how);
        case all_gather: return comm.start_all_gather(in, out, how);
        case broadcast: return comm.start_broadcast(out, root, how);
        case reduce: return comm.start_reduce(in, out, op, root, how);
        case gather: return comm.start_gather(in, out, root, how);
        case scatter: return comm.start_scatter(in, out, root, how);
        case all_to_all: return comm.start_all_to_all(in, out, how);
        case scan: return same ? comm.start_scan(out, op, how) : comm.start_scan(in, out, op, how);
        case exscan:
            return same ? comm.start_exscan(out, op, how) : comm.start_exscan(in, out, op, how);
        case barrier: return comm.start_barrier(how);
        default: throw std::logic_error("no collective");
    }
}

}  // namespace conformance
