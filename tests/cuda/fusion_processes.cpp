// SPDX-License-Identifier: BSD-3-Clause
// Tensor fusion in the memory of devices, without a GPU: ranks that are processes, which open each
// other's buckets, and take turns on a device.
#include <cuda/fusion_suite.hpp>
#include <cuda/suite_kernels.hpp>

namespace {

using namespace fake;

bool const more_kernels = cuda::provide_with<launcher, coll::average, float>() &&
                          cuda::provide_with<launcher, coll::average, double>() &&
                          cuda::provide_with<launcher, coll::average, coll::float16>() &&
                          cuda::provide_with<launcher, coll::average, coll::bfloat16>();

}  // namespace

TEST_CASE("fused on devices, processes") {
    for (int const devices : {1, 2}) {
        for (auto const order : {cuda::ordering::events, cuda::ordering::host}) {
            world w;
            w.devices = devices;
            auto const all = [](auto& comm, machine& m, void* stream) {
                for (bool const thread : {false, true}) {
                    fused_bits(comm, m,
                               {.threshold = 2000, .stream = stream, .progress_thread = thread}, 3);
                }
                fused_compressed(comm, m, stream);
                fused_steady(comm, m, stream);
            };
            run_processes(w, 3, with_streams(devices, all), order);
        }
    }
}

TEST_CASE("fused on devices, processes that differ") {
    world w;
    run_processes(w, 3, [&](auto& comm, machine& m) {
        m.use(comm.rank() % w.devices);
        fused_dispute(comm, m, nullptr);
    });
}
