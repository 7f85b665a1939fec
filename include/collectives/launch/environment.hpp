// SPDX-License-Identifier: BSD-3-Clause
// Finds out from the launcher's variables which rank of how many this process is.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>

#include <array>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

namespace collectives::inline v0 {

/// The variables in which torchrun, Open MPI, Hydra, PMIx and Slurm say which rank a process is.
/// A program that starts ranks itself removes them from the environment of these.
inline constexpr std::array launcher_variables{"RANK",
                                               "WORLD_SIZE",
                                               "LOCAL_RANK",
                                               "LOCAL_WORLD_SIZE",
                                               "OMPI_COMM_WORLD_RANK",
                                               "OMPI_COMM_WORLD_SIZE",
                                               "OMPI_COMM_WORLD_LOCAL_RANK",
                                               "OMPI_COMM_WORLD_LOCAL_SIZE",
                                               "PMIX_RANK",
                                               "PMIX_NAMESPACE",
                                               "PMI_RANK",
                                               "PMI_SIZE",
                                               "MPI_LOCALRANKID",
                                               "MPI_LOCALNRANKS",
                                               "SLURM_PROCID",
                                               "SLURM_NTASKS",
                                               "SLURM_LOCALID",
                                               "SLURM_STEP_NUM_NODES"};

/// Which rank of a job this process is.
struct job_place {
    int rank = 0;         ///< 0 to size - 1
    int size = 1;         ///< ranks of the job
    std::string source;   ///< the variables it comes from
    int local_rank = -1;  ///< among the ranks of this machine; -1 where the launcher does not say
    int local_size = -1;  ///< ranks of this machine, likewise
};

namespace detail {

/// The number that a variable holds; -1 if it is not set.
inline int environment_number(char const* variable) {
    auto const* const text = std::getenv(variable);
    if (text == nullptr) { return -1; }
    std::string_view rest(text);
    auto const value = take_number(rest);
    if (!value || *value > std::numeric_limits<int>::max() || !rest.empty()) {
        throw_error<usage_error>(variable, " is '", text, "', which is no number");
    }
    return static_cast<int>(*value);
}

/// The value of the variables that are set; -1 where none is. Throws usage_error where two
/// disagree.
inline int agreed_number(std::initializer_list<char const*> variables) {
    int result = -1;
    char const* source = nullptr;
    for (auto const* const variable : variables) {
        auto const value = environment_number(variable);
        if (value < 0) { continue; }
        if (source != nullptr && result != value) {
            throw_error<usage_error>(source, " says ", result, ", but ", variable, " says ", value);
        }
        result = value;
        source = variable;
    }
    return result;
}

/// Whether the launcher says that the ranks are on several machines.
inline bool on_several_machines(job_place const& place) {
    if (place.local_size >= 0) { return place.local_size < place.size; }
    return agreed_number({"SLURM_STEP_NUM_NODES"}) > 1;
}

/// Whether Slurm's variables are those of this rank. Ranks that mpiexec starts in a batch script
/// inherit the variables of the script.
inline bool slurm_means(job_place const& place) {
    return environment_number("SLURM_PROCID") == place.rank &&
           environment_number("SLURM_NTASKS") == place.size;
}

}  // namespace detail

/// Asks COLLECTIVES_RANK and COLLECTIVES_SIZE first, then the variables of torchrun, Open MPI,
/// Hydra and Slurm. PMIX_RANK counts only beside COLLECTIVES_SIZE and without COLLECTIVES_RANK,
/// Slurm's variables only if no other launcher's pair is set. Throws usage_error if no pair is set,
/// if two disagree, or if one is half set and no other is whole (half of COLLECTIVES_RANK and
/// COLLECTIVES_SIZE always is an error); the message names them.
inline job_place place_from_environment() {
    auto const* const own_rank =
        std::getenv("COLLECTIVES_RANK") == nullptr && std::getenv("PMIX_RANK") != nullptr
            ? "PMIX_RANK"
            : "COLLECTIVES_RANK";
    std::array<std::array<char const*, 2>, 5> const sources{{
        {own_rank, "COLLECTIVES_SIZE"},
        {"RANK", "WORLD_SIZE"},
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
        {"SLURM_PROCID", "SLURM_NTASKS"},
    }};
    job_place found;
    std::string half;  // a pair of which only one is set
    for (auto const& [rank_name, size_name] : sources) {
        auto const rank = detail::environment_number(rank_name);
        auto const size = detail::environment_number(size_name);
        if (size < 0 && (rank < 0 || std::string_view(rank_name) == "PMIX_RANK")) { continue; }
        if (!found.source.empty() && std::string_view(rank_name) == "SLURM_PROCID") { break; }
        auto const source = text_of(rank_name, " and ", size_name);
        if (rank < 0 || size < 0) {
            if (half.empty()) { half = source; }
            continue;
        }
        if (rank >= size) { throw_error<usage_error>(source, " say rank ", rank, " of ", size); }
        if (found.source.empty()) {
            found = {rank, size, source};
        } else if (found.rank != rank || found.size != size) {
            throw_error<usage_error>(found.source, " say rank ", found.rank, " of ", found.size,
                                     ", but ", source, " say rank ", rank, " of ", size);
        }
    }
    if (!half.empty() && (found.source.empty() || half.starts_with("COLLECTIVES_"))) {
        throw_error<usage_error>("of ", half, " only one is set");
    }
    if (found.source.empty()) {
        throw_error<usage_error>(
            "no launcher's variables are set: COLLECTIVES_RANK and COLLECTIVES_SIZE, "
            "or those of torchrun, Open MPI, Hydra or Slurm, or PMIX_RANK and COLLECTIVES_SIZE");
    }
    found.local_rank = detail::agreed_number(
        {"COLLECTIVES_LOCAL_RANK", "LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"});
    if (found.local_rank < 0 && detail::slurm_means(found)) {
        found.local_rank = detail::agreed_number({"SLURM_LOCALID"});
    }
    found.local_size = detail::agreed_number({"COLLECTIVES_LOCAL_SIZE", "LOCAL_WORLD_SIZE",
                                              "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"});
    return found;
}

}  // namespace collectives
