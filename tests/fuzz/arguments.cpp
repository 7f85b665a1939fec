// SPDX-License-Identifier: BSD-3-Clause
// Command lines of the tools whose options can be read without doing what they ask for: each is
// understood, or refused with a status or an exception of the library.
#include "bytes.hpp"

#include <coll_perf/options.hpp>
#include <coll_perf/sizes.hpp>
#include <collrun/options.hpp>

#include <CLI/CLI.hpp>
#include <collectives/core/error.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// A byte above these stands for a word, as people write them.
constexpr std::uint8_t plain = 0x7f;
constexpr std::array<std::string_view, 44> known{
    "--ranks",     "-n",         "--grace",
    "--no-prefix", "--quiet",    "-t",
    "--transport", "shm",        "ucx",
    "--",          "true",       "--collective",
    "--algorithm", "--datatype", "--op",
    "--root",      "--minbytes", "-b",
    "--maxbytes",  "-e",         "-f",
    "-i",          "--iters",    "--warmup_iters",
    "--check",     "--batch",    "--budget",
    "--launches",  "--form",     "both",
    "--cold",      "--touch",    "--offset",
    "--allocated", "--bind",     "--format",
    "--json",      "--peer",     "--time-limit",
    "nan",         "inf",        "18446744073709551615",
    "1e400",       "4T"};

/// Words between zero bytes.
std::vector<std::string> words_of(std::string const& text) {
    std::vector<std::string> words{"tool", ""};
    for (auto const c : text) {
        auto const number = static_cast<std::uint8_t>(c);
        if (number == 0) {
            words.emplace_back();
        } else if (number > plain) {
            words.back() += known[number % known.size()];
        } else {
            words.back() += c;
        }
    }
    return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz::bytes from(data, size);
    auto const what = from.take<std::uint8_t>();
    auto words = words_of(from.text());
    std::vector<char*> argv;
    for (auto& w : words) { argv.push_back(w.data()); }
    auto const argc = static_cast<int>(argv.size());
    if (what % 2 == 0) {
        int status = -1;
        if (auto const o = collrun::parse(argc, argv.data(), status)) {
            fuzz::require(o->ranks >= 1 && o->ranks <= 4096 && o->grace.count() >= 0);
            fuzz::require(!o->command.empty() && !o->command.front().empty());
        } else {
            fuzz::require(status == 0 || status == 2);
        }
        return 0;
    }
    coll_perf::options o;
    CLI::App app;
    coll_perf::declare(app, o);
    try {
        app.parse(argc, argv.data());
        auto const asked = coll_perf::request_of(o);
        fuzz::require(!asked.sizes.empty() &&
                      std::is_sorted(asked.sizes.begin(), asked.sizes.end()));
        fuzz::require(o.how.budget >= 0 && o.seconds_per_case > 0);
    } catch (CLI::ParseError const&) {
    } catch (collectives::usage_error const&) {}
    return 0;
}
