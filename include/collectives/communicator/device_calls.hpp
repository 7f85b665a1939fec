// SPDX-License-Identifier: BSD-3-Clause
// What a call on a device's memory needs before it starts: memory that the device reaches, a
// kernel, and its place behind what is on the user's stream.
#pragma once

#include <collectives/communicator/program_cache.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/failure.hpp>
#include <collectives/core/text.hpp>
#include <collectives/executor/space.hpp>

#include <cstddef>
#include <string_view>

namespace collectives {

/// Why a stream is refused elsewhere.
inline constexpr std::string_view no_streams = "a stream is for CUDA communicators alone";

/// One of the buffers of a call.
struct passed_memory {
    void const* at = nullptr;
    std::size_t bytes = 0;
};

/// Takes a call's place in order. `core` is asked to refuse what the device cannot reach, and told
/// of what breaks.
template <class Core>
void follow_stream(Core& core, collective what, void* stream, passed_memory in, passed_memory out) {
    auto& engine = core.engine();
    auto& space = engine.carrier().space();
    try {
        space.require_reachable(in.at, in.bytes);
        space.require_reachable(out.at, out.bytes);
        space.follow(stream);
    } catch (usage_error const& e) {
        core.refuse(what, e.what());
    } catch (transport_error const& e) {
        engine.break_by(name(what), e);
        throw;
    }
}

template <class Core>
void begin_on_device(Core& core, call_request const& r) {
    if (r.op != nullptr && r.op->reduce == nullptr) {
        core.refuse(r.as,
                    text_of("this program has no kernel of ", r.op->op_name, " on ", r.type_name,
                            ": have nvcc compile one source file that includes "
                            "<collectives/cuda.cuh>, and there `provide` your own operators"));
    }
    auto const by_user = r.as == r.shape.what;  // else its memory is the library's, on the host
    auto const bytes = [&](void const* p, std::size_t n) {
        return by_user && p != nullptr ? n : 0;
    };
    follow_stream(core, r.as, r.how.stream, {r.in, bytes(r.in, r.shape.input_bytes())},
                  {r.out, bytes(r.out, r.shape.output_bytes())});
}

}  // namespace collectives
