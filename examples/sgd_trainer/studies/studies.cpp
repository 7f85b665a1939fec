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
constexpr entry all[]{
    {"batch", batch},       {"precision", precision},     {"compression", compression},
    {"loading", loading},   {"search", search_study},     {"server", server},
    {"speed-up", speed_up}, {"synchronise", synchronise},
};

}  // namespace

std::vector<std::string> names() {
    std::vector<std::string> list;
    for (auto const& e : all) { list.emplace_back(e.name); }
    return list;
}

void run(request const& what) {
    for (auto const& e : all) {
        if (what.name != "all" && what.name != e.name) { continue; }
        auto const begin = std::chrono::steady_clock::now();
        fmt::print("Study {}\n\n", e.name);
        study_report report(e.name, what);
        e.run(report);
        report.finish();
        fmt::print("It took {:.0f} s\n\n",
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        std::fflush(stdout);
    }
}

}  // namespace trainer::studies
