// SPDX-License-Identifier: BSD-3-Clause
// Buckets that overtake others: the highest priority first, the same on all ranks, the same bits.
#include <fusion/suites.hpp>
#include <fusion/tensors.hpp>

#include <chrono>
#include <thread>

namespace fusion_tests {

/// The last tensor has the highest priority: few are through before it.
void priorities(world const& over) {
    constexpr std::size_t n = 40;
    for (bool const thread : {false, true}) {
        over.run(3, [&](coll::communicator& comm) {
            std::vector<std::vector<float>> results;
            for (bool const overtaking : {false, true}) {
                std::vector<std::vector<float>> tensors(n, std::vector<float>(20'000));
                for (std::size_t t = 0; t < n; ++t) {
                    for (std::size_t i = 0; i < tensors[t].size(); ++i) {
                        auto const dice = scramble(t * 100'000 + i) % 977;
                        tensors[t][i] =
                            1.0F / static_cast<float>(static_cast<int>(dice) + 3 * comm.rank() + 1);
                    }
                }
                coll::fusion_buffer fusion(comm, {.threshold = 0,
                                                  .algorithm = coll::ring{},
                                                  .progress_thread = thread,
                                                  .under_way = 1,
                                                  .priorities = overtaking});
                using handle = decltype(fusion.add(tensors[0]));
                std::vector<handle> handles;
                for (std::size_t t = 0; t < n; ++t) {
                    handles.push_back(fusion.add(tensors[t], "tensor", static_cast<int>(t)));
                }
                handles.back().wait();
                std::size_t done = 0;
                for (auto& h : handles) { done += h.test() ? 1U : 0U; }
                // A test moves what is under way, so that some may end meanwhile; and with a thread
                // any number may have gone while others were added.
                expect(overtaking ? thread || done < 3 * n / 4 : done == n,
                       [&] { return std::to_string(done) + " are done"; });
                fusion.flush();
                for (auto& t : tensors) { results.push_back(std::move(t)); }
            }
            for (std::size_t t = 0; t < n; ++t) {
                expect(results[t] == results[n + t], "other bits");
            }
        });
    }
}

/// Tensors become ready at other times on other ranks; priorities are any.
void uneven_ranks(world const& over) {
    for (auto const under_way : {std::size_t{1}, std::size_t{2}, std::size_t{64}}) {
        for (bool const thread : {false, true}) {
            over.run(3, [&](coll::communicator& comm) {
                auto tensors = mixed_tensors(60);
                coll::fusion_buffer fusion(comm, {.threshold = 300,
                                                  .progress_thread = thread,
                                                  .under_way = under_way,
                                                  .priorities = true});
                for (int step = 0; step < 3; ++step) {
                    for (std::size_t i = 0; i < tensors.size(); ++i) {
                        auto& t = tensors[i];
                        t.fill(comm.rank(), i);
                        auto done = t.visit([&](auto& v) {
                            return fusion.add(v, {}, static_cast<int>(scramble(i) % 5));
                        });
                        auto const dice = scramble(i + 1000 * static_cast<unsigned>(comm.rank()));
                        if (dice % 8 == 0) {
                            std::this_thread::sleep_for(std::chrono::microseconds(dice % 1000));
                        }
                        if (step == 1 && i % 25 == 20) { done.wait(); }
                    }
                    fusion.flush();
                    for (std::size_t i = 0; i < tensors.size(); ++i) {
                        tensors[i].require_sum(comm.size(), i);
                    }
                }
                (void)tensors[0].visit([&](auto& v) { return fusion.add(v); });
                // Goes without a flush: it flushes itself.
            });
        }
    }
}

}  // namespace fusion_tests
