// SPDX-License-Identifier: BSD-3-Clause
// Prepares a call on a device's memory: checks that the device reaches the buffers, finds a kernel,
// and orders the call after the work on the user's stream.
#pragma once

#include <collectives/algorithm/leaders.hpp>
#include <collectives/communicator/request_maker.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/run/engine.hpp>

#include <cstddef>

namespace collectives::inline v0::detail {

/// The algorithm for ranks that share a device: one of them does the work of all. `automatic` if
/// none share one, or if devices have different numbers of ranks.
[[gnu::cold]] inline any_algorithm device_choice(engine& e) {
    auto const device_of = [&e](rank_t r) {
        return e.carrier().shared_device(e.group().job_rank(r));
    };
    int each = 1;  // ranks of the first device, if they come first
    while (each < e.size() && device_of(each) == device_of(0)) { ++each; }
    for (rank_t r = 0; r < e.size(); ++r) {
        for (rank_t other = 0; other < r; ++other) {
            auto const together = r / each == other / each;
            if ((device_of(r) == device_of(other)) != together) { return {}; }
        }
    }
    return each > 1 && e.size() % each == 0 ? any_algorithm(leaders{each}) : any_algorithm();
}

/// Calls f(device). A refusal of the device is thrown here; a failure is reported to all ranks.
template <class F>
[[gnu::cold]] void on_device(engine& e, collective what, device_space& device, F const& f) {
    try {
        f(device);
    } catch (usage_error const& fault) {
        auto const lock = e.lock();  // a fusion_buffer's thread may number calls
        request_maker(e.rank(), e.size(), e.calls).refuse(what, fault.what());
    } catch (transport_error const&) {
        e.break_by_exception(name_of{what});
        throw;
    }
}

/// Orders a call after the work on the user's stream.
[[gnu::cold]] inline void follow_stream(engine& e, collective what, void* stream, memory_span in,
                                        memory_span out) {
    on_device(e, what, *e.space().device(), [&](device_space& device) {
        device.require_reachable(in.data, in.bytes);
        device.require_reachable(out.data, out.bytes);
        device.follow(stream);
    });
}

inline void require_kernel(engine& e, call_request const& r) {
    if (r.op == nullptr || r.op->reduce != nullptr) { return; }
    request_maker(e.rank(), e.size(), e.calls)
        .refuse(r.reported_as, "this program has no kernel of ", r.op->op_name, " on ", r.type_name,
                ": the source that brings the kernels in must `provide` your own "
                "operators");
}

/// Prepares a call on a device, before anything of it is sent. A call of the library itself has its
/// memory on the host.
[[gnu::cold]] inline void begin_on_device(engine& e, call_request const& r) {
    require_kernel(e, r);
    auto const by_user = r.reported_as == r.shape.what;
    auto const bytes = [&](void const* p, std::size_t n) {
        return by_user && p != nullptr ? n : 0;
    };
    follow_stream(e, r.reported_as, r.how.stream, {r.in, bytes(r.in, r.shape.input_bytes())},
                  {r.out, bytes(r.out, r.shape.output_bytes())});
}

}  // namespace collectives::detail
