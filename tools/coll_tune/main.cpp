// SPDX-License-Identifier: BSD-3-Clause
// Measures the prices by which `automatic` chooses, writes them down, and shows how well they
// predict: each algorithm's time beside its prediction, and what the choice loses.
#include "table.hpp"

#include "../load/load.hpp"
#include "../numbers.hpp"

#include <CLI/CLI.hpp>
#include <collectives/collectives.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

int main(int argc, char** argv) {
    CLI::App app("Measures the prices by which `automatic` chooses an algorithm on this machine.");
    int ranks = 2;
    std::string transport = "shm", file;
    tune::range sizes;
    bool check = false;
    app.add_option("-n,--ranks", ranks, "ranks")->check(CLI::Range(2, 1024))->capture_default_str();
    app.add_option("-t,--transport", transport, "threads or shm")
        ->check(CLI::IsMember({"threads", "shm"}))
        ->capture_default_str();
    app.add_option("-w,--write", file,
                   "write the prices to this file, for COLLECTIVES_MODEL to name");
    app.add_flag("-c,--check", check, "measure each algorithm too, and what the choice loses");
    auto const size = CLI::Range(std::int64_t{sizeof(float)}, most_bytes);
    app.add_option("-b,--min", sizes.first, "smallest vector of the check, bytes")
        ->check(size)
        ->capture_default_str();
    app.add_option("-e,--max", sizes.last, "largest")->check(size)->capture_default_str();
    load::option(app);
    auto const rank = [&](collectives::communicator& comm) { tune::run(comm, file, check, sizes); };
    try {
        app.parse(argc, argv);
        if (sizes.first > sizes.last) {
            throw collectives::usage_error(
                fmt::format("there is no size from {} to {}", sizes.first, sizes.last));
        }
        if (transport == "threads") {
            collectives::threads::run(ranks, rank);
        } else {
            collectives::shm::run(ranks, rank);
        }
    } catch (CLI::ParseError const& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (collectives::usage_error const& e) {
        fmt::print(stderr, "coll_tune: {}\n", e.what());
        return 2;
    } catch (std::exception const& e) {
        fmt::print(stderr, "coll_tune: {}\n", e.what());
        return 1;
    }
}
