// SPDX-License-Identifier: BSD-3-Clause
// NCCL's calls for the cases of coll_perf: each starts on a stream.
#pragma once

#include "nccl_library.hpp"

#include "../../tools/coll_perf/kinds.hpp"
#include "../../tools/coll_perf/job.hpp"

#include <collectives/core/narrow_float.hpp>
#include <collectives/core/op.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace peers::nccl {

namespace coll = collectives;

/// All types and operators that NCCL has.
using types =
    std::tuple<float, double, coll::float16, coll::bfloat16, coll::float8_e4m3, coll::float8_e5m2,
               std::int8_t, std::uint8_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
using operators = std::tuple<coll::sum, coll::product, coll::min, coll::max, coll::average>;

inline ncclDataType_t type_of(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, ncclDataType_t>, 12> all{
        {{"float", ncclFloat32},
         {"double", ncclFloat64},
         {"float16", ncclFloat16},
         {"bfloat16", ncclBfloat16},
         {"float8_e4m3", ncclFloat8e4m3},
         {"float8_e5m2", ncclFloat8e5m2},
         {"int8", ncclInt8},
         {"uint8", ncclUint8},
         {"int32", ncclInt32},
         {"uint32", ncclUint32},
         {"int64", ncclInt64},
         {"uint64", ncclUint64}}};
    for (auto const& [its, type] : all) {
        if (its == name) { return type; }
    }
    throw std::runtime_error("NCCL has no type " + std::string(name));
}

inline ncclRedOp_t operator_of(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, ncclRedOp_t>, 5> all{{{"sum", ncclSum},
                                                                           {"product", ncclProd},
                                                                           {"min", ncclMin},
                                                                           {"max", ncclMax},
                                                                           {"average", ncclAvg}}};
    for (auto const& [its, op] : all) {
        if (its == name) { return op; }
    }
    throw std::runtime_error("NCCL has no operator " + std::string(name));
}

/// Starts a call on a stream: (in, in_count, out, out_count).
using started_call = std::function<ncclResult_t(void*, std::size_t, void*, std::size_t)>;

/// What starts calls of this case; empty where NCCL, or this one, has no such collective.
inline started_call find_call(library const& with, coll_perf::measured_case const& c, int ranks,
                              ncclComm_t comm, cudaStream_t stream) {
    using enum coll::collective;
    auto const type = type_of(c.type);
    auto const op = operator_of(c.op);
    auto const root = c.root;
    auto const p = static_cast<std::size_t>(ranks);
    using v = void*;
    using n = std::size_t;
    switch (coll_perf::collective_of(c.collective)) {
        case all_reduce:
            return
                [=, f = with.need<decltype(::ncclAllReduce)>("ncclAllReduce")](
                    v in, n count, v out, n) { return f(in, out, count, type, op, comm, stream); };
        case reduce:
            return
                [=, f = with.need<decltype(::ncclReduce)>("ncclReduce")](v in, n count, v out, n) {
                    return f(in, out, count, type, op, root, comm, stream);
                };
        case reduce_scatter:
            return
                [=, f = with.need<decltype(::ncclReduceScatter)>("ncclReduceScatter")](
                    v in, n, v out, n count) { return f(in, out, count, type, op, comm, stream); };
        case all_gather:
            return [=, f = with.need<decltype(::ncclAllGather)>("ncclAllGather")](
                       v in, n count, v out, n) { return f(in, out, count, type, comm, stream); };
        case broadcast:
            return
                [=, f = with.need<decltype(::ncclBroadcast)>("ncclBroadcast")](
                    v, n, v out, n count) { return f(out, out, count, type, root, comm, stream); };
        case all_to_all: {
            auto* const f = with.find<decltype(::ncclAlltoAll)>("ncclAlltoAll");
            if (f == nullptr || c.in_place) { return {}; }
            return
                [=](v in, n whole, v out, n) { return f(in, out, whole / p, type, comm, stream); };
        }
        case gather: {
            auto* const f = with.find<decltype(::ncclGather)>("ncclGather");
            if (f == nullptr) { return {}; }
            return [=](v in, n count, v out, n) {
                return f(in, out, count, type, root, comm, stream);
            };
        }
        case scatter: {
            auto* const f = with.find<decltype(::ncclScatter)>("ncclScatter");
            if (f == nullptr) { return {}; }
            return [=](v in, n, v out, n count) {
                return f(in, out, count, type, root, comm, stream);
            };
        }
        default: return {};  // scans and barriers
    }
}

}  // namespace peers::nccl
