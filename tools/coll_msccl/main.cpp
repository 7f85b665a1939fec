// SPDX-License-Identifier: BSD-3-Clause
// coll_msccl: writes an algorithm as XML for MSCCL, and reads such XML as an algorithm.
#include "../algorithms.hpp"
#include "../load/load.hpp"
#include "rounds.hpp"

#include <CLI/CLI.hpp>
#include <collectives/schedule.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>

namespace {

namespace coll = collectives;

struct options {
    std::string algorithm, input, output;
    int size = 0;
};

void save(std::string const& text, std::string const& file) {
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out) { throw std::runtime_error("cannot write " + file); }
}

void tell(std::string const& file, std::span<coll::schedule const> ranks) {
    auto const cost = coll::cost_of(ranks, static_cast<std::size_t>(ranks[0].chunks));
    std::size_t messages = 0;
    for (auto const& own : ranks) { messages += own.steps.size(); }
    fmt::print(
        "wrote {}: {} ranks, {} chunks, {} rounds, {} messages, {} chunks sent by the "
        "busiest rank\n",
        file, ranks[0].size, ranks[0].chunks, cost.rounds, messages / 2, cost.busiest.sent);
}

void write(options const& o) {
    auto const algorithm = coll::parse_algorithm(o.algorithm);
    if (algorithm.is_automatic()) {
        throw coll::usage_error("automatic has no steps before it has chosen");
    }
    expect_right(algorithm, o.size);
    auto const ranks = algorithm.record_all(coll::collective::all_reduce, o.size);
    save(coll_msccl::as_xml(ranks, coll::name(algorithm)), o.output);
    tell(o.output, ranks);
}

/// The name of the file that is written names the class, so it must be a word of C++ that no
/// algorithm has.
std::string type_of(std::string const& file) {
    auto const name = std::filesystem::path(file).stem().string();
    auto const is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    bool const is_word = !name.empty() && std::all_of(name.begin(), name.end(), is_letter) &&
                         std::isdigit(static_cast<unsigned char>(name[0])) == 0;
    if (!is_word) {
        throw coll::usage_error(
            fmt::format("the class is named as the file, and \"{}\" is no name", name));
    }
    auto const known = known_algorithms();
    bool const is_taken =
        name == "automatic" || name == "hierarchical" || name == "leaders" ||
        std::any_of(known.begin(), known.end(), [&](auto const& a) { return a.name() == name; });
    if (is_taken) {
        throw coll::usage_error(fmt::format(
            "the class is named as the file, and the library has an algorithm {}", name));
    }
    return name;
}

void read(options const& o) {
    auto const type = type_of(o.output);
    std::ifstream in(o.input, std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    if (!in) { throw std::runtime_error("cannot read " + o.input); }
    auto const ranks = [&] {
        try {
            return coll_msccl::schedules_of(coll_msccl::parse(text));
        } catch (std::runtime_error const& e) {
            throw std::runtime_error(fmt::format("{}: {}", o.input, e.what()));
        }
    }();
    if (ranks.size() < 2) { throw std::runtime_error(o.input + " is for one rank: no steps"); }
    auto const proof = coll::check(ranks);
    if (!proof.ok) {
        throw std::runtime_error(fmt::format("{} is wrong: {} (rank {}, round {}, chunk {})",
                                             o.input, proof.what, proof.rank, proof.round,
                                             proof.chunk));
    }
    auto origin = std::filesystem::path(o.input).filename().string();
    for (char& c : origin) {  // it stands in a comment
        if (std::isprint(static_cast<unsigned char>(c)) == 0 || c == '\\') { c = '_'; }
    }
    save(coll_msccl::as_header(ranks, type, origin), o.output);
    tell(o.output, ranks);
    fmt::print("proved; coll_show --load {} {} {} shows it\n", o.output, type, ranks[0].size);
}

}  // namespace

int main(int argc, char** argv) {
    options o;
    CLI::App app("Writes all-reduces as XML for MSCCL, and reads them from it.");
    app.require_subcommand(1);
    auto* const writing = app.add_subcommand("write", "an algorithm of the library, as XML");
    writing->add_option("algorithm", o.algorithm, "ring, tree, ...")->required();
    writing->add_option("size", o.size, "number of ranks")->required()->check(CLI::Range(1, 256));
    writing->add_option("-o,--output", o.output, "the XML file to write")->required();
    load::option(*writing);
    auto* const reading = app.add_subcommand(
        "read", "an XML file, as a header that --load and programs take; proves it first");
    reading->add_option("file", o.input, "the XML file")->required();
    reading->add_option("-o,--output", o.output, "the header to write; names the class")
        ->required();
    try {
        app.parse(argc, argv);
        writing->parsed() ? write(o) : read(o);
    } catch (CLI::ParseError const& e) {
        return app.exit(e) == 0 ? 0 : 2;
    } catch (coll::usage_error const& e) {
        fmt::print(stderr, "coll_msccl: {}\n", e.what());
        return 2;
    } catch (std::exception const& e) {
        fmt::print(stderr, "coll_msccl: {}\n", e.what());
        return 1;
    }
}
