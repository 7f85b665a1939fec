// SPDX-License-Identifier: BSD-3-Clause
// A program whose ranks a launcher starts, over any MPI or none. Each `over_` function calls its
// body once, on this rank, and throws what it throws.
#pragma once

#include <collectives/communicator.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace launched {

using rank_body = std::function<void(collectives::communicator&)>;

/// "mpich" or "openmpi" where the launcher of that MPI started this process; else empty.
std::string mpi_of_launcher();
/// Whether a launcher, of an MPI or another, started this process as a rank of a job.
bool by_launcher();
/// A variable that shows it; empty where there is none.
std::string variable_of_launcher();
/// The transport that `over_any` takes here. Throws what `coll::join` throws.
std::string transport_of_join();

/// The program of this name that is linked with this MPI, beside this one. Throws
/// std::runtime_error, which says how to build it, where it is not there.
std::string twin_of(std::string_view program, std::string const& mpi);
/// One program cannot have two MPIs, so there is one for each. Goes on as that of the launcher's
/// MPI, with the same arguments; returns where this is it already. Throws std::runtime_error where
/// no MPI started this process, and where that program was not built.
void become_program_of_mpi(std::string_view program, char** arguments);

/// The MPI that this program is linked with; empty for the one without.
std::string mpi_of_this_program();
/// Its name and version, as it states them. Only in the body of `over_mpi`.
std::string version_of_mpi();

/// Over MPI; with `bridged`, ranks of one host use its memory. Ends the job where the body throws.
/// Where `one_thread` alone calls MPI, this one, each of its calls is cheaper.
void over_mpi(rank_body const& body, bool bridged = false, bool one_thread = false);
/// Over the transport that `coll::join` chooses, of those that this program was built with.
void over_any(rank_body const& body);
/// Whether this program was built with UCX.
bool has_ucx();
/// Over UCX; with `bridged`, ranks of one host use its memory. Throws std::runtime_error where this
/// program was built without UCX.
void over_ucx(rank_body const& body, bool bridged = false);

}  // namespace launched
