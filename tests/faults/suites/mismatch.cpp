// SPDX-License-Identifier: BSD-3-Clause
// One rank calls something else: every rank gets a mismatch_error that names two ranks and both
// values, nobody hangs, and nothing outside the buffers is written.
#include <faults/mismatch.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace faults {

TEST_CASE("another count") {
    for (auto const& v : variety()) {
        check_mismatch(v, std::to_string(v.count + 1), std::to_string(v.count),
                       [&](coll::communicator& comm, bool odd) {
                           guarded<float> data(odd ? v.count + 1 : v.count);
                           comm.all_reduce(data.span(), coll::sum{}, v.how);
                       });
    }
}

TEST_CASE("another count, in memory that peers reach") {
    for (auto const& v : variety()) {
        check_mismatch(v, std::to_string(v.count + 1), std::to_string(v.count),
                       [&](coll::communicator& comm, bool odd) {
                           auto const n = odd ? v.count + 1 : v.count;
                           auto memory = comm.allocate<float>(v.count + 2);

                           comm.all_reduce(std::span(memory).first(n), coll::sum{}, v.how);
                       });
    }
}

TEST_CASE("another count of a broadcast, a reduction, blocks") {
    for (auto const& v : variety()) {
        auto const last = v.size - 1;
        auto const count = [&v](bool odd) { return odd ? v.count + 7 : v.count; };
        auto const odd_value = std::to_string(count(true)), value = std::to_string(count(false));
        check_mismatch(v, odd_value, value, [&](coll::communicator& comm, bool odd) {
            guarded<int> data(count(odd));
            comm.broadcast(data.span(), last, v.how);
        });
        check_mismatch(v, odd_value, value, [&](coll::communicator& comm, bool odd) {
            std::vector<int> const in(count(odd));
            guarded<int> out(comm.rank() == last ? in.size() : 0);
            comm.reduce(in, out.span(), coll::sum{}, last, v.how);
        });
        check_mismatch(v, odd_value, value, [&](coll::communicator& comm, bool odd) {
            auto const whole = count(odd);
            std::vector<int> const in(coll::block(whole, v.size, comm.rank()).size);
            guarded<int> out(whole);
            comm.all_gather(in, out.span(), v.how);
        });
    }
}

TEST_CASE("another block than the root's vector has for a rank that hears its length late") {
    stories of(4);
    job.run(4, [&](coll::communicator& comm) {
        std::vector<int> const in(comm.rank() == 3 ? 3 : 2);
        std::vector<int> out(comm.rank() == 0 ? 8 : 0);
        observe(of.at(comm).call, [&] {
            comm.gather(in, out, 0, {.algorithm = coll::tree{}});  // it passes blocks on
            comm.barrier();
        });
    });
    for (auto const& s : of) {
        CAPTURE(s.call.what());
        CHECK_EQ(s.call.caught, outcome::mismatch);
        CHECK(s.call.says(
            ": gather #1: rank 0 has 8 elements in all, so rank 3's block is 2, not 3"));
    }
}

TEST_CASE("another cut: the same counts at other places") {
    for (auto const& v : variety()) {
        auto const p = static_cast<std::size_t>(v.size);
        std::vector<int> const counts(p, 3);
        std::vector<std::size_t> first(p);
        for (std::size_t r = 0; r < p; ++r) { first[r] = 4 * r; }
        auto const firsts = [&](bool odd) {
            auto result = first;
            result.front() += odd ? 1 : 0;
            return result;
        };
        // The lower of the two ranks has "one", the other "another".
        check_mismatch(v, "", "", [&](coll::communicator& comm, bool odd) {
            std::vector<int> const in(3);
            guarded<int> out(4 * p);
            comm.all_gather(in, out.span(), coll::cut{counts, firsts(odd)}, v.how);
        });
        check_mismatch(v, "", "", [&](coll::communicator& comm, bool odd) {
            std::vector<int> const in(4 * p);
            guarded<int> out(3);
            comm.reduce_scatter(in, out.span(), coll::cut{counts, firsts(odd)}, coll::sum{}, v.how);
        });
    }
}

TEST_CASE("another type of the same size") {
    for (auto const& v : variety()) {
        check_mismatch(v, "float", "int", [&](coll::communicator& comm, bool odd) {
            guarded<int> whole(v.count);
            guarded<float> real(v.count);
            if (odd) {
                comm.all_reduce(real.span(), coll::sum{}, v.how);
            } else {
                comm.all_reduce(whole.span(), coll::sum{}, v.how);
            }
        });
    }
}

TEST_CASE("another operator, or the same in another state") {
    for (auto const& v : variety()) {
        check_mismatch(v, "max", "sum", [&](coll::communicator& comm, bool odd) {
            guarded<double> data(v.count);
            if (odd) {
                comm.all_reduce(data.span(), coll::max{}, v.how);
            } else {
                comm.all_reduce(data.span(), coll::sum{}, v.how);
            }
        });
        check_mismatch(
            v, "premultiplied_sum", "premultiplied_sum", [&](coll::communicator& comm, bool odd) {
                guarded<double> data(v.count);
                comm.all_reduce(data.span(), coll::premultiplied_sum{odd ? 2.0 : 3.0}, v.how);
            });
    }
}

TEST_CASE("another operator of a scan, in which the first rank waits for nobody") {
    for (auto const& v : variety()) {
        check_mismatch(v, "max", "sum", [&](coll::communicator& comm, bool odd) {
            guarded<float> data(v.count);
            odd ? comm.scan(data.span(), coll::max{}, v.how)
                : comm.scan(data.span(), coll::sum{}, v.how);
        });
        check_mismatch(v, "exscan", "scan", [&](coll::communicator& comm, bool odd) {
            guarded<float> data(v.count);
            odd ? comm.exscan(data.span(), coll::sum{}, v.how)
                : comm.scan(data.span(), coll::sum{}, v.how);
        });
    }
}

