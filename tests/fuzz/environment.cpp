// SPDX-License-Identifier: BSD-3-Clause
// What launchers and users put into the environment: a process's place in its job, the job's name,
// where its ranks meet, and the file of their secret. Each is understood, or refused with an
// exception of the library.
#include "bytes.hpp"

#include <collectives/core/local_socket.hpp>
#include <collectives/launch/bootstrap/store/address.hpp>
#include <collectives/launch/environment.hpp>
#include <collectives/launch/job_name.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace coll = collectives;

namespace {

constexpr std::array variables{"COLLECTIVES_RANK",
                               "COLLECTIVES_SIZE",
                               "COLLECTIVES_LOCAL_RANK",
                               "COLLECTIVES_LOCAL_SIZE",
                               "COLLECTIVES_JOB",
                               "COLLECTIVES_STORE",
                               "RANK",
                               "WORLD_SIZE",
                               "LOCAL_RANK",
                               "LOCAL_WORLD_SIZE",
                               "TORCHELASTIC_RUN_ID",
                               "MASTER_ADDR",
                               "OMPI_COMM_WORLD_RANK",
                               "OMPI_COMM_WORLD_SIZE",
                               "OMPI_COMM_WORLD_LOCAL_RANK",
                               "OMPI_COMM_WORLD_LOCAL_SIZE",
                               "PMI_RANK",
                               "PMI_SIZE",
                               "PMIX_RANK",
                               "PMIX_NAMESPACE",
                               "MPI_LOCALRANKID",
                               "MPI_LOCALNRANKS",
                               "SLURM_PROCID",
                               "SLURM_NTASKS",
                               "SLURM_LOCALID",
                               "SLURM_STEP_NUM_NODES",
                               "SLURM_JOB_ID",
                               "SLURM_STEP_ID"};

/// A file for a secret, which goes with the process.
struct secret_file {
    secret_file() {
        std::string name = std::filesystem::temp_directory_path() / "collectives-fuzz-XXXXXX";
        auto const file = ::mkstemp(name.data());
        fuzz::require(file >= 0);
        ::close(file);
        path = name;
        ::setenv("COLLECTIVES_SECRET_FILE", path.c_str(), 1);
    }
    ~secret_file() { ::unlink(path.c_str()); }
    void write(std::string const& text, std::uint8_t mode) const {
        std::ofstream(path, std::ios::binary) << text;
        ::chmod(path.c_str(), mode % 4 == 0 ? 0640 : 0600);
    }
    std::string path;
};

/// Small numbers come far.
std::string value_from(fuzz::bytes& from) {
    auto const kind = from.take<std::uint8_t>();
    if (kind < 0xc0) { return std::to_string(kind % 8); }
    std::string text;
    for (auto n = std::size_t{kind} % 32; n > 0; --n) { text += from.take<char>(); }
    for (auto n = std::size_t{kind} / 0xf0; n > 0; --n) { text += text + text; }
    text.erase(std::remove(text.begin(), text.end(), '\0'), text.end());
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static secret_file const own;
    fuzz::bytes from(data, size);
    for (auto const* const v : variables) { ::unsetenv(v); }
    for (auto n = from.take<std::uint8_t>() % 16; n > 0; --n) {
        auto const* const v = variables[from.take<std::uint8_t>() % variables.size()];
        ::setenv(v, value_from(from).c_str(), 1);
    }
    auto const mode = from.take<std::uint8_t>();
    try {
        auto const place = coll::place_from_environment();
        fuzz::require(0 <= place.rank && place.rank < place.size && !place.source.empty());
        fuzz::require(place.local_rank >= -1 && place.local_size >= -1);
        (void)coll::bootstraps::store_from_environment(place);
    } catch (coll::usage_error const&) {}
    for (auto const& name : {coll::detail::local_job_name(), coll::detail::job_name()}) {
        coll::detail::local_address const address(name);
        fuzz::require(address.bytes <= sizeof address.value);
    }
    try {
        own.write(from.text(), mode);
        (void)coll::bootstraps::secret_from_environment();
        fuzz::require(mode % 4 != 0);
    } catch (coll::usage_error const&) {}
    return 0;
}
