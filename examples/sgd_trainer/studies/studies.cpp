// SPDX-License-Identifier: BSD-3-Clause
// The list of studies: a new one is a header, its source, and a line here.
#include "studies.hpp"

#include "batch.hpp"
#include "compression.hpp"
#include "loading.hpp"
#include "precision.hpp"
#include "report.hpp"
#include "search.hpp"
#include "server.hpp"
#include "speed_up.hpp"
#include "synchronise.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

namespace trainer::studies {
namespace {

struct entry {
    char const* name;
    void (*run)(study_report&);
};
constexpr entry all_studies[]{
    {"batch", batch_study}, {"precision", precision},     {"compression", compression},
    {"loading", loading},   {"search", search_study},     {"server", server},
    {"speed-up", speed_up}, {"synchronise", synchronise},
};

}  // namespace

std::vector<std::string> names() {
    std::vector<std::string> list;
    for (auto const& e : all_studies) { list.emplace_back(e.name); }
    return list;
}

void run(request const& what) {
    std::vector<entry> asked_for;
    for (auto const& e : all_studies) {
        if (what.name == "all" || what.name == e.name) { asked_for.push_back(e); }
    }
    for (auto const& e : asked_for) { check_page(e.name, what); }  // before minutes of training
    auto const seconds_since = [](auto begin) {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    auto const first = std::chrono::steady_clock::now();
    int number = 0;
    for (auto const& e : asked_for) {
        auto const begin = std::chrono::steady_clock::now();
        fmt::print("Study {} ({} of {})\n\n", e.name, ++number, asked_for.size());
        std::fflush(stdout);
        study_report report(e.name, what);
        e.run(report);
        report.finish();
        fmt::print("It took {:.0f} s\n\n", seconds_since(begin));
        std::fflush(stdout);
    }
    if (number > 1) { fmt::print("All {} took {:.0f} s\n", number, seconds_since(first)); }
}

}  // namespace trainer::studies