TEST_CASE("another root") {
    for (auto const& v : variety()) {
        auto const root = [&v](bool odd) { return odd ? 0 : v.size - 1; };
        auto const value = std::to_string(v.size - 1);
        check_mismatch(v, "0", value, [&](coll::communicator& comm, bool odd) {
            guarded<int> data(v.count);
            comm.broadcast(data.span(), root(odd), v.how);
        });
        check_mismatch(v, "0", value, [&](coll::communicator& comm, bool odd) {
            guarded<int> in(v.count), out(v.count);
            comm.reduce(in.span(), out.span(), coll::sum{}, root(odd), v.how);
        });
        check_mismatch(v, "0", value, [&](coll::communicator& comm, bool odd) {
            std::vector<int> const in(coll::block(v.count, v.size, comm.rank()).size);
            guarded<int> out(v.count);
            comm.gather(in, out.span(), root(odd), v.how);
        });
    }
}

TEST_CASE("another algorithm, another segment, another wish for reproducible bits") {
    for (auto const& v : variety()) {
        check_mismatch(v, "circulant", "two_shot", [&](coll::communicator& comm, bool odd) {
            auto how = v.how;
            how.algorithm = odd ? coll::any_algorithm(coll::circulant{}) : coll::two_shot{};
            guarded<int> data(v.count);
            comm.all_reduce(data.span(), coll::sum{}, how);
        });
        check_mismatch(v, "4096", "65536", [&](coll::communicator& comm, bool odd) {
            auto how = v.how;
            how.segment = odd ? 4096 : 65536;
            guarded<int> data(v.count);
            comm.all_reduce(data.span(), coll::sum{}, how);
        });
        check_mismatch(v, "true", "false", [&](coll::communicator& comm, bool odd) {
            auto how = v.how;
            how.algorithm = coll::two_shot{};
            how.reproducible = odd;
            guarded<int> data(v.count);
            comm.all_reduce(data.span(), coll::sum{}, how);
        });
    }
}

TEST_CASE("another collective") {
    for (auto const& v : variety()) {
        check_mismatch(v, "barrier", "all_reduce", [&](coll::communicator& comm, bool odd) {
            guarded<int> data(v.count);
            if (odd) {
                comm.barrier(v.how);
            } else {
                comm.all_reduce(data.span(), coll::sum{}, v.how);
            }
        });
        check_mismatch(v, "broadcast", "all_reduce", [&](coll::communicator& comm, bool odd) {
            guarded<int> data(v.count);
            if (odd) {
                comm.broadcast(data.span(), 0, v.how);
            } else {
                comm.all_reduce(data.span(), coll::sum{}, v.how);
            }
        });
        check_mismatch(v, "split", "allocate", [&](coll::communicator& comm, bool odd) {
            if (odd) {
                (void)comm.split(0);
            } else {
                (void)comm.allocate<int>(v.count);
            }
        });
    }
}

TEST_CASE("the same collectives in another order, with several under way") {
    for (auto const& v : variety()) {
        CAPTURE(v.text());
        clean_room room;
        stories of(v.size);
        tell(of, v.size, [&](coll::communicator& comm) {
            guarded<int> a(v.count), b(v.count);
            if (comm.rank() == v.odd) {
                auto second = comm.start_broadcast(b.span(), 0, v.how);
                auto first = comm.start_all_reduce(a.span(), coll::sum{}, v.how);
                coll::wait_all(first, second);
            } else {
                auto first = comm.start_all_reduce(a.span(), coll::sum{}, v.how);
                auto second = comm.start_broadcast(b.span(), 0, v.how);
                coll::wait_all(first, second);
            }
        });
        check_broken(of, outcome::mismatch);
        auto const& e = of[0].error();
        CHECK(e.says("rank " + std::to_string(v.odd) + " has "));
        CHECK(e.says("has all_reduce"));
        CHECK(e.says("has broadcast"));
    }
}

TEST_CASE("another amount of allocated memory") {
    for (auto const& v : variety()) {
        check_mismatch(v, std::to_string(v.count + 1), std::to_string(v.count),
                       [&](coll::communicator& comm, bool odd) {
                           (void)comm.allocate<int>(odd ? v.count + 1 : v.count);
                       });
    }
}

TEST_CASE("a mismatch that comes late finds everybody asleep") {
    for (auto const& v : variety()) {
        check_mismatch(v, std::to_string(v.count + 1), std::to_string(v.count),
                       [&](coll::communicator& comm, bool odd) {
                           if (odd) { std::this_thread::sleep_for(60ms); }
                           guarded<int> data(odd ? v.count + 1 : v.count);
                           comm.all_reduce(data.span(), coll::sum{}, v.how);
                       });
    }
}

TEST_CASE("a mismatch that the root has left far behind") {
    for (auto const& v : variety()) {
        for (std::size_t const count : {std::size_t{2}, std::size_t{100}, std::size_t{3000}}) {
            CAPTURE(count);
            check_mismatch(v, std::to_string(count), "1", [&](coll::communicator& comm, bool odd) {
                for (int call = 0; call < job.calls_ahead; ++call) {
                    guarded<float> data(odd && call == 3 ? count : 1);
                    comm.broadcast(data.span(), (v.odd + 1) % v.size, {.timeout = 20s});
                }
            });
        }
    }
}

}  // namespace faults
