// SPDX-License-Identifier: BSD-3-Clause
// A machine's prices as text: what `coll_tune` writes and COLLECTIVES_MODEL names.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/select/machine_model.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace collectives::inline v0::detail {

struct named_price {
    char const* name;
    double machine_model::*price;
};

inline constexpr named_price all_prices[] = {
    {"call", &machine_model::call},
    {"round", &machine_model::round},
    {"message", &machine_model::message},
    {"byte", &machine_model::byte},
    {"reduced_byte", &machine_model::reduced_byte},
    {"small_byte", &machine_model::small_byte},
    {"shared_call", &machine_model::shared_call},
    {"shared_round", &machine_model::shared_round},
    {"link_round", &machine_model::link_round},
    {"link_message", &machine_model::link_message},
    {"link_byte", &machine_model::link_byte},
};

/// One line per price: its name and seconds.
inline std::string to_text(machine_model const& m) {
    std::string text;
    for (auto const& [name, price] : all_prices) {
        std::array<char, 64> line{};
        std::snprintf(line.data(), line.size(), "%s %.6g\n", name, m.*price);
        text += line.data();
    }
    return text;
}

/// Reads lines as `to_text` writes them, and skips those that begin with #. Prices that no line
/// names are those of `m`. Throws usage_error for a line of another kind.
[[gnu::cold]] inline machine_model parse_model(std::string_view text, machine_model m = {}) {
    while (!text.empty()) {
        auto const end = text.find('\n');
        auto const line = std::string(text.substr(0, end));
        text = end == text.npos ? std::string_view{} : text.substr(end + 1);
        if (line.empty() || line.front() == '#') { continue; }
        auto const space = std::string_view(line).find(' ');
        auto const name = std::string_view(line).substr(0, space);
        bool known = false;
        for (auto const& [its_name, price] : all_prices) {
            if (name != its_name) { continue; }
            char* rest = nullptr;
            auto const value = space == line.npos ? -1 : std::strtod(line.c_str() + space, &rest);
            constexpr auto most = std::numeric_limits<double>::max();
            if (!(value >= 0) || value > most || rest != line.data() + line.size()) {
                throw_error<usage_error>("'", line, "' is no price: write a name and seconds");
            }
            m.*price = value;
            known = true;
        }
        if (!known) { throw_error<usage_error>("'", name, "' is the name of no price"); }
    }
    return m;
}

/// The prices of the file that COLLECTIVES_MODEL names, else `m`. Prices that the file does not
/// name are those of `m`. Throws usage_error if it cannot be read.
[[gnu::cold]] inline machine_model model_of_environment(machine_model m) {
    char const* const path = std::getenv("COLLECTIVES_MODEL");
    if (path == nullptr) { return m; }
    auto* const file = std::fopen(path, "r");
    if (file == nullptr) {
        throw_error<usage_error>("COLLECTIVES_MODEL: cannot read '", path, "'");
    }
    std::string text;
    std::array<char, 512> read{};
    while (auto const bytes = std::fread(read.data(), 1, read.size(), file)) {
        text.append(read.data(), bytes);
    }
    std::fclose(file);
    try {
        return parse_model(text, m);
    } catch (usage_error const& e) {
        throw_error<usage_error>("COLLECTIVES_MODEL, '", path, "': ", e.what());
    }
}

}  // namespace collectives::detail
