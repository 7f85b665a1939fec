// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "../numbers.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace collrun {

namespace {

constexpr auto* description =
    "Starts the ranks of a job on this machine and waits for them.\n\n"
    "    collrun -n 4 ./program argument...\n\n"
    "Each rank finds its number and how to meet the others in its environment: coll::shm::join(),\n"
    "coll::ucx::join() and coll::meet() know where to look. What is typed goes to rank 0; the "
    "others'\n"
    "standard input is empty. Lines of output are marked with their rank.\n";

constexpr auto* footer =
    "When a rank fails, the others get SIGTERM, and SIGKILL after the grace time. SIGINT, "
    "SIGTERM,\n"
    "SIGHUP, SIGUSR1 and SIGUSR2 are passed on to the ranks. If collrun itself is killed, so are\n"
    "they.\n\n"
    "Exit status: 0 if all ranks ended with 0; else that of the rank that failed first, or 128 + "
    "its\n"
    "signal; 127 if there is no such program, 126 if it cannot be run, 2 for a wrong command "
    "line.\n";

}  // namespace

std::optional<options> parse(int argc, char** argv, int& status) {
    CLI::App app(description, "collrun");
    app.footer(footer);
    app.prefix_command();
    options o;
    double grace = 5;
    bool no_prefix = false;
    std::string bound_to = "none";
    app.add_option("-n,--ranks", o.ranks, "how many ranks")->required()->check(CLI::Range(1, 4096));
    app.add_option("-t,--transport", o.transport,
                   "sets COLLECTIVES_TRANSPORT, for programs that leave the choice to it")
        ->check(CLI::IsMember({"shm", "ucx"}));
    app.add_option(
           "--bind", bound_to,
           "where ranks run: each on a core of its own, on the processors of a NUMA node, or "
           "anywhere: core, numa or none")
        ->check(CLI::IsMember({"core", "numa", "none"}))
        ->capture_default_str();
    app.add_flag("--report-bindings", o.report_bindings, "say where each rank runs");
    app.add_flag("--no-prefix", no_prefix, "leave the ranks' output as it is");
    app.add_option("--grace", grace, "seconds between SIGTERM and SIGKILL")
        ->check(numbers::from(0, 1e6))
        ->capture_default_str();
    app.add_flag("-q,--quiet", o.quiet, "do not say which rank failed");
    try {
        app.parse(argc, argv);
    } catch (CLI::ParseError const& e) {
        status = app.exit(e) == 0 ? 0 : 2;
        return {};
    }
    o.prefix = !no_prefix;
    o.bound_to = binding::parse_unit(bound_to);
    o.grace = std::chrono::milliseconds(static_cast<int>(grace * 1000));
    o.command = app.remaining();
    auto const marked = !o.command.empty() && o.command.front() == "--";
    if (marked) { o.command.erase(o.command.begin()); }
    if (o.command.empty() || o.command.front().empty()) {
        fmt::print(stderr, "collrun: which program? See collrun --help\n");
        status = 2;
        return {};
    }
    if (!marked && o.command.front().front() == '-') {
        fmt::print(stderr, "collrun: there is no option {}. See collrun --help\n",
                   o.command.front());
        status = 2;
        return {};
    }
    return o;
}

}  // namespace collrun
