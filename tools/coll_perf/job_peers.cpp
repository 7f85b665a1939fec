// SPDX-License-Identifier: BSD-3-Clause
#include "job_peers.hpp"

#include "launch.hpp"
#include "order.hpp"
#include "peers.hpp"
#include "ranks/foreign.hpp"
#include "sizes.hpp"

#include "../launched/launched.hpp"
#include "../launched/mpi_calls.hpp"

#include <collectives/core/processors.hpp>

#include <fmt/format.h>

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string_view>

namespace coll_perf {
namespace {

std::vector<std::string> names_of(options const& o) {
    return o.peers.empty() ? std::vector<std::string>{} : split_list(o.peers);
}

std::string folder_of(options const& o) {
    return o.peer_folder.empty() ? default_peer_folder() : o.peer_folder;
}

/// Empty where an MPI makes its calls in the ranks themselves.
std::string driver_of(std::string const& name) {
    if (is_on_devices(name)) { return "ours_cuda"; }
    return name == "gloo" || name == "nccl" ? "peer_" + name : "";
}

/// Why it cannot be asked; empty where it can.
std::string why_no_driver(std::string const& name, std::string const& folder) {
    auto const driver = (std::filesystem::path(folder) / driver_of(name)).string();
    return ::access(driver.c_str(), X_OK) == 0 ? "" : no_driver(name, driver);
}

std::string launcher_of(std::string const& mpi) { return fmt::format("mpiexec.{}", mpi); }

/// A path that rank 0 knows, on all ranks.
using path = std::array<char, 256>;
path tell_all(coll::communicator& comm, std::string const& mine) {
    std::array<path, 1> one{};
    if (mine.size() >= one[0].size()) {
        throw std::runtime_error(fmt::format("the path {} is too long for the ranks", mine));
    }
    mine.copy(one[0].data(), one[0].size() - 1);
    comm.broadcast(one, 0);
    return one[0];
}

/// The processors of all ranks of a host: others have more threads per rank, which must not share
/// the core that the rank is bound to.
coll::processor_set processors_of_all(coll::communicator& comm) {
    std::array<std::uint64_t, sizeof(coll::processor_set) / sizeof(std::uint64_t)> words;
    words = std::bit_cast<decltype(words)>(coll::processor_set::of(0));
    comm.all_reduce(words, coll::bit_or{});
    return std::bit_cast<coll::processor_set>(words);
}

/// A folder of rank 0's, in which the drivers find each other, or whose name they share.
class rendezvous {
public:
    explicit rendezvous(bool makes) {
        if (!makes) { return; }
        path_ = fmt::format("{}/coll_perf-XXXXXX", std::filesystem::temp_directory_path().string());
        if (::mkdtemp(path_.data()) == nullptr) {
            throw std::runtime_error("cannot make " + path_);
        }
    }
    rendezvous(rendezvous const&) = delete;
    rendezvous& operator=(rendezvous const&) = delete;
    ~rendezvous() {
        std::error_code ignored;
        if (!path_.empty()) { std::filesystem::remove_all(path_, ignored); }
    }
    std::string const& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace

std::string why_no_peers(options const& o) {
    auto const folder = folder_of(o);
    auto const mpi = launched::mpi_of_launcher();
    if (is_on_devices(o.transport)) {
        if (auto const why = why_no_driver(o.transport, folder); !why.empty()) { return why; }
    }
    for (auto const& name : names_of(o)) {
        require_peer_name(name);
        require_same_memory(name, {o.transport});
        if (!driver_of(name).empty()) {
            if (auto const why = why_no_driver(name, folder); !why.empty()) { return why; }
            continue;
        }
        if (mpi != name) {
            auto const by = mpi.empty() ? "a launcher without an MPI" : launcher_of(mpi);
            return fmt::format("--peer {}: ranks of {} cannot call it; {} must have started them",
                               name, by, launcher_of(name));
        }
        auto const& over = o.transport;
        if (!over.empty() && !over.starts_with("mpi") && !over.starts_with("hosts-")) {
            return fmt::format(
                "--peer {}: over {} this program does not start its MPI; --transport mpi and "
                "hosts-mpi do",
                name, over);
        }
    }
    return {};
}

/// A launcher may have given each rank a device of its own.
std::string name_on_devices(coll::communicator& comm, options const& o) {
    auto const* const seen = std::getenv("CUDA_VISIBLE_DEVICES");
    auto const mine = std::hash<std::string_view>{}(seen == nullptr ? "" : seen);
    std::array<std::size_t, 2> range{mine, ~mine};
    comm.all_reduce(range, coll::max{});
    std::string how;
    if (comm.rank() == 0 && range[0] == ~range[1]) {
        try {
            how = sharing_of_devices("cuda", folder_of(o), comm.size());
        } catch (no_device const&) { how = "no device"; }
    } else {
        how = fmt::format("{} ranks, each with CUDA_VISIBLE_DEVICES of its own", comm.size());
    }
    return fmt::format("cuda: {}", tell_all(comm, how).data());
}

job_peers::job_peers(options const& o)
    : names_(names_of(o)), folder_(folder_of(o)), seconds_per_case_(o.seconds_per_case) {}

void job_peers::measure(std::string const& name, job_rank const& me, job_meeting& meeting,
                        settings const& how, std::vector<measured_case> const& cases,
                        tell_function const& tell) const {
    if (auto const driver = driver_of(name); !driver.empty()) {
        return measure_by_driver(driver, me, meeting, how, cases, tell);
    }
    launched::mpi_calls const calls(me.comm.size());
    auto const find = [&](measured_case const& c) {
        return calls.find({collective_of(c.collective), c.type, c.op, c.root, c.count, c.in_place});
    };
    meeting.on(
        [&](auto& board) { foreign::measure(board, me.comm.rank(), how, cases, find, tell); });
}

void job_peers::measure_by_driver(std::string const& driver, job_rank const& me,
                                  job_meeting const& meeting, settings const& how,
                                  std::vector<measured_case> const& cases,
                                  tell_function const& tell) const {
    auto& comm = me.comm;
    std::vector<bool> seen(cases.size());
    auto const rest = [&](std::string const& why) {
        for (std::size_t i = 0; i < cases.size() && comm.rank() == 0; ++i) {
            case_result none;
            none.index = i;
            none.missing = why;
            if (!seen[i]) { tell(as_text(none)); }
        }
    };
    if (!meeting.in_memory()) { return rest("ranks share no memory"); }
    std::optional<meeting_place> place;
    if (comm.rank() == 0) { place.emplace(how.ranks, how.iterations); }
    rendezvous const folder(comm.rank() == 0);
    auto const board = tell_all(comm, place ? place->path() : std::string{});
    auto const where = tell_all(comm, folder.path());
    auto const processors = processors_of_all(comm);
    auto const seconds = seconds_per_case_ * static_cast<double>(cases.size());
    std::vector<std::string> command{(std::filesystem::path(folder_) / driver).string(), as_member,
                                     std::to_string(comm.rank()), where.data()};
    for (auto& word :
         order{board.data(), static_cast<unsigned>(seconds) + 5, false, how, cases}.words()) {
        command.push_back(std::move(word));
    }
    auto const end = run_launch(
        [&](int descriptor) {
            processors.bind(::pthread_self());
            return become(command, descriptor);
        },
        seconds,
        [&](std::string const& line) {
            case_result r;
            if (!read_result(line, r) || r.index >= cases.size()) { return false; }
            seen[r.index] = true;
            if (comm.rank() == 0) { tell(line); }
            return true;
        });
    comm.barrier({.timeout = coll::timeout::never});  // rank 0's board lives until then
    if (end.how == launch_end::how::out_of_time) { return rest("did not finish"); }
    if (end.how == launch_end::how::failed && end.status == 77) {  // what it needs is not here
        return rest(end.said.substr(0, end.said.find('\n')));
    }
    if (end.how == launch_end::how::failed) { return rest(fmt::format("failed: {}", end.said)); }
}

}  // namespace coll_perf
