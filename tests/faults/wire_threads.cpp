// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that share no memory and are threads, so that the thread sanitizer sees them.
#include <conformance/thread_link.hpp>

#include <faults/harness.hpp>
#include <faults/observed.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace faults {

kind_of_job const job{
    [](int size, rank_body const& body) { conformance::over_thread_link::run(size, body); }, false,
    40, 20ms};

TEST_CASE("abort on the thread that made a communicator, beside one that sends and receives") {
    for (int i = 0; i < 20 * repeats(); ++i) {
        shared_array<observation> of(2);
        job.run(2, [&](coll::communicator& comm) {
            auto& mine = of.at(comm);
            std::thread worker([&] {
                observe(mine, [&] {
                    std::vector<int> data(1);
                    for (;;) {
                        comm.send(data, 1 - comm.rank(), 3);
                        comm.recv(data, 1 - comm.rank(), 3);
                    }
                });
            });
            std::this_thread::sleep_for(std::chrono::microseconds(i * 150 % 4000));
            if (comm.rank() == 0) { comm.abort("enough"); }
            worker.join();
        });
        for (auto const& seen : of) {
            CHECK_EQ(seen.caught, outcome::other_error);
            CHECK(seen.says("enough"));
        }
    }
}

}  // namespace faults
