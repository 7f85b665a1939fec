// SPDX-License-Identifier: BSD-3-Clause
#include "mpi.hpp"

#include "command.hpp"
#include "model.hpp"
#include "network.hpp"
#include "traffic.hpp"

#include <collectives/algorithm/all.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace coll_wire {
namespace {

struct run_of_mpi {
    double seconds = 0;
    std::vector<link_bytes> links;  // of one call, by host
};

/// The launcher stays beside the hosts and talks to ranks by pipes: nothing but what ranks say to
/// each other goes over links.
std::vector<std::string> command_of(network const& net, question const& q,
                                    std::string const& program, int calls) {
    std::vector<std::string> words{"mpiexec.mpich"};
    auto const segment =
        q.segment == coll::chosen_segment ? std::string("-1") : fmt::format("{}", q.segment);
    for (int h = 0; h < net.hosts(); ++h) {
        if (h > 0) { words.emplace_back(":"); }
        for (auto const& word :
             {std::string("-n"), std::string("1"), std::string("nsenter"), "--net=" + net.path(h),
              std::string("unshare"), std::string("--mount"), std::string("sh"), std::string("-c"),
              std::string("mount -t sysfs sysfs /sys && exec \"$0\" \"$@\""), program,
              coll::name(q.algorithm), fmt::format("{}", q.bytes), segment,
              fmt::format("{}", calls)}) {
            words.push_back(word);
        }
    }
    return words;
}

run_of_mpi run(network const& net, question const& q, std::string const& program, int calls) {
    std::vector<link_count> before;
    for (int h = 0; h < net.hosts(); ++h) { before.push_back(net.count(h)); }
    auto const said = output_of(command_of(net, q, program, calls), [&] {
        ::setenv("UCX_TLS", "tcp,self", 1);
        ::setenv("UCX_NET_DEVICES", network::interface, 1);
        ::setenv("MPIR_CVAR_NOLOCAL", "1", 1);  // else ranks would find each other in memory
    });
    run_of_mpi result;
    int made = 0;
    auto const at = said.find("seconds ");
    if (at == said.npos ||
        std::sscanf(said.c_str() + at, "seconds %lf calls %d", &result.seconds, &made) != 2) {
        throw std::runtime_error(program + " said: " + said);
    }
    for (int h = 0; h < net.hosts(); ++h) {
        result.links.push_back(
            link_bytes::of(before[static_cast<std::size_t>(h)], net.count(h), made));
    }
    return result;
}

}  // namespace

std::vector<answer> measure_mpi(wire const& over, std::vector<question> const& questions,
                                std::string const& program) {
    network const net(over.hosts, over.bits_per_second);
    wire_model model(over);
    auto const probe = [&](coll::any_algorithm a) {
        return run(net, {a, wire_model::probe_bytes, 0}, program, 20).seconds;
    };
    auto const ring = probe(coll::ring{});
    model.fit(ring, probe(coll::two_shot{}));
    std::vector<answer> answers;
    for (auto const& q : questions) {
        answer a;
        a.of = q;
        a.over = over;
        a.transport = carrier::mpi;
        a.predicted = model.seconds(q);
        a.bound = model.bound(q.bytes);
        a.round = model.round();
        a.message = model.message();
        a.samples = std::clamp(static_cast<int>(4 / a.predicted), 1, 9);
        auto const measured = run(net, q, program, a.samples);
        a.seconds = measured.seconds;
        find_worst_link(a, measured.links);
        answers.push_back(a);
    }
    return answers;
}

}  // namespace coll_wire
