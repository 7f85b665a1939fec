// SPDX-License-Identifier: BSD-3-Clause
// Random programs on which a random fault falls: every rank is told in time and the truth, the
// living go on with right results, and nothing is left behind.
#include <faults/campaign_job.hpp>
#include <faults/lost.hpp>
#include <faults/report_folder.hpp>
#include <property/rank_run.hpp>
#include <test_sampling.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace faults {

namespace {

using random_programs::rank_run;

/// What a rank lived through.
struct campaign_story {
    observation call, rest;
    int rest_size = 0;
};

/// How long after a death a rank may be told of it: in a campaign what the transport can reach,
/// else what any must.
double most_seconds() {
    auto const campaigns = std::getenv("COLLECTIVES_TEST_RESULTS") != nullptr;
    return std::chrono::duration<double>(campaigns ? job.death_time : 500ms).count() * slowness;
}

class campaign {
public:
    explicit campaign(campaign_job const& of)
        : job_(of), stories_(of.size), when_(1), pid_(1), fell_(1) {
        fell_[0] = true;
        beside_.fell = fell_.begin();
    }
    ~campaign() { ::unsetenv("COLLECTIVES_TIMEOUT"); }  // which other tests must not have

    /// Empty if all went as it should.
    std::string run() {
        // Calls that take no time-out, such as split, have it too.
        ::setenv("COLLECTIVES_TIMEOUT", job_.what == fault::stop ? "0.6" : "20", 1);
        std::optional<report_folder> reports;
        if (job_.reports) {
            reports.emplace();
            beside_.folders.push_back(reports->path());
        }
        std::optional<memory_group> group;
        if (job_.what == fault::group_memory) { beside_.group = &group.emplace(job_.group_bytes); }
        auto const before = held();
        observe(ending_,
                [&] { job.run(job_.size, [&](coll::communicator& comm) { live(comm); }); });
        auto now = held();
        for (int i = 0; i < 200 && !(now == before); ++i) {
            std::this_thread::sleep_for(5ms);
            now = held();
        }
        if (!(now == before)) {
            return "left behind: " + now.text() + "; before: " + before.text();
        }
        for (int r = 0; r < job_.size; ++r) {
            if (is_deadly(job_.what) && r == job_.victim) { continue; }
            if (auto const wrong = judge(r); !wrong.empty()) {
                return "rank " + std::to_string(r) + ": " + wrong;
            }
        }
        return {};
    }
    /// The fault that fell.
    std::string name() {
        return fault_names[static_cast<std::size_t>(fell_[0] ? job_.what : fault::none)];
    }
    static bool was_told(campaign_story const& s) { return s.call.caught > outcome::result; }
    std::string_view told() const {
        for (auto const& s : stories_) {
            if (was_told(s)) { return s.call.what(); }
        }
        return "nothing";
    }
    /// The longest time from the fault until a rank was told; 0 if none was.
    double slowest() const {
        double most = 0;
        for (auto const& s : stories_) {
            if (was_told(s)) { most = std::max(most, s.call.ended - when_[0]); }
        }
        return most;
    }

private:
    /// UCX's shared memory has a name while it is made; a rank killed then leaves its file.
    belongings held() const {
        belongings result;
        if (job_.what != fault::kill) { return result; }
        for (auto const& entry : std::filesystem::directory_iterator("/dev/shm")) {
            if (entry.path().filename().string().starts_with("ucx_shm_")) { --result.shared_files; }
        }
        return result;
    }
    void live(coll::communicator& comm) {
        auto& mine = stories_.at(comm);
        auto const strikes = comm.rank() == job_.victim;
        if (strikes) { pid_[0] = ::getpid(); }
        observe(mine.call, [&] {
            rank_run all(comm, job_.time);
            all.run(job_.before);
            {
                auto const soon = strikes ? strike(job_, beside_, when_[0]) : std::jthread();
                all.run(job_.after);
            }
            comm.barrier({.timeout = job_.time});
        });
        if (strikes && job_.what == fault::raise) { throw std::out_of_range("lost my way"); }
        observe(mine.rest, [&] {
            auto next = comm.shrink(
                {.timeout = job_.what == fault::stop ? coll::timeout(500ms) : coll::timeout(20s)});
            mine.rest_size = next.size();
            rank_run(next).run(job_.rest);
            next.barrier();
        });
        // The stopped rank finds itself left out.
        if (job_.what == fault::stop && !strikes) { ::kill(pid_[0], SIGCONT); }
    }

