// SPDX-License-Identifier: BSD-3-Clause
// Faults of ranks that are threads.
#include <faults/harness.hpp>
#include <faults/limits.hpp>
#include <faults/observed.hpp>

namespace faults {

kind_of_job const job = on_threads;

TEST_CASE("no more threads: an error, and nobody waits for those that were not started" *
          doctest::skip(slowness > 1)) {
    for (int i = 0; i < repeats(); ++i) {
        clean_room room;
        observation ending;
        {
            limited const small(RLIMIT_AS, address_space_in_use() + (::rlim_t{40} << 20));
            observe(ending, [&] { job.run(16, [](coll::communicator& comm) { comm.barrier(); }); });
        }
        CAPTURE(ending.what());
        CHECK_EQ(ending.caught, outcome::foreign);  // std::system_error
        CHECK_LT(ending.seconds, 1);
    }
}

TEST_CASE("communicators that go take with them what peers read" * doctest::skip(slowness > 1)) {
    clean_room room;
    job.run(2, [](coll::communicator& comm) {
        // What is written in cells, beside them, and to memory that goes round for runs.
        std::vector<std::uint32_t> data(20'000, 1);
        auto const come_and_go = [&](int times) {
            for (int i = 0; i < times; ++i) {
                auto part = comm.split(0);
                for (auto const n : {std::size_t{10}, std::size_t{1'000}, data.size()}) {
                    std::span const some(data.data(), n);
                    part.all_reduce(some, coll::sum{}, {.algorithm = coll::one_shot{}});
                }
            }
            comm.barrier();
        };
        come_and_go(10);
        auto const before = heap_in_use();
        comm.barrier();
        come_and_go(50);
        auto const after = heap_in_use();
        if (after > before + (1 << 20)) {
            throw std::logic_error(std::to_string(after - before) + " bytes are gone");
        }
        comm.barrier();
    });
}

}  // namespace faults
