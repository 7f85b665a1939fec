// SPDX-License-Identifier: BSD-3-Clause
#include "job_peers.hpp"

#include "sample_board.hpp"
#include "launch.hpp"
#include "order.hpp"
#include "peers.hpp"
#include "ranks/foreign.hpp"
#include "sizes.hpp"

#include "../launched/launched.hpp"
#include "ranks/mpi_peer.hpp"

#include <collectives/core/processors.hpp>

#include <fmt/format.h>

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
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

/// Else it is an MPI, whose calls the ranks themselves make.
bool has_driver(std::string const& name) { return name != "mpich" && name != "openmpi"; }

std::string launcher_of(std::string const& mpi) { return fmt::format("mpiexec.{}", mpi); }

/// The root's text, on all ranks.
std::string tell_all(coll::communicator& comm, std::string text, int root = 0) {
    std::array<std::uint64_t, 1> size{text.size()};
    comm.broadcast(size, root);
    text.resize(size[0]);
    comm.broadcast(text, root);
    return text;
}

/// Why there are no figures where the ranks' drivers ended like this; empty where all ended well.
/// The cause comes before its consequences: first a driver that lacks what it needs, then one that
/// failed, then those that ran out of time or ended because another one had failed. Of several
/// ranks the lowest counts. Collective; no rank returns before all have called.
std::string reason_of_all(coll::communicator& comm, launch_end const& mine) {
    using how = enum launch_end::how;
    auto const first_line = mine.said.substr(0, mine.said.find('\n'));
    bool const needs = mine.how == how::failed && mine.status == 77;
    bool const follows =
        mine.how == how::out_of_time || mine.said.find(another_gave_up) != std::string::npos;
    auto const why = mine.how == how::well          ? std::string()
                     : mine.how == how::out_of_time ? "did not finish"
                     : needs                        ? first_line
                                                    : "failed: " + mine.said;
    int const group = mine.how == how::well ? 3 : follows ? 2 : needs ? 0 : 1;
    std::array<int, 1> first{group * comm.size() + comm.rank()};
    comm.all_reduce(first, coll::min{}, {.timeout = coll::timeout::never});
    return tell_all(comm, why, first[0] % comm.size());
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
        if (has_driver(name)) {
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
    auto const mine = std::hash<std::string_view>{}(seen == nullptr ? "unset" : seen);
    std::array<std::size_t, 2> range{mine, ~mine};
    comm.all_reduce(range, coll::max{});
    std::string how;
    if (comm.rank() == 0 && range[0] != ~range[1]) {
        how = fmt::format("{} ranks, each with CUDA_VISIBLE_DEVICES of its own", comm.size());
    } else if (comm.rank() == 0) {
        try {
            how = sharing_of_devices("cuda", folder_of(o), comm.size());
        } catch (no_device const&) {
            how = "no device";
        } catch (std::runtime_error const& e) {  // the others wait for it
            how = e.what();
        }
    }
    return "cuda: " + tell_all(comm, how);
}

job_peers::job_peers(options const& o)
    : names_(names_of(o)), folder_(folder_of(o)), seconds_per_case_(o.seconds_per_case) {}

void job_peers::measure(std::string const& name, job_rank const& me, job_meeting& meeting,
                        settings const& how, std::vector<measured_case> const& cases,
                        tell_function const& tell) const {
    if (has_driver(name)) {
        return measure_by_driver(driver_of(name, folder_), me, meeting, how, cases, tell);
    }
    launched::mpi_calls const calls(me.comm.size());
    auto const find = [&](measured_case const& c) { return mpi_peer_call(calls, c); };
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
    if (comm.rank() == 0) { place.emplace(board::bytes_for(how.ranks, how.iterations)); }
    rendezvous const folder(comm.rank() == 0);
    auto const board_path = tell_all(comm, place ? place->path() : std::string{});
    auto const where = tell_all(comm, folder.path());
    auto const bytes = board::bytes_for(how.ranks, how.iterations);
    std::shared_ptr<void> const memory(order::map_board(board_path, bytes), [bytes](void* p) {
        if (p != nullptr) { ::munmap(p, bytes); }
    });
    if (memory == nullptr) { throw std::runtime_error("cannot map " + board_path); }
    board drivers(memory.get(), how.ranks, how.iterations, false);
    auto const processors = processors_of_all(comm);
    auto const seconds = seconds_per_case_ * static_cast<double>(cases.size());
    std::vector<std::string> command{driver, as_member, std::to_string(comm.rank()), where};
    for (auto& word :
         order{board_path, static_cast<unsigned>(seconds) + 5, false, how, cases}.words()) {
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
        },
        [&] { return drivers.is_given_up(); });
    if (end.how != launch_end::how::well) { drivers.give_up(); }  // the others may wait for it
    auto const why = reason_of_all(comm, end);                    // rank 0's board lives until then
    if (!why.empty()) { rest(why); }
}

}  // namespace coll_perf
