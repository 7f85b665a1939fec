// SPDX-License-Identifier: BSD-3-Clause
// Which rank of how many this process is, from what its launcher put into the environment.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace collectives {

struct job_place {
    int rank = 0;
    int size = 1;
    std::string source;  // the variables it comes from
};

namespace detail {

inline std::optional<int> environment_number(char const* variable) {
    auto const* const text = std::getenv(variable);
    if (text == nullptr) { return {}; }
    std::string_view const view(text);
    int value = -1;
    auto const [end, fault] = std::from_chars(view.data(), view.data() + view.size(), value);
    if (fault != std::errc{} || end != view.data() + view.size() || value < 0) {
        throw usage_error(text_of(variable, " is '", text, "', which is no number"));
    }
    return value;
}

}  // namespace detail

/// Asks COLLECTIVES_RANK and COLLECTIVES_SIZE first, then the variables of torchrun, Open MPI,
/// Hydra and Slurm. Throws usage_error where none are set, where only one of a pair is, or where
/// two sources disagree; the message names them.
inline job_place place_from_environment() {
    constexpr std::array<std::array<char const*, 2>, 5> sources{{
        {"COLLECTIVES_RANK", "COLLECTIVES_SIZE"},
        {"RANK", "WORLD_SIZE"},
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
        {"SLURM_PROCID", "SLURM_NTASKS"},
    }};
    std::optional<job_place> found;
    for (auto const& [rank_name, size_name] : sources) {
        auto const rank = detail::environment_number(rank_name);
        auto const size = detail::environment_number(size_name);
        if (!rank && !size) { continue; }
        auto const source = text_of(rank_name, " and ", size_name);
        if (!rank || !size) { throw usage_error(text_of("of ", source, " only one is set")); }
        if (*rank >= *size) {
            throw usage_error(text_of(source, " say rank ", *rank, " of ", *size));
        }
        if (!found) {
            found = {*rank, *size, source};
        } else if (found->rank != *rank || found->size != *size) {
            throw usage_error(text_of(found->source, " say rank ", found->rank, " of ", found->size,
                                      ", but ", source, " say rank ", *rank, " of ", *size));
        }
    }
    if (!found) {
        throw usage_error(
            "no launcher's variables are set: COLLECTIVES_RANK and COLLECTIVES_SIZE, "
            "or those of torchrun, Open MPI, Hydra or Slurm");
    }
    return *found;
}

}  // namespace collectives
