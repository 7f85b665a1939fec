// SPDX-License-Identifier: BSD-3-Clause
// Prepares a call on a device's memory: checks that the device reaches the buffers, finds a kernel,
// and orders the call after the work on the user's stream.
#pragma once

#include <collectives/algorithm/leaders.hpp>
#include <collectives/communicator/request_maker.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/run/engine.hpp>

#include <algorithm>
#include <cstddef>

namespace collectives::inline v0::detail {

/// The algorithm for ranks that share a device: one of them does the work of all. `automatic` if
/// none share one, or if devices have different numbers of ranks.
[[gnu::cold]] inline any_algorithm device_choice(engine& e) {
    lean_vector<int> devices;
    for (rank_t r = 0; r < e.size(); ++r) {
        devices.push_back(e.carrier().shared_device(e.group().job_rank(r)));
    }
    auto const count = [&](int device) {
        return static_cast<std::size_t>(std::count(devices.begin(), devices.end(), device));
    };
    auto const first = count(devices.front());
    for (std::size_t i = 0; i < devices.size(); ++i) {
        auto const head = i / first * first;
        auto const begins = i == head && i != 0;
        if (devices[i] != devices[head] || (begins && count(devices[i]) != first)) { return {}; }
    }
    return first > 1 ? any_algorithm(leaders{static_cast<int>(first)}) : any_algorithm();
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
