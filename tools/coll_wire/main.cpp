// SPDX-License-Identifier: BSD-3-Clause
// coll_wire: measures all-reduces between hosts on links of a known rate, beside what they should
// take. Hosts are network name spaces of this machine.
#include "measure.hpp"
#include "mpi.hpp"
#include "network.hpp"
#include "report.hpp"

#include "../algorithms.hpp"
#include "../load/load.hpp"
#include "../numbers.hpp"

#include <CLI/CLI.hpp>
#include <collectives/ucx.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

namespace coll_wire {
namespace {

struct options {
    std::vector<int> hosts{2, 3, 4, 8};
    int ranks_per_host = 1;
    double megabits = 200;
    std::vector<std::size_t> sizes{std::size_t{1} << 20, std::size_t{4} << 20,
                                   std::size_t{16} << 20};
    std::vector<std::string> algorithms{"all"};
    std::string segment = "one", csv, mpi;
};

void declare(CLI::App& app, options& o) {
    app.add_option("--hosts", o.hosts, "numbers of hosts [2,3,4,8]")
        ->delimiter(',')
        ->check(CLI::Range(2, 64));
    app.add_option("--ranks-per-host", o.ranks_per_host, "share its memory and its link [1]")
        ->check(CLI::Range(1, 64));
    app.add_option("--rate", o.megabits, "of each link, each way, in Mbit/s [200]")
        ->check(numbers::from(1, 100000));
    numbers::sizes(
        app.add_option("-b,--bytes", o.sizes, "sizes of the vector [1m,4m,16m]")->delimiter(','));
    app.add_option("--algorithm", o.algorithms,
                   "ring,tree,... or all; where there are several ranks per host also "
                   "hierarchical [all]")
        ->delimiter(',');
    app.add_option("--segment", o.segment, "one, chosen, or bytes [one]")
        ->transform(CLI::Validator(
            [](std::string& text) {
                return text == "one" || text == "chosen" ? std::string() : numbers::size()(text);
            },
            ""));
    app.add_option("--mpi", o.mpi,
                   "over MPICH instead, by bench/wire_mpi/rank.cpp compiled into this program")
        ->option_text("PROGRAM");
    app.add_option("--csv", o.csv, "write what was measured into this file")->option_text("FILE");
    load::option(app);
    app.footer(
        "Needs to be root, or a system that lets users make name spaces; ends with 77 where "
        "it is neither,\n2 on a mistake in the command line. docs/coll_wire.md explains it "
        "all.");
}

std::vector<coll::any_algorithm> algorithms_of(options const& o) {
    if (o.algorithms != std::vector<std::string>{"all"}) {
        std::vector<coll::any_algorithm> named;
        for (auto const& name : o.algorithms) { named.push_back(coll::parse_algorithm(name)); }
        return named;
    }
    auto all = known_algorithms();
    if (o.ranks_per_host > 1) { all.push_back(coll::hierarchical{o.ranks_per_host}); }
    return all;
}

std::vector<question> questions_of(options const& o) {
    std::vector<question> list;
    auto const segment = o.segment == "one"      ? std::size_t{0}
                         : o.segment == "chosen" ? coll::chosen_segment
                                                 : std::stoull(o.segment);
    for (auto const a : algorithms_of(o)) {
        if (a.is_automatic()) { throw coll::usage_error("name an algorithm, not automatic"); }
        for (auto const bytes : o.sizes) {
            if (bytes < sizeof(float)) { throw coll::usage_error("a vector has 4 bytes or more"); }
            list.push_back({a, bytes / sizeof(float) * sizeof(float), segment});
        }
    }
    return list;
}

void run(options const& o) {
    auto const questions = questions_of(o);
    if (!o.mpi.empty() && o.ranks_per_host > 1) {
        throw coll::usage_error("over MPI there is one rank per host");
    }
    fmt::print("# all_reduce of floats over {}, TCP, links of {:g} Mbit/s\n{}",
               o.mpi.empty() ? "UCX" : "MPICH", o.megabits, table_heading());
    std::vector<answer> all;
    for (int const hosts : o.hosts) {
        wire const over{hosts, o.ranks_per_host, o.megabits * 1e6};
        for (auto const& a :
             o.mpi.empty() ? measure(over, questions) : measure_mpi(over, questions, o.mpi)) {
            fmt::print("{}", table_line(a));
            all.push_back(a);
        }
        std::fflush(stdout);
    }
    if (o.csv.empty()) { return; }
    std::ofstream out(o.csv);
    if (!(out << as_csv(all) << std::flush)) { throw std::runtime_error("cannot write " + o.csv); }
}

}  // namespace
}  // namespace coll_wire

int main(int argc, char** argv) {
    coll_wire::options options;
    CLI::App app{"Measures all-reduces between hosts on links of a known rate."};
    coll_wire::declare(app, options);
    try {
        app.parse(argc, argv);
        coll_wire::run(options);
    } catch (CLI::ParseError const& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (coll_wire::not_permitted const& e) {
        fmt::print(stderr, "coll_wire: skipped: {}\n", e.what());
        return 77;
    } catch (collectives::usage_error const& e) {
        fmt::print(stderr, "coll_wire: {}\n", e.what());
        return 2;
    } catch (std::exception const& e) {
        fmt::print(stderr, "coll_wire: {}\n", e.what());
        return 1;
    }
}
