// SPDX-License-Identifier: BSD-3-Clause
#include "effects.hpp"

#include "sizes.hpp"

#include <collectives/core/error.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace coll_perf {
namespace {

/// An option, and what looks at it.
struct effect {
    char const* name;
    bool (*is_on)(kind const&);
    char const* needed;
};

bool has_started_calls(kind const& k) { return k.how == form::started; }
bool is_fusion(kind const& k) { return k.how == form::fusion; }

constexpr std::array effects{
    effect{"--root", [](kind const& k) { return k.is_rooted(); }, "a rooted collective"},
    effect{"--op", [](kind const& k) { return k.reduces(); }, "a collective that reduces"},
    effect{"--algorithm", [](kind const& k) { return k.has_algorithm(); },
           "a collective that an algorithm carries out"},
    effect{"--tests", has_started_calls, "a collective start_NAME"},
    effect{"--tensors", is_fusion, "--collective fusion"},
    effect{"--threshold", is_fusion, "--collective fusion"}};

}  // namespace

void require_effects(CLI::App const& app, options const& o) {
    std::vector<std::string> names;
    try {
        names = collectives_of(split_list(o.collectives));
    } catch (collectives::usage_error const&) {
        return;  // an unknown one is told where it is to be measured
    }
    for (auto const& e : effects) {
        auto const is_on = [&](std::string const& name) { return e.is_on(kind::of(name)); };
        if (app.count(e.name) != 0 && std::none_of(names.begin(), names.end(), is_on)) {
            throw CLI::ValidationError(std::string(e.name) + " has no effect without " + e.needed);
        }
    }
}

}  // namespace coll_perf
