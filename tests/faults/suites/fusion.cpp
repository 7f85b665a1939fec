// SPDX-License-Identifier: BSD-3-Clause
// Ranks that add different tensors: an error on all ranks that names the tensor, two ranks and what
// each has.
#include <faults/observed.hpp>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace faults {

using floats = std::vector<float>;
using odd_step =
    std::function<void(coll::fusion_buffer&, bool odd, floats& a, floats& b, floats& c, floats& d)>;

/// Says `part`, or what it says of rank 0 of another one below `ranks`: a late one hears of the
/// mismatch before it has added its tensor, and then others are named.
inline bool says_of_any(observation const& e, std::string const& part, int ranks) {
    std::string const zero = "rank 0 ";
    auto const at = part.find(zero);
    if (at == part.npos) { return e.says(part); }
    for (int r = 0; r < ranks; ++r) {
        auto text = part;
        text.replace(at, zero.size(), "rank " + std::to_string(r) + " ");
        if (e.says(text)) { return true; }
    }
    return false;
}

/// Runs two good steps, then one in which rank `odd` does what `step` lets it do, and checks that
/// every rank is told of a mismatch that says all of `parts`.
inline void check_dispute(int size, coll::fusion_options const& how,
                          std::vector<std::string> const& parts, odd_step const& step) {
    auto const odd = size - 1;
    for (int const good_steps : {0, 2}) {
        clean_room room;
        stories of(size);
        tell(of, size, [&](coll::communicator& comm) {
            std::vector<float> a(100), b(100), c(50), d(5000);
            coll::fusion_buffer fusion(comm, how);
            for (int i = 0; i < good_steps; ++i) {
                (void)fusion.add(a, "a");
                (void)fusion.add(b, "b");
                (void)fusion.add(c, "c");
                (void)fusion.add(d, "d");
                fusion.flush();
            }
            step(fusion, comm.rank() == odd, a, b, c, d);
            fusion.flush();
            comm.barrier();
        });
        check_broken(of, outcome::mismatch);
        for (auto const& s : of) {
            auto const& e = s.error();
            CAPTURE(e.what());
            CHECK_LT(e.seconds, 0.9 * slowness);
            for (auto const& part : parts) {
                CAPTURE(part);
                CHECK(says_of_any(e, part, odd));
            }
        }
    }
}

TEST_CASE("another order, name, size, type; a tensor too few") {
    for (auto const threshold : {std::size_t{1000}, std::size_t{1} << 20}) {
        for (bool const thread : {false, true}) {
            for (int const size : {2, 3}) {
                coll::fusion_options const how{.threshold = threshold, .progress_thread = thread};
                auto const last = "rank " + std::to_string(size - 1) + " has ";
                check_dispute(size, how,
                              {"differs in its name", "rank 0 has 'b' (100 x float)",
                               last + "'c' (50 x float)"},
                              [](auto& fusion, bool odd, auto& a, auto& b, auto& c, auto&) {
                                  (void)fusion.add(a, "a");
                                  if (!odd) { (void)fusion.add(b, "b"); }
                                  (void)fusion.add(c, "c");
                                  if (odd) { (void)fusion.add(b, "b"); }
                              });
                check_dispute(size, how,
                              {"differs in its name", "rank 0 has 'b' (100 x float)",
                               last + "'beta' (100 x float)"},
                              [](auto& fusion, bool odd, auto& a, auto& b, auto&, auto&) {
                                  (void)fusion.add(a, "a");
                                  (void)fusion.add(b, odd ? "beta" : "b");
                              });
                check_dispute(size, how,
                              {"differs in its size", "rank 0 has one without a name (100 x float)",
                               last + "one without a name (50 x float)"},
                              [](auto& fusion, bool odd, auto& a, auto& b, auto& c, auto&) {
                                  (void)fusion.add(a);
                                  (void)fusion.add(odd ? c : b);
                              });
                check_dispute(size, how,
                              {"rank 0 has 'c' (50 x float)",
                               "rank " + std::to_string(size - 1) + " waits after only"},
                              [](auto& fusion, bool odd, auto& a, auto& b, auto& c, auto&) {
                                  (void)fusion.add(a, "a");
                                  (void)fusion.add(b, "b");
                                  if (!odd) { (void)fusion.add(c, "c"); }
                              });
                std::vector<int> whole(100);
                check_dispute(size, how, {"differs in its type", last + "'b' (100 x int)"},
                              [&](auto& fusion, bool odd, auto& a, auto& b, auto&, auto&) {
                                  (void)fusion.add(a, "a");
                                  if (odd) {
                                      (void)fusion.add(whole, "b");
                                  } else {
                                      (void)fusion.add(b, "b");
                                  }
                              });
            }
        }
    }
}

TEST_CASE("a tensor by itself differs") {
    check_dispute(3, {.threshold = 0},
                  {"rank 0 has 'd' (5000 x float)", "rank 2 has 'd' (50 x float)"},
                  [](auto& fusion, bool odd, auto&, auto&, auto& c, auto& d) {
                      (void)fusion.add(odd ? c : d, "d");
                  });
}

