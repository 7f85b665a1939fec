// SPDX-License-Identifier: BSD-3-Clause
// Which rank a process is, from what launchers say, and over what it joins the others.
#include <collectives/launch/environment.hpp>
#include <collectives/launch/job_name.hpp>
#include <collectives/launch/joiners.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace coll = collectives;

namespace {

/// Sets variables for as long as it lives.
class environment {
public:
    environment(std::initializer_list<std::pair<char const*, char const*>> variables) {
        for (auto const& [name, value] : variables) {
            ::setenv(name, value, 1);
            names_.push_back(name);
        }
    }
    environment(environment const&) = delete;
    environment& operator=(environment const&) = delete;
    ~environment() {
        for (auto const* const name : names_) { ::unsetenv(name); }
    }

private:
    std::vector<char const*> names_;
};

std::string refusal() {
    try {
        return "rank " + std::to_string(coll::place_from_environment().rank);
    } catch (coll::usage_error const& e) { return e.what(); }
}

}  // namespace

TEST_CASE("each launcher's variables are understood") {
    struct launcher {
        char const *rank, *size, *local_rank, *local_size;
    };
    for (auto const& l :
         {launcher{"COLLECTIVES_RANK", "COLLECTIVES_SIZE", "COLLECTIVES_LOCAL_RANK",
                   "COLLECTIVES_LOCAL_SIZE"},
          launcher{"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
          launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                   "OMPI_COMM_WORLD_LOCAL_SIZE"},
          launcher{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
          launcher{"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "MPI_LOCALNRANKS"},
          launcher{"PMIX_RANK", "COLLECTIVES_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"}}) {
        CAPTURE(l.rank);
        environment const set{
            {l.rank, "5"}, {l.size, "8"}, {l.local_rank, "1"}, {l.local_size, "4"}};
        auto const place = coll::place_from_environment();
        CHECK(place.rank == 5);
        CHECK(place.size == 8);
        CHECK(place.local_rank == 1);
        CHECK(place.local_size == 4);
        CHECK(coll::detail::on_several_machines(place));
    }
}

TEST_CASE("what a launcher does not say is not known") {
    environment const set{{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}};
    auto const place = coll::place_from_environment();
    CHECK(place.local_rank == -1);
    CHECK(place.local_size == -1);
    CHECK(!coll::detail::on_several_machines(place));
    environment const nodes{{"SLURM_STEP_NUM_NODES", "2"}};
    CHECK(coll::detail::on_several_machines(place));
    environment const here{{"MPI_LOCALNRANKS", "2"}};
    CHECK(!coll::detail::on_several_machines(coll::place_from_environment()));
}

TEST_CASE("sources that disagree are named") {
    environment const set{{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}};
    CHECK(refusal() == "rank 1");
    {
        environment const same{{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "4"}, {"PMIX_RANK", "1"}};
        CHECK(refusal() == "rank 1");
    }
    {
        environment const other{{"RANK", "0"}, {"WORLD_SIZE", "4"}};
        CHECK(refusal() ==
              "RANK and WORLD_SIZE say rank 0 of 4, but PMI_RANK and PMI_SIZE say rank 1 of 4");
    }
    environment const other{{"LOCAL_RANK", "1"}, {"MPI_LOCALRANKID", "0"}};
    CHECK(refusal() == "LOCAL_RANK says 1, but MPI_LOCALRANKID says 0");
}

TEST_CASE("the variables of a batch script do not speak of the ranks that mpiexec starts in it") {
    environment const script{{"SLURM_PROCID", "0"},
                             {"SLURM_NTASKS", "1"},
                             {"SLURM_LOCALID", "0"},
                             {"PMIX_RANK", "0"},
                             {"RANK", "7"}};
    {
        environment const hydra{{"PMI_RANK", "1"},
                                {"PMI_SIZE", "2"},
                                {"MPI_LOCALRANKID", "1"},
                                {"MPI_LOCALNRANKS", "2"}};
        auto const place = coll::place_from_environment();
        CHECK(place.rank == 1);
        CHECK(place.size == 2);
        CHECK(place.local_rank == 1);
    }
    environment const open_mpi{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}};
    auto const place = coll::place_from_environment();
    CHECK(place.rank == 1);
    CHECK(place.size == 2);
    CHECK(place.local_rank == -1);
}

TEST_CASE("what makes no sense is refused") {
    CHECK(refusal().find("no launcher's variables are set") == 0);
    {
        environment const half{{"COLLECTIVES_RANK", "0"}};
        CHECK(refusal() == "of COLLECTIVES_RANK and COLLECTIVES_SIZE only one is set");
    }
    {
        environment const half{{"PMIX_RANK", "0"}};
        CHECK(refusal().find("PMIX_RANK and COLLECTIVES_SIZE") != std::string::npos);
    }
    {
        environment const beyond{{"RANK", "2"}, {"WORLD_SIZE", "2"}};
        CHECK(refusal() == "RANK and WORLD_SIZE say rank 2 of 2");
    }
    environment const words{{"RANK", "one"}, {"WORLD_SIZE", "2"}};
    CHECK(refusal() == "RANK is 'one', which is no number");
}

TEST_CASE("a job has the name that it was given, else its launcher's") {
    CHECK(coll::detail::job_name().empty());
    environment const slurm{{"SLURM_JOB_ID", "12"}, {"SLURM_STEP_ID", "3"}};
    CHECK(coll::detail::job_name() == "12.3");
    environment const torchrun{{"TORCHELASTIC_RUN_ID", "run"}};
    CHECK(coll::detail::job_name() == "run");
    environment const own{{"COLLECTIVES_JOB", "mine"}};
    CHECK(coll::detail::job_name() == "mine");
    CHECK(coll::detail::local_job_name().find("-mine") != std::string::npos);
}

TEST_CASE("join takes the transport that is asked for, else the quickest that reaches all ranks") {
    using coll::detail::joiner, coll::detail::reach;
    coll::lean_vector<joiner> all;
    auto const over = [&](coll::job_place const& place, char const* name) -> std::string {
        try {
            return coll::detail::chosen_joiner(all, place, name).transport;
        } catch (coll::usage_error const& e) { return e.what(); }
    };
    auto const of = [](int local_size) { return coll::job_place{0, 4, "", 0, local_size}; };
    coll::detail::insert_joiner(all, {"shm", 0, coll::detail::reach_of_one_machine, nullptr});

    CHECK(over(of(4), "") == "shm");
    CHECK(over(of(-1), "") == "shm");  // nothing else is there
    CHECK(over(of(2), "").find("on several machines") != std::string::npos);
    CHECK(over(of(2), "shm") == "shm");
    auto const refused = over(of(4), "ucx");
    CHECK(refused.find("'ucx'") != std::string::npos);
    CHECK(refused.find(" shm") != std::string::npos);

    auto const everywhere = [](coll::job_place const&) { return reach::all; };
    coll::detail::insert_joiner(all, {"slow", 7, everywhere, nullptr});
    coll::detail::insert_joiner(all, {"ucx", 1, everywhere, nullptr});
    CHECK(over(of(4), "") == "shm");
    CHECK(over(of(2), "") == "ucx");
    CHECK(over(of(-1), "") == "ucx");
    CHECK(over(of(4), "slow") == "slow");
    CHECK(over({0, 1, "", -1, -1}, "") == "shm");  // alone
    environment const one_machine{{"SLURM_STEP_NUM_NODES", "1"}};
    CHECK(over(of(-1), "") == "shm");
}
