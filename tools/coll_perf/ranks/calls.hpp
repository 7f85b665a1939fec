// SPDX-License-Identifier: BSD-3-Clause
// The library's collectives without their types: which function makes a call of this collective,
// type and operator. Each type has a translation unit of its own.
#pragma once

#include "../model.hpp"

#include <collectives/communicator.hpp>
#include <collectives/communicator/options.hpp>
#include <collectives/fusion/buffer.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coll_perf {

struct call_arguments {
    void* in;
    std::size_t in_count;
    void* out;
    std::size_t out_count;
    int root;
    coll::options const* how;
    std::span<std::size_t const> counts;  ///< of the blocks of all ranks
};

/// The forms of a collective's call; each null where there is none.
struct call_functions {
    using arguments = call_arguments const&;
    void (*call)(coll::communicator&, arguments) = nullptr;
    void (*counts)(coll::communicator&, arguments) = nullptr;
    coll::pending (*start)(coll::communicator&, arguments) = nullptr;
    coll::persistent (*plan)(coll::communicator&, arguments) = nullptr;
};

/// The calls of one type and operator.
struct typed_operator {
    std::string_view op;
    model check;
    call_functions (*find)(coll::collective what);  ///< gives nothing for an average in a scan
    coll::named_op fused;                           ///< in a fusion buffer
};

struct typed_calls {
    std::string_view type;
    std::size_t size;
    void (*fuse)(coll::fusion_buffer& into, void* data, std::size_t count);
    std::vector<typed_operator> operators;

    /// Null where the type has no such operator.
    typed_operator const* find(std::string_view op) const {
        for (auto const& o : operators) {
            if (o.op == op) { return &o; }
        }
        return nullptr;
    }
};

/// All types, from the narrowest on.
std::vector<typed_calls> const& all_types();
/// The names of all operators.
std::vector<std::string_view> const& all_operators();

/// By the library's names or those of nccl-tests (half, prod, avg); else a usage_error that lists
/// the names.
typed_calls const& find_type(std::string_view name);
std::string_view find_operator(std::string_view name);

}  // namespace coll_perf