TEST_CASE("with priorities: another order, another size, a tensor too few") {
    for (bool const thread : {false, true}) {
        coll::fusion_options const how{
            .threshold = 0, .progress_thread = thread, .under_way = 1, .priorities = true};
        check_dispute(3, how, {"differs in its name", "rank 2 has 'c' (50 x float)"},
                      [](auto& fusion, bool odd, auto& a, auto& b, auto& c, auto&) {
                          (void)fusion.add(a, "a");
                          if (!odd) { (void)fusion.add(b, "b"); }
                          (void)fusion.add(c, "c");
                          if (odd) { (void)fusion.add(b, "b"); }
                      });
        check_dispute(3, how, {"has all_reduce, rank 2 has barrier"},
                      [](auto& fusion, bool odd, auto& a, auto& b, auto& c, auto&) {
                          (void)fusion.add(a, "a");
                          (void)fusion.add(b, "b");
                          if (!odd) { (void)fusion.add(c, "c"); }
                      });
    }
}

TEST_CASE("flushed at another place") {
    check_dispute(3, {}, {"rank 0 has 'b' (100 x float)", "rank 2 waits after only"},
                  [](auto& fusion, bool odd, auto& a, auto& b, auto&, auto&) {
                      (void)fusion.add(a, "a");
                      if (odd) { fusion.flush(); }
                      (void)fusion.add(b, "b");
                  });
}

TEST_CASE("another threshold") {
    clean_room room;
    stories of(2);
    tell(of, 2, [&](coll::communicator& comm) {
        std::vector<float> a(100), b(100);
        coll::fusion_buffer fusion(comm, {.threshold = comm.rank() == 0 ? 500UL : 1000UL});
        (void)fusion.add(a);
        (void)fusion.add(b);
        fusion.flush();
    });
    check_broken(of, outcome::mismatch);
    for (auto const& s : of) {
        CAPTURE(s.error().what());
        CHECK(s.error().says("the threshold differs: rank 0 has 500, rank 1 has 1000"));
    }
}

TEST_CASE("a rank that does something else instead: the tensors of the others are named") {
    clean_room room;
    stories of(3);
    tell(of, 3, [&](coll::communicator& comm) {
        std::vector<float> a(100);
        coll::fusion_buffer fusion(comm);
        if (comm.rank() == 1) {
            comm.barrier();
        } else {
            (void)fusion.add(a, "weights");
            fusion.flush();
        }
    });
    check_broken(of, outcome::mismatch);
    for (int const r : {0, 2}) {
        CAPTURE(of[r].error().what());
        CHECK(of[r].error().says("rank 1 has barrier"));
        CHECK(of[r].error().says("was at tensor 0 'weights' (100 x float)"));
    }
}

/// Its encoder throws an Error on one rank.
template <class Error>
struct failing_codec {
    static inline thread_local bool fails = false;
    static coll::bfloat16 encode(float x) {
        if (fails) { throw Error("no bits left"); }
        return static_cast<coll::bfloat16>(x);
    }
    static float decode(coll::bfloat16 x) { return static_cast<float>(x); }
};

template <class Error>
void check_failing_codec(outcome expected) {
    using codec = failing_codec<Error>;
    clean_room room;
    stories of(3);
    tell(of, 3, [&](coll::communicator& comm) {
        codec::fails = comm.rank() == 1;
        std::vector<float> a(100);
        coll::fusion_buffer fusion(comm,
                                   {.compress = coll::compress<float, coll::bfloat16, codec>()});
        (void)fusion.add(a, "weights");
        fusion.flush();
    });
    CHECK_EQ(of[1].call.caught, expected);
    for (int const r : {0, 2}) {
        CAPTURE(of[r].error().what());
        CHECK_EQ(of[r].error().caught, outcome::peer_lost);
        CHECK_EQ(of[r].error().peer, 1);
        CHECK(of[r].error().says("fused all_reduce: on rank 1: no bits left"));
        CHECK_LT(of[r].error().seconds, 0.9 * slowness);
    }
}

TEST_CASE("what fails on one rank alone is told to the others at once") {
    check_failing_codec<std::runtime_error>(outcome::foreign);
    check_failing_codec<coll::usage_error>(outcome::usage);
}

TEST_CASE("a rank that comes too late, and one that has gone") {
    for (bool const thread : {false, true}) {
        clean_room room;
        stories of(3);
        tell(of, 3, [&](coll::communicator& comm) {
            std::vector<float> a(100);
            coll::fusion_buffer fusion(comm, {.timeout = 200ms, .progress_thread = thread});
            if (comm.rank() == 1) { std::this_thread::sleep_for(500ms); }
            (void)fusion.add(a, "weights");
            fusion.flush();
        });
        check_broken(of, outcome::timeout);
        for (auto const& s : of) {
            CAPTURE(s.error().what());
            CHECK(s.error().misses({1}));
            CHECK(s.error().says("weights"));
        }
        stories others(3);
        tell(others, 3, [&](coll::communicator& comm) {
            std::vector<float> a(100);
            coll::fusion_buffer fusion(comm, {.progress_thread = thread});
            if (comm.rank() == 1) { throw coll::usage_error("it has enough"); }
            (void)fusion.add(a, "weights");
            fusion.flush();
        });
        for (int const r : {0, 2}) {
            CHECK_EQ(others[r].error().caught, outcome::mismatch);  // it calls barriers instead
        }
    }
}

}  // namespace faults
