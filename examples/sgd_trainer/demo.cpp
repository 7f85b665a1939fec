// SPDX-License-Identifier: BSD-3-Clause
// The demo: the part of the trainer that runs without a subcommand, as a program of its own, which
// compiles in a third of the time. See docs/trainer.md.
#include "compare/compare.hpp"
#include "compare/options.hpp"
#include "wire.hpp"

#include "../../tools/load/load.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

namespace trainer {

collectives::compression wire_format(format /*f*/) { return {}; }

}  // namespace trainer

int main(int argc, char** argv) {
    trainer::comparison asked;
    CLI::App app(
        "Data-parallel SGD on real images: the digits with every all-reduce algorithm, counted, "
        "timed and drawn");
    trainer::add_comparison(app, asked);
    load::option(app);
    try {
        app.parse(argc, argv);
        return trainer::compare_algorithms(asked) ? 0 : 1;
    } catch (CLI::ParseError const& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (std::exception const& error) {
        std::fprintf(stderr, "demo: %s\n", error.what());
        return 1;
    }
}
