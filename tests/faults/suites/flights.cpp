// SPDX-License-Identifier: BSD-3-Clause
// The flight recorder: a file per rank once a communicator has failed, and at SIGUSR2.
#include <faults/observed.hpp>
#include <faults/report_folder.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace faults {

namespace {

bool says(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("each rank leaves a file once its communicator has failed") {
    report_folder folder;
    stories of(3);
    job.run(3, [&](coll::communicator& comm) {
        auto& mine = of.at(comm);
        observe(mine.call, [&] {
            std::vector<float> data(200, 1);
            comm.all_reduce(data);
            if (comm.rank() == 2) { return std::this_thread::sleep_for(400ms); }
            comm.all_reduce(data, coll::sum{}, {.algorithm = coll::ring{}, .timeout = 200ms});
        });
        // Who shares memory learns of it even without another call.
        if (comm.rank() != 2 || job.control_time != 0ms) { try_again(mine, comm); }
    });
    for (int r = 0; r < 3; ++r) {
        auto const files = folder.of(r);
        CAPTURE(r);
        REQUIRE_EQ(files.size(), 1);
        CAPTURE(files[0]);
        CHECK(says(files[0], R"("why":"failure")"));
        CHECK(says(files[0], R"({"kind":"timeout","text":"time ran out; rank )"));
        CHECK(says(files[0], R"({"number":1,"call":"all_reduce","count":200,"type":"float",)"));
        CHECK_EQ(says(files[0], R"({"number":2,)"), r != 2);
        CHECK_EQ(says(files[0], R"("waits":null,"waited)"), r == 2);
        if (r == 0) {
            CHECK(says(files[0], R"("waits":{"call":"all_reduce","number":2,"round":0,"peer":2})"));
        }
    }
}

TEST_CASE("an abort leaves the same files") {
    report_folder folder;
    stories of(3);
    job.run(3, [&](coll::communicator& comm) {
        observe(of.at(comm).call, [&] {
            if (comm.rank() == 1) {
                std::this_thread::sleep_for(100ms);
                comm.abort("enough \"of\" this");
            }
            comm.barrier();
        });
    });
    for (int r = 0; r < 3; ++r) {
        auto const files = folder.of(r);
        REQUIRE_EQ(files.size(), 1);
        CHECK(says(files[0], R"("kind":"aborted","text":"aborted by rank 1: enough \"of\" this")"));
    }
}

TEST_CASE("at SIGUSR2 a rank that waits says where, and goes on") {
    report_folder folder;
    shared_array<::pid_t> process(3);
    CHECK_NOTHROW(job.run(3, [&](coll::communicator& comm) {
        process.at(comm) = ::getpid();
        comm.barrier();
        if (comm.rank() == 0) {
            std::this_thread::sleep_for(100ms);
            for (auto const p : process) { ::kill(p, SIGUSR2); }
            std::this_thread::sleep_for(200ms);
        }
        comm.barrier();
    }));
    for (int r = 1; r < 3; ++r) {
        auto const files = folder.of(r);
        REQUIRE_EQ(files.size(), 1);
        CAPTURE(files[0]);
        CHECK(says(files[0], R"("why":"signal")"));
        CHECK(says(files[0], R"("failure":null)"));
        CHECK(says(files[0], R"("waits":{"call":"barrier","number":2,)"));
    }
}

TEST_CASE("a communicator does not answer a signal that came before it was made") {
    report_folder folder;
    CHECK_NOTHROW(job.run(2, [&](coll::communicator& comm) {
        comm.barrier();
        ::kill(::getpid(), SIGUSR2);
        std::this_thread::sleep_for(50ms);
        auto part = comm.split(0);
        if (comm.rank() == 0) { std::this_thread::sleep_for(150ms); }
        part.barrier();
    }));
    for (auto const& entry : std::filesystem::directory_iterator(folder.path())) {
        CHECK_EQ(entry.path().filename().string().rfind("flight-1-", 0), 0);
    }
}

namespace {

/// Until it goes, no file of this process may grow beyond so many bytes, from `set` on; standard
/// error, which may be one, leads nowhere.
class short_files {
public:
    short_files() : error_(::dup(STDERR_FILENO)) {
        ::getrlimit(RLIMIT_FSIZE, &was_);
        auto const nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        ::dup2(nowhere, STDERR_FILENO);
        ::close(nowhere);
    }
    short_files(short_files const&) = delete;
    short_files& operator=(short_files const&) = delete;
    ~short_files() {
        ::setrlimit(RLIMIT_FSIZE, &was_);
        ::dup2(error_, STDERR_FILENO);
        ::close(error_);
    }
    void set(::rlim_t bytes) const {
        ::rlimit const now{bytes, was_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
    }

private:
    ::rlimit was_{};
    int error_;
};

}  // namespace

TEST_CASE("a report that no file may hold ends no rank, and leaves nothing") {
    if (job.control_time != 0ms) { return; }  // UCX ends the process where a limit is met
    report_folder folder;
    stories of(3);
    {
        short_files const files;
        CHECK_NOTHROW(job.run(3, [&](coll::communicator& comm) {
            comm.barrier();
            files.set(100);
            comm.barrier();  // a rank that learns of the abort has its limit
            observe(of.at(comm).call, [&] {
                if (comm.rank() == 1) { comm.abort("enough"); }
                comm.barrier();
            });
        }));
    }
    for (int r = 0; r < 3; ++r) {
        CHECK_EQ(of[r].call.caught, outcome::other_error);
        CHECK(folder.of(r).empty());
    }
}

TEST_CASE("a report does not follow a link that lies in its place") {
    report_folder folder;
    auto const treasure = folder.path() / "treasure";
    std::ofstream(treasure) << "gold";
    stories of(2);
    job.run(2, [&](coll::communicator& comm) {
        auto const name = "flight-1-rank" + std::to_string(comm.rank()) + "-pid" +
                          std::to_string(::getpid()) + ".json.tmp";
        std::filesystem::create_symlink(treasure, folder.path() / name);
        observe(of.at(comm).call, [&] {
            comm.barrier();
            if (comm.rank() == 1) { comm.abort("enough"); }
            comm.barrier();
        });
    });
    std::string found;
    std::ifstream(treasure) >> found;
    CHECK_EQ(found, "gold");
    for (int r = 0; r < 2; ++r) {
        auto const files = folder.of(r);
        REQUIRE_EQ(files.size(), 1);
        CHECK(says(files[0], R"("kind":"aborted")"));
    }
}

TEST_CASE("a thread that is to be cancelled ends its call, and reports, before that") {
    if (job.control_time != 0ms) { return; }  // UCX has cancellation points of its own
    report_folder folder;
    stories of(2);
    job.run(2, [&](coll::communicator& comm) {
        std::thread([&] {
            if (comm.rank() == 0) { ::pthread_cancel(::pthread_self()); }
            observe(of.at(comm).call, [&] {
                if (comm.rank() == 1) { return std::this_thread::sleep_for(300ms); }
                comm.barrier({.timeout = 200ms});
            });
            ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);  // all is seen
        }).join();
    });
    CHECK_EQ(of[0].call.caught, outcome::timeout);
    auto const files = folder.of(0);
    REQUIRE_EQ(files.size(), 1);
    CHECK(says(files[0], R"("kind":"timeout")"));
}

TEST_CASE("a directory that is none is an error when the communicator is made") {
    report_folder folder;
    auto const none = folder.path() / "none";
    ::setenv("COLLECTIVES_REPORT", none.c_str(), 1);
    observation ending;
    observe(ending, [&] { job.run(2, [](coll::communicator& comm) { comm.barrier(); }); });
    CAPTURE(ending.what());
    CHECK(ending.says("COLLECTIVES_REPORT is '"));
    CHECK(ending.says("give a directory in which this process may write"));
}

}  // namespace faults
