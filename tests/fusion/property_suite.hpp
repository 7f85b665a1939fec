// SPDX-License-Identifier: BSD-3-Clause
// Random tensors, thresholds, flushes and waits: every result is right.
#pragma once

#include <fusion/results_suite.hpp>

#include <rapidcheck.h>

namespace fusion_tests {

template <class World>
bool random_steps() {
    return rc::check("fusion", [](std::vector<std::uint16_t> const& program) {
        auto const size = *rc::gen::element(1, 2, 3, 5);
        auto const threshold = *rc::gen::element<std::size_t>(0, 40, 400, 4000, 64 << 20);
        auto const thread = *rc::gen::arbitrary<bool>();
        World::run(size, [&](auto& comm) {
            coll::fusion_buffer fusion(comm, {.threshold = threshold, .progress_thread = thread});
            std::vector<any_tensor> tensors;
            for (auto const x : program) { tensors.emplace_back(x % 3, x / 8 % 200U); }
            using handle = decltype(fusion.add(tensors[0].floats));
            std::vector<handle> handles;
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

}  // namespace fusion_tests
