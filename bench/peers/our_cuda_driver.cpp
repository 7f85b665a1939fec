// SPDX-License-Identifier: BSD-3-Clause
// Measures this library on devices for coll_perf: our_cuda threads|processes and what coll_perf
// asks of every driver, or as one rank with `--as-member RANK FOLDER` before that; or `our_cuda
// ranks N`, which says how N ranks share the devices. Status 77 where there is none.
#include "member.hpp"
#include "our_cuda.hpp"

#include <collectives/cuda.hpp>

#include <string_view>

namespace {

namespace coll = collectives;

using known = peers::known_calls<
    std::tuple<float, double, coll::float16, coll::bfloat16, std::int32_t, std::int64_t>,
    std::tuple<coll::sum, coll::max>>;

/// Asks in a process of its own: no process that forks may have called CUDA before.
int say_sharing(int ranks) {
    std::string why;
    auto const devices = coll::cuda::runtime_calls::get()->devices(why);
    std::cout << (devices == 0 ? why : peers::sharing(ranks, devices)) << std::endl;
    return devices == 0 ? 77 : 0;
}

void tell(std::string const& line) { std::cout << line << std::endl; }

int measure_as_member(char** argv, peers::order const& o) {
    auto const calls = coll::cuda::runtime_calls::get();
    std::string why;
    if (calls->devices(why) == 0) {
        std::cerr << why << std::endl;
        return 77;
    }
    auto base = peers::join_members(argv[2], o.how.ranks, argv[3]);
    peers::measure_on_next_device<known>(base, calls, o.meet(o.how.ranks), o.how, o.cases, tell);
    return 0;
}

int measure(bool threads, peers::order const& o) {
    peers::measure_on_devices<known>(
        threads, [] { return coll::cuda::runtime_calls::get(); }, o.meet(o.how.ranks), o.how,
        o.cases, tell);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        load::inherit();
        std::string_view const as = argc < 3 ? "" : argv[1];
        if (as == "ranks") { return say_sharing(std::atoi(argv[2])); }
        if (coll_perf::is_member(argc, argv)) {
            return measure_as_member(argv, peers::order::read(argc, argv, 4));
        }
        if (as != "threads" && as != "processes") {
            throw std::runtime_error("to be started by coll_perf");
        }
        return measure(as == "threads", peers::order::read(argc - 1, argv + 1));
    } catch (std::exception const& e) {
        std::cerr << e.what() << std::endl;
        return 1;
    }
}
