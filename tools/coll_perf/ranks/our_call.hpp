// SPDX-License-Identifier: BSD-3-Clause
// One of our calls on one rank, in the form that a case asks for.
#pragma once

#include "../job.hpp"
#include "calls.hpp"

#include <collectives/communicator.hpp>
#include <collectives/fusion/buffer.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace coll_perf {

class our_call {
public:
    /// Collective. The communicator must outlive it.
    our_call(coll::communicator& me, settings const& how, measured_case const& c);

    /// Why this case cannot be measured over this communicator; empty where it can. Collective.
    std::string missing();
    /// What comes before a call and is not timed.
    void prepare();
    void operator()(std::byte* in, std::size_t in_count, std::byte* out, std::size_t out_count);
    /// Of a started form.
    coll::pending start(std::byte* in, std::size_t in_count, std::byte* out, std::size_t out_count);

private:
    struct plan_of {
        std::byte const* in;
        std::byte const* out;
        coll::persistent call;
    };
    void run_planned(call_arguments const& a);
    void run_message(call_arguments const& a);
    void send_windows(call_arguments const& a, bool sends, bool receives);
    void fuse(call_arguments const& a);
    call_arguments arguments(std::byte* in, std::size_t in_count, std::byte* out,
                             std::size_t out_count) const;

    coll::communicator& me_;
    kind kind_;
    measured_case case_;
    coll::options options_;
    call_functions functions_;
    std::vector<std::size_t> counts_;  // of the ranks' blocks
    std::vector<plan_of> plans_;
    std::size_t next_plan_ = 0;
    int tensors_ = 1;
    void (*add_)(coll::fusion_buffer&, void*, std::size_t) = nullptr;
    std::optional<coll::fusion_buffer> fusion_;
    std::optional<coll::communicator> child_;  // that shrinks
};

}  // namespace coll_perf
