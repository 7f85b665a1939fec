// SPDX-License-Identifier: BSD-3-Clause
// What a call on a device's memory needs before it starts: memory that the device reaches, a
// kernel, and its place behind what is on the user's stream.
#pragma once

#include <collectives/algorithm/leaders.hpp>
#include <collectives/communicator/driven_calls.hpp>
#include <collectives/communicator/program_cache.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/failure.hpp>
#include <collectives/core/text.hpp>
#include <collectives/executor/inside.hpp>
#include <collectives/executor/space.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace collectives {

/// Why a stream is refused elsewhere.
inline constexpr std::string_view no_streams = "a stream is for CUDA communicators alone";

/// One of the buffers of a call.
struct passed_memory {
    void const* at = nullptr;
    std::size_t bytes = 0;
};

/// What is quickest where several processes take turns on a device: one of them does the work.
/// `automatic` where they do not, or where devices have different numbers of ranks.
template <class Engine>
any_algorithm device_choice(Engine& e) {
    if constexpr (requires { e.carrier().device_in_turns(rank_t{}); }) {
        std::vector<int> devices;
        for (rank_t r = 0; r < e.size(); ++r) {
            devices.push_back(e.carrier().device_in_turns(e.group().job_rank(r)));
        }
        auto const first =
            static_cast<std::size_t>(std::count(devices.begin(), devices.end(), devices.front()));
        for (std::size_t i = 0; i < devices.size(); ++i) {
            auto const head = i / first * first;
            if (devices[i] != devices[head] ||
                (i == head && i != 0 &&
                 std::count(devices.begin(), devices.end(), devices[i]) !=
                     static_cast<std::ptrdiff_t>(first))) {
                return {};
            }
        }
        if (first > 1) { return leaders{static_cast<int>(first)}; }
    }
    return {};
}

/// Calls f(space). `core` is asked to refuse what the device cannot do, and told of what breaks.
template <class Core, class F>
void on_space(Core& core, collective what, F const& f) {
    auto& engine = core.engine();
    try {
        f(engine.carrier().space());
    } catch (usage_error const& e) {
        core.refuse(what, e.what());
    } catch (transport_error const& e) {
        engine.break_by(name(what), e);
        throw;
    }
}
/// Takes a call's place in order.
template <class Core>
void follow_stream(Core& core, collective what, void* stream, passed_memory in, passed_memory out) {
    on_space(core, what, [&](auto& space) {
        space.require_reachable(in.at, in.bytes);
        space.require_reachable(out.at, out.bytes);
        space.follow(stream);
    });
}

template <class Core>
void require_kernel(Core& core, call_request const& r) {
    if (r.op != nullptr && r.op->reduce == nullptr) {
        core.refuse(r.as,
                    text_of("this program has no kernel of ", r.op->op_name, " on ", r.type_name,
                            ": have nvcc compile one source file that includes "
                            "<collectives/cuda.cuh>, and there `provide` your own operators"));
    }
}
template <class Core>
void begin_on_device(Core& core, call_request const& r) {
    require_kernel(core, r);
    auto const by_user = r.as == r.shape.what;  // else its memory is the library's, on the host
    auto const bytes = [&](void const* p, std::size_t n) {
        return by_user && p != nullptr ? n : 0;
    };
    follow_stream(core, r.as, r.how.stream, {r.in, bytes(r.in, r.shape.input_bytes())},
                  {r.out, bytes(r.out, r.shape.output_bytes())});
}

/// Enqueues a call that the devices drive. `enter()` tells peers of it.
template <class Core, class Enter>
auto enqueue_driven(Core& core, call_request const& r, detail::driven_kind what,
                    fingerprint const& call, Enter const& enter) {
    require_kernel(core, r);
    auto& carrier = core.engine().carrier();
    auto& space = carrier.space();
    [[maybe_unused]] auto const here = space.enter();
    try {
        space.require_reachable(r.in, r.shape.input_bytes());
        space.require_reachable(r.out, r.out == nullptr ? 0 : r.shape.output_bytes());
        auto const on = space.begin_driven(r.how.stream);
        auto const* const told =
            carrier.driver()->describe({what, r.shape.root, r.shape.count, r.shape.elem_size, r.in,
                                        r.out, call.hash(), r.how.timeout.span(), on.captured});
        if (r.op == nullptr) {
            carrier.driver()->move(told, on.on);
        } else {
            r.op->reduce(r.op->op, {.queue = on.on, .fused = told});
        }
        enter();  // what is refused has been refused by now
        space.end_driven(on);
        return on;
    } catch (usage_error const& e) {
        core.refuse(r.as, e.what());
    } catch (transport_error const& e) {
        core.engine().break_by(name(r.as), e);
        throw;
    }
}

