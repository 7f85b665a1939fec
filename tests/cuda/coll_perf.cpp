// SPDX-License-Identifier: BSD-3-Clause
// coll_perf's driver for devices, without a GPU: it measures what it is asked to, and its results
// are right.
#include "../../bench/peers/member.hpp"
#include "../../bench/peers/our_cuda.hpp"

#include <cuda/suite_kernels.hpp>
#include <cuda/worlds.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace coll = collectives;
using known = peers::known_calls<std::tuple<float>, std::tuple<coll::sum>>;

/// Zeroed, and shared with processes.
class shared_memory {
public:
    explicit shared_memory(std::size_t bytes) : bytes_(bytes) {
        at_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (at_ == MAP_FAILED) { throw std::runtime_error("mmap"); }
    }
    shared_memory(shared_memory const&) = delete;
    shared_memory& operator=(shared_memory const&) = delete;
    ~shared_memory() { ::munmap(at_, bytes_); }
    void* at() const { return at_; }

private:
    std::size_t bytes_;
    void* at_;
};

peers::measured_case one_of(char const* collective, std::size_t count, bool in_place) {
    peers::measured_case c;
    c.collective = collective;
    c.count = count;
    c.in_place = in_place;
    c.batch = 2;
    return c;
}

}  // namespace

TEST_CASE("coll_perf's driver on devices: threads and processes, own and allocated memory") {
    std::vector<peers::measured_case> cases;
    for (auto const* const what : {"all_reduce", "reduce_scatter", "all_gather", "broadcast"}) {
        cases.push_back(one_of(what, 3'000, std::string(what) == "broadcast"));
    }
    cases.push_back(one_of("all_reduce", 10, true));
    cases.push_back(one_of("all_reduce", 10, false));
    cases.back().type = "double";  // is not asked for: left out
    for (bool const threads : {true, false}) {
        for (bool const allocated : {false, true}) {
            CAPTURE(threads);
            CAPTURE(allocated);
            peers::settings how;
            how.ranks = 3;
            how.iterations = 4;
            how.warmup = 1;
            how.controls = true;
            how.allocated = allocated;
            fake::world w;
            shared_memory const memory(peers::board::bytes_for(how.ranks, how.iterations));
            shared_memory const said(1 << 16);
            auto* const text = static_cast<char*>(said.at());  // from a process, perhaps
            peers::measure_on_devices<known>(
                threads, [&w] { return std::make_shared<fake::machine>(w); },
                {memory.at(), how.ranks, how.iterations, false}, how, cases,
                [text](std::string const& line) {
                    std::string const all = text + line + "\n";
                    all.copy(text, all.size());
                });
            std::istringstream lines(text);
            std::size_t n = 0;
            for (std::string line; std::getline(lines, line); ++n) {
                peers::case_result r;
                REQUIRE(peers::read_result(line, r));
                CHECK(r.index == n);
                CHECK(r.wrong == 0);
                for (auto const& list : {r.samples, r.copies, r.copies_past_cache, r.round_trips}) {
                    REQUIRE(list.size() == 4);
                    for (auto const t : list) { CHECK(t > 0); }
                }
            }
            CHECK(n == cases.size() - 1);
        }
    }
}

TEST_CASE("how ranks share devices") {
    CHECK(peers::sharing(1, 1) == "1 rank, a GPU of its own");
    CHECK(peers::sharing(4, 1) == "4 ranks sharing one GPU");
    CHECK(peers::sharing(4, 2) == "4 ranks sharing 2 GPUs");
    CHECK(peers::sharing(4, 4) == "4 ranks, a GPU each");
}

TEST_CASE("coll_perf's driver on devices: ranks that a launcher's ranks have started") {
    peers::settings how;
    how.ranks = 3;
    how.iterations = 4;
    fake::world w;
    shared_memory const memory(peers::board::bytes_for(how.ranks, how.iterations));
    shared_memory const said(1 << 16);
    auto* const text = static_cast<char*>(said.at());
    auto const folder = "coll_perf_test." + std::to_string(::getpid());
    auto const live = [&](int rank) {
        ::setenv("PMI_RANK", "6", 1);  // the launcher has started more
        ::setenv("PMI_SIZE", "8", 1);
        ::setenv("COLLECTIVES_RANK", "6", 1);
        ::setenv("COLLECTIVES_SIZE", "8", 1);
        auto base = peers::join_members(std::to_string(rank).c_str(), how.ranks, folder.c_str());
        peers::measure_on_next_device<known>(
            base, std::make_shared<fake::machine>(w),
            {memory.at(), how.ranks, how.iterations, false}, how,
            {one_of("all_reduce", 3'000, false)},
            [text](std::string const& line) { line.copy(text, line.size()); });
    };
    std::vector<::pid_t> children;
    for (int rank = 0; rank < how.ranks; ++rank) {
        children.push_back(::fork());
        if (children.back() != 0) { continue; }
        try {
            live(rank);
        } catch (std::exception const& e) {
            static_cast<void>(std::fprintf(stderr, "rank %d: %s\n", rank, e.what()));
            ::_exit(1);
        }
        ::_exit(0);
    }
    for (auto const child : children) {
        int status = 1;
        ::waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    peers::case_result r;
    REQUIRE(peers::read_result(text, r));
    CHECK(r.wrong == 0);
    CHECK(r.samples.size() == 4);
}
