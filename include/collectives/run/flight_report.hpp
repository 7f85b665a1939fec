// SPDX-License-Identifier: BSD-3-Clause
// Writes, for each rank, a file that says what the rank called of late and where it stands: when a
// communicator has failed, and at SIGUSR2. `coll_show --flight DIRECTORY` reads the files together.
#pragma once

#include <collectives/core/compiled.hpp>
#include <collectives/run/flight_recorder.hpp>

#include <string>
#include <string_view>

namespace collectives::inline v0::detail {

/// The report of a rank as JSON. `why` is "failure" or "signal".
std::string flight_report(flight_view const& of, std::string_view why);

/// Makes COLLECTIVES_REPORT work in this program. From then on SIGUSR2 asks for reports, if the
/// variable is set and the program leaves that signal alone.
bool link_flight_recorder();

inline bool const flight_recorder_is_linked = link_flight_recorder();

}  // namespace collectives::detail

#ifndef COLLECTIVES_COMPILED
#include <collectives/run/flight_report.ipp>
#endif
