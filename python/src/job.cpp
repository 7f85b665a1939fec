// SPDX-License-Identifier: BSD-3-Clause
#include "job.hpp"

#include "communicator.hpp"

#include <collectives/launch/job_name.hpp>
#include <collectives/launch/joiners.hpp>
#include <collectives/launch/local_job.hpp>
#include <collectives/transport/model.hpp>

#include <nanobind/stl/string.h>

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace python {

namespace {

namespace shm = coll::shm::detail;

/// Kept until the process ends: that is when it leaves its jobs.
std::vector<std::shared_ptr<shm::membership>> memberships;

/// While ranks meet, Ctrl-C ends the process at once, as nothing is there yet that could be lost.
class plain_interrupt {
public:
    plain_interrupt() {
        struct sigaction now {};
        now.sa_handler = SIG_DFL;
        ::sigaction(SIGINT, &now, &before_);
    }
    plain_interrupt(plain_interrupt const&) = delete;
    plain_interrupt& operator=(plain_interrupt const&) = delete;
    ~plain_interrupt() { ::sigaction(SIGINT, &before_, nullptr); }

private:
    struct sigaction before_ {};
};

coll::communicator take_part(coll::job_place const& me, std::string const& name,
                             coll::timeout time) {
    auto const until = time.deadline(coll::steady::now());
    auto const member = std::make_shared<shm::membership>(
        me.rank == 0 ? shm::create_job(me, name, until) : shm::enter_job(me, name, until), me.rank);
    memberships.push_back(member);
    return coll::communicator(coll::erase(member->memory.rank(me.rank, member, true)));
}

template <class Meet>
communicator join(Meet const& meet) {
    std::optional<coll::communicator> comm;
    {
        plain_interrupt const ends_all;
        comm.emplace(meet());
    }
    return {std::move(*comm), std::make_shared<rank_use>()};
}

/// As coll::join(), among the transports that this module has.
communicator join_by_environment(nb::handle timeout) {
    return join([time = timeout_of(timeout)] {
        auto const place = coll::place_from_environment();
        auto const* const name = std::getenv("COLLECTIVES_TRANSPORT");
        auto const meet = [](coll::timeout t) {
            return take_part(coll::place_from_environment(), coll::detail::local_job_name(), t);
        };
        std::vector<coll::detail::joiner> all{{"shm", 0, coll::detail::reach_of_one_machine, meet}};
        if (auto const over_hosts = joiner_over_hosts()) { all.push_back(*over_hosts); }
        return coll::detail::chosen_joiner(all, place, name == nullptr ? "" : name).join(time);
    });
}

communicator join_job(int rank, int size, std::string const& name) {
    return join([&] { return take_part({rank, size, "run"}, name, {}); });
}

/// Says that this process has left its jobs, so that its end is no loss.
void leave() {
    for (auto const& one : memberships) {
        if (::getpid() == one->process) {
            one->memory.state().depart(one->rank, coll::shared::life::left, 0);
        }
    }
}

/// Kills this process when the thread that started it ends. False if it has ended already.
bool end_with(int parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return ::getppid() == parent;
}

}  // namespace

void bind_job(nb::module_& m) {
    m.def("join", &join_by_environment, nb::arg("timeout") = nb::none());
    m.attr("has_ucx") = joiner_over_hosts().has_value();
    m.def("join_job", &join_job, nb::arg("rank"), nb::arg("size"), nb::arg("name"));
    m.def("leave", &leave);
    std::atexit(
        leave);  // as late as possible: a launcher shall see this end before those it causes
    m.def("end_with", &end_with, nb::arg("parent"));
}

}  // namespace python