/// Starts them, and keeps the numbers of those that nobody waits for: they are over when the last
/// one is.
template <class Transport>
class driven_calls {
public:
    template <class Core>
    std::unique_ptr<driven_call<Transport>> start(Core& core, call_request const& r,
                                                  detail::driven_kind what, fingerprint call,
                                                  bool is_waited_for) {
        auto& engine = core.engine();
        auto& space = engine.carrier().space();
        end_passed(engine);
        look(engine);
        engine.require_usable(r.as);
        std::optional<typename std::remove_reference_t<decltype(space)>::lane> begun;
        try {  // a peer that fails waits until this kernel's end can be seen
            stay_inside const inside(engine.carrier().base());
            if (!engine.board().stopped()) {
                begun = enqueue_driven(core, r, what, call, [&] {
                    auto const mine = engine.enter(call, call.hash());
                    call.sequence = mine.sequence;
                    call.past = mine.past;
                });
            }
        } catch (transport_error const&) {
            engine.end_kernels();
            throw;
        }
        if (!begun) { engine.require_usable(r.as); }
        auto const lane = *begun;
        auto made = std::make_unique<driven_call<Transport>>(engine, call, r.how.timeout.span());
        [[maybe_unused]] auto const here = space.enter();
        if (lane.captured) {
            made->start_captured();
            engine.finish(call.sequence);
        } else if (is_waited_for) {
            made->start(space.mark(lane.on));
        } else {
            numbers_.push_back(call.sequence);
            if (marked_ == 0 && numbers_.size() >= many) {
                mark_ = space.mark(lane.on);
                marked_ = numbers_.size();
            }
            made->start_behind(mark_, numbers_.size() >= 2 * many);
        }
        engine.add(*made);
        return made;
    }
    /// Tells all what kernels have said that nobody has waited for.
    template <class Engine>
    void look(Engine& e) {
        with_driver(e.carrier(), e.context(),
                    [&](auto const& its) { detail::tell_fault(e, "a call before", its.fault()); });
    }
    /// Waits for all, which end at once where something has failed.
    template <class Engine>
    void close(Engine& e) {
        with_driver(e.carrier(), e.context(), [&](auto const&) {
            if (!e.board().stopped()) { e.carrier().space().drain_if_possible(); }
            look(e);
            if (e.board().stopped()) { e.end_kernels(); }
        });
        if (numbers_.empty()) { return; }
        e.carrier().space().drain_if_possible();
        end(e, numbers_.size());
    }

private:
    /// Of twice as many, one waits for the first ones: a stream that has no room would hold up the
    /// driver's calls of other ranks, whose kernels its own wait for.
    static constexpr std::size_t many = 64;

    /// Of many that are enqueued back to back, those up to the mark.
    template <class Engine>
    void end_passed(Engine& e) {
        if (numbers_.empty()) { return; }
        auto& space = e.carrier().space();
        auto const passed = marked_ != 0 && space.passed(mark_);
        if (space.driven_is_done()) {
            end(e, numbers_.size());
        } else if (passed) {
            end(e, marked_);
        }
    }
    /// The first n.
    template <class Engine>
    void end(Engine& e, std::size_t n) {
        auto const last = numbers_.begin() + static_cast<std::ptrdiff_t>(n);
        std::for_each(numbers_.begin(), last, [&](auto number) { e.finish(number); });
        numbers_.erase(numbers_.begin(), last);
        marked_ = 0;
    }
    std::vector<std::uint64_t> numbers_;
    std::uint64_t mark_ = 0;
    std::size_t marked_ = 0;  // so many of the numbers come before the mark
};
struct no_driven_calls {};
template <class Transport>
using driven_part =
    std::conditional_t<driven_transport<Transport>, driven_calls<Transport>, no_driven_calls>;

}  // namespace collectives
