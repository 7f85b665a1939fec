// SPDX-License-Identifier: BSD-3-Clause
// Random tensors, thresholds, flushes and waits, and random changes from step to step: every result
// is right.
#pragma once

#include <fusion/tensors.hpp>

#include <rapidcheck.h>

#include <string_view>

namespace fusion_tests {

inline bool random_steps(world const& over) {
    return rc::check("fusion", [&](std::vector<std::uint16_t> const& program) {
        auto const size = *rc::gen::element(1, 2, 3, 5);
        auto const threshold = *rc::gen::element<std::size_t>(0, 40, 400, 4000, 64 << 20);
        auto const thread = *rc::gen::arbitrary<bool>();
        over.run(size, [&](coll::communicator& comm) {
            coll::fusion_buffer fusion(comm, {.threshold = threshold, .progress_thread = thread});
            std::vector<any_tensor> tensors;
            for (auto const x : program) { tensors.emplace_back(x % 3, x / 8 % 200U); }
            std::vector<coll::fused_tensor> handles;
            for (int step = 0; step < 2; ++step) {
                handles.clear();
                for (std::size_t i = 0; i < program.size(); ++i) {
                    auto& t = tensors[i];
                    t.fill(comm.rank(), i);
                    handles.push_back(t.visit([&](auto& v) { return fusion.add(v); }));
                    if (program[i] % 16 == 7) { fusion.flush(); }
                    if (program[i] % 16 == 3) {
                        auto const which = program[i] / 16 % handles.size();
                        handles[which].wait();
                        expect(handles[which].test(), "waited for");
                        tensors[which].require_sum(comm.size(), which);
                    }
                }
                fusion.flush();
                for (std::size_t i = 0; i < program.size(); ++i) {
                    expect(handles[i].test(), "flushed");
                    tensors[i].require_sum(comm.size(), i);
                }
            }
        });
    });
}

/// Steps like the one before but for a change: what comes again is recognised by where it lies,
/// which is not the same on all ranks, and yet all must have the same buckets.
inline bool steps_nearly_alike(world const& over) {
    return rc::check("nearly alike", [&](std::vector<std::uint16_t> const& changes) {
        enum change {
            ends_here = 3,
            lies_elsewhere,
            grows,
            has_name,
            waits,
            waits_for_first,
            kinds
        };
        auto const size = *rc::gen::element(1, 2, 3);
        auto const threshold = *rc::gen::element<std::size_t>(40, 400, 4000, 64 << 20);
        auto const types = *rc::gen::element(1, 8, 2);  // every so many, one is of another type
        auto const n = *rc::gen::inRange<std::size_t>(1, 12);
        auto const priorities = *rc::gen::arbitrary<bool>();
        over.run(size, [&](coll::communicator& comm) {
            coll::fusion_buffer fusion(comm, {.threshold = threshold, .priorities = priorities});
            std::vector<any_tensor> here, elsewhere, larger;
            for (std::size_t i = 0; i < n; ++i) {
                auto const type = static_cast<int>(i) % types == 1 ? 1 : 0;
                here.emplace_back(type, i % 5);
                elsewhere.emplace_back(type, i % 5);
                larger.emplace_back(type, i % 5 + 20);
            }
            for (auto const x : changes) {
                auto const what = x % kinds;
                auto const place = x / kinds % n;
                auto const count = what == ends_here ? place : n;
                std::vector<any_tensor*> used;
                std::vector<coll::fused_tensor> handles;
                for (std::size_t i = 0; i < count; ++i) {
                    auto const is_other = i == place && x % size == comm.rank();
                    auto& t = i == place && what == grows          ? larger[i]
                              : is_other && what == lies_elsewhere ? elsewhere[i]
                                                                   : here[i];
                    t.fill(comm.rank(), x + i);
                    used.push_back(&t);
                    std::string_view const name = i == place && what == has_name ? "named" : "";
                    auto handle =
                        t.visit([&](auto& v) { return fusion.add(v, name, static_cast<int>(i)); });
                    handles.push_back(handle);
                    if (i != place || (what != waits && what != waits_for_first)) { continue; }
                    auto const which = what == waits ? i : 0;
                    handles[which].wait();
                    used[which]->require_sum(comm.size(), x + which);
                }
                fusion.flush();
                for (std::size_t i = 0; i < count; ++i) {
                    used[i]->require_sum(comm.size(), x + i);
                }
            }
        });
    });
}

}  // namespace fusion_tests