    /// Whether a peer that rank r was told of is the victim: by its number among all ranks, or
    /// among those of the split in random programs.
    bool is_victim_of(int r, int peer) const {
        auto const beside = job_.victim % 2 == r % 2;
        auto const last = (job_.size - 1) % 2 == r % 2;
        return peer == job_.victim ||
               (beside && peer == (job_.size - (last ? 1 : 2) - job_.victim) / 2);
    }
    std::string judge(int r) const {
        auto const& s = stories_[r];
        auto const is_victim = r == job_.victim;
        auto const limited = job_.what > fault::stop;
        auto const what = std::string(s.call.what());
        auto const rest = "after shrink: " + std::string(s.rest.what());
        if (s.call.says("wrong result") || s.rest.says("wrong result")) {
            return what + "; " + rest;
        }
        // A rank that lacks something may end; that it says so in time is seen at the others.
        if (is_victim && limited) { return {}; }
        switch (s.call.caught) {
            case outcome::nothing:
                return "it never came to an end; the job: " + std::string(ending_.what());
            case outcome::result: break;
            case outcome::peer_lost:
                if (limited || (is_victim_of(r, s.call.peer) && is_deadly(job_.what))) { break; }
                if (job_.what == fault::stop && is_victim) { break; }  // the others have ended
                return "told of a loss that was none: " + what;
            case outcome::timeout:
                if (job_.what == fault::stop) { break; }
                // In a split a rank may wait for one that lives and has given up before it came
                // there: the rank that lacks something, or one that was told of a loss elsewhere.
                if (limited || (is_deadly(job_.what) && r % 2 != job_.victim % 2)) { break; }
                return "a time-out: " + what;
            case outcome::transport:
            case outcome::foreign:  // std::bad_alloc
            case outcome::other_error:
                if (limited || s.call.says("has called shrink")) { break; }  // which knew it first
                return what;
            default: return "told something that is not true: " + what;
        }
        if (auto const seconds = s.call.ended - when_[0]; is_deadly(job_.what) &&
                                                          s.call.caught == outcome::peer_lost &&
                                                          seconds > most_seconds()) {
            return "told only after " + std::to_string(seconds) + " s";
        }
        // The rank that lacks something may fail again.
        if (limited) { return s.rest.caught == outcome::nothing ? "shrink never ended" : ""; }
        if (job_.what == fault::stop && is_victim) { return {}; }
        if (s.rest.caught != outcome::result) { return rest; }
        auto const left = job_.size - (is_deadly(job_.what) ? 1 : 0);
        if (job_.what != fault::stop && s.rest_size != left) {
            return std::to_string(s.rest_size) + " ranks went on, not " + std::to_string(left);
        }
        return {};
    }

    campaign_job job_;
    surroundings beside_;
    observation ending_;  // of the whole job
    mutable shared_array<campaign_story> stories_;
    mutable shared_array<double> when_;
    shared_array<int> pid_;
    shared_array<bool> fell_;
};

}  // namespace

TEST_SUITE_BEGIN("alone");

/// COLLECTIVES_TEST_JOBS jobs, by default 25; COLLECTIVES_TEST_SEED is that of the first.
/// COLLECTIVES_TEST_RESULTS names a file that gets a line per job.
TEST_CASE("random faults in random programs") {
    auto const* const asked = std::getenv("COLLECTIVES_TEST_JOBS");
    auto const jobs = asked != nullptr ? std::strtoul(asked, nullptr, 10) : 25;
    auto const first = sampling::seed(std::random_device{}());
    auto const* const file = std::getenv("COLLECTIVES_TEST_RESULTS");
    std::ofstream results;
    if (file != nullptr) { results.open(file, std::ios::app); }
    MESSAGE("the first of ", jobs, " jobs has seed ", first);
    leave_dev_shm_to_others();
    job.run(2, [](coll::communicator& comm) { comm.barrier(); });  // what is made once
    std::size_t heap = 0;  // in use after a fifth of the jobs
    for (unsigned i = 0; i < jobs; ++i) {
        if (i == jobs / 5) { heap = heap_in_use(); }
        watchdog const guard(60s);
        campaign_job const of(first + i);
        campaign c(of);
        auto const wrong = c.run();
        auto const name = c.name();
        INFO("COLLECTIVES_TEST_JOBS=1 COLLECTIVES_TEST_SEED=", of.seed, ": ", of.size, " ranks, ",
             name, " on rank ", of.victim, ": ", wrong);
        CHECK(wrong.empty());
        if (results) {
            results << of.seed << ',' << of.size << ',' << name << ',' << of.victim << ','
                    << c.slowest() << ",\"" << c.told() << "\"\n";
        }
    }
    CHECK_LT(heap_in_use(), heap + (512 << 10));
}

TEST_SUITE_END();

}  // namespace faults
