// SPDX-License-Identifier: BSD-3-Clause
// The name of a job, from the environment.
#pragma once

#include <collectives/core/text.hpp>

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace collectives::inline v0::detail {

/// The job's name on this machine: the user, and COLLECTIVES_JOB or the process that started all
/// ranks.
inline std::string local_job_name() {
    auto const* const given = std::getenv("COLLECTIVES_JOB");
    return text_of("collectives-", ::geteuid(), "-",
                   (given != nullptr ? std::string(given) : text_of("child-of-", ::getppid())));
}

/// The end of a message about ranks that miss each other at a socket of this machine.
inline std::string socket_hint(std::string const& socket) {
    return text_of("; the ranks meet at the local socket ", socket,
                   ": they need one network name space (container), and one COLLECTIVES_JOB or "
                   "parent process");
}

/// The job's name on every machine: COLLECTIVES_JOB, else what torchrun, Slurm or PMIx call it,
/// else empty.
inline std::string job_name() {
    for (auto const* const variable :
         {"COLLECTIVES_JOB", "TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE"}) {
        if (auto const* const given = std::getenv(variable)) { return given; }
    }
    auto const* const job = std::getenv("SLURM_JOB_ID");
    auto const* const step = std::getenv("SLURM_STEP_ID");
    return job != nullptr && step != nullptr ? text_of(std::string(job), ".", std::string(step))
                                             : std::string();
}

}  // namespace collectives::detail
