// SPDX-License-Identifier: BSD-3-Clause
// Who has not the job's secret is turned away, and no secret is taken from an unsafe place.
#include "place.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

using namespace meetings;

namespace {

std::string const secret_a(32, 'a'), secret_b(32, 'b');

/// A directory with files that hold secrets.
class vault {
public:
    ~vault() { std::filesystem::remove_all(directory_); }
    std::string keep(std::string const& name, std::string const& text, mode_t mode = 0600) const {
        auto const path = directory_ + "/" + name;
        std::ofstream(path) << text;
        ::chmod(path.c_str(), mode);
        return path;
    }

private:
    std::string directory_ = fresh_directory();
};

auto knowing(std::string const& file) {
    return [file](auto until) {
        ::setenv("COLLECTIVES_SECRET_FILE", file.c_str(), 1);
        return work(until);
    };
}

/// What one rank that is alone hears at once of its environment.
outcome refused(std::vector<std::pair<char const*, std::string>> const& variables) {
    return end_of(start(0, 2, [&] {
        for (auto const& [name, value] : variables) { ::setenv(name, value.c_str(), 1); }
        return work(coll::steady::now() + 2s);
    }));
}

bool says(outcome const& end, char const* words) {
    INFO(end.status << ": " << end.said);
    CHECK(end.said.find(words) != std::string::npos);
    return end.status == 30;
}

}  // namespace

TEST_CASE("ranks that share a secret meet") {
    vault const files;
    auto const know = knowing(files.keep("secret", secret_a));
    for (auto const kind : {"tcp", "fd", "local", "file"}) {
        CAPTURE(kind);
        place here(kind);
        std::vector<forked> ranks;
        for (int const r : {0, 1, 2}) { ranks.push_back(here.start(r, 3, know)); }
        CHECK(statuses(ranks) == std::vector{0, 0, 0});
    }
}

TEST_CASE("a secret is taken from an inherited descriptor, by all ranks from the same") {
    auto const file = ::memfd_create("secret", 0);
    REQUIRE(::write(file, secret_a.data(), 32) == 32);
    auto const know = [&](auto until) {
        ::setenv("COLLECTIVES_SECRET_FD", std::to_string(file).c_str(), 1);
        return work(until);
    };
    place here("tcp");
    CHECK(statuses({here.start(0, 2, know), here.start(1, 2, know)}) == std::vector{0, 0});
    ::close(file);
}

TEST_CASE("who has another secret, or none, is turned away and told why") {
    vault const files;
    auto const a = knowing(files.keep("a", secret_a)), b = knowing(files.keep("b", secret_b));
    place here("tcp");
    auto const host = here.start(0, 2, a);
    CHECK(says(end_of(here.start(1, 2, b)), "the secret of rank 0 is not this rank's"));
    CHECK(says(end_of(here.start(1, 2, work)), "the secret of rank 0 is not this rank's"));
    CHECK(statuses({host, here.start(1, 2, a)}) == std::vector{0, 0});
}

TEST_CASE("who only pretends to know the secret is turned away") {
    vault const files;
    auto const know = knowing(files.keep("secret", secret_a));
    place here("tcp");
    auto const host = here.start(0, 2, know);
    auto const at = coll::bootstraps::tcp_endpoints("127.0.0.1", std::to_string(here.port()));
    auto const pretend = [&](bool reflect) {
        coll::descriptor socket;
        do {
            socket = coll::bootstraps::begin_to_connect(at.front());
        } while (!coll::detail::wait_for(socket.get(), POLLOUT, coll::steady::now() + 1s) ||
                 ::send(socket.get(), "", 0, MSG_NOSIGNAL) < 0);
        auto const text = coll::bootstraps::hello{1, 2, 1000, {}, {}}.write();
        REQUIRE(::send(socket.get(), text.data(), text.size(), 0) > 0);
        std::this_thread::sleep_for(50ms);
        coll::bootstrap_bytes reply(coll::bootstraps::answer::bytes);
        REQUIRE(::recv(socket.get(), reply.data(), reply.size(), 0) == std::ssize(reply));
        auto const proof =
            reflect ? coll::bootstraps::answer::read(reply).proof : coll::bootstraps::block{};
        REQUIRE(::send(socket.get(), proof.data(), proof.size(), 0) == std::ssize(proof));
        std::this_thread::sleep_for(50ms);
        coll::bootstrap_bytes verdict(coll::bootstraps::head::bytes);
        REQUIRE(::recv(socket.get(), verdict.data(), verdict.size(), 0) == std::ssize(verdict));
        auto const head = coll::bootstraps::head::read(verdict, 0);
        REQUIRE(head);
        CHECK(head->what == coll::bootstraps::word::refused);
        CHECK(head->number == static_cast<std::uint32_t>(coll::bootstraps::refusal::secret));
    };
    pretend(false);
    pretend(true);
    CHECK(statuses({host, here.start(1, 2, know)}) == std::vector{0, 0});
}

TEST_CASE("where other machines can come a secret is asked for") {
    for (auto const store : {"tcp://0.0.0.0:40404", "tcp://192.0.2.1:40404", "tcp://[::]:40404"}) {
        CHECK(says(refused({{"COLLECTIVES_STORE", store}}), "need a secret"));
    }
    place here("fd");  // nor is a door taken that stands open to all
    auto const open =
        coll::bootstraps::listen_at(coll::bootstraps::tcp_endpoints("0.0.0.0", "0"), "0");
    CHECK(says(refused({{"COLLECTIVES_STORE", "fd:" + std::to_string(open.get())}}),
               "without a secret"));
    vault const files;
    auto const secret = files.keep("secret", secret_a);
    CHECK(refused({{"COLLECTIVES_STORE", "fd:" + std::to_string(open.get())},
                   {"COLLECTIVES_SECRET_FILE", secret}})
              .status == 11);  // it waits for rank 1
}

TEST_CASE("secrets that are none") {
    vault const files;
    auto const file = [&](std::string const& path) {
        return refused({{"COLLECTIVES_SECRET_FILE", path}});
    };
    CHECK(says(file(files.keep("open", secret_a, 0640)), "chmod 600"));
    CHECK(says(file(files.keep("short", "0123456789")), "is not 32 bytes"));
    CHECK(says(file(files.keep("zeros", std::string(32, '\0'))), "is not 32 bytes"));
    CHECK(says(file(files.keep("x", "") + "/none"), "Not a directory"));
    CHECK(says(file("/dev/null"), "must be a file of yours"));
    CHECK(says(refused({{"COLLECTIVES_SECRET_FD", "999"}}), "Bad file descriptor"));
    CHECK(says(refused({{"COLLECTIVES_SECRET_FD", "x"}}), "no number"));
    CHECK(says(refused({{"COLLECTIVES_SECRET_FD", "3"}, {"COLLECTIVES_SECRET_FILE", "y"}}),
               "both set"));
}

TEST_CASE("places that are none") {
    for (auto const store : {"", "tcp://", "tcp://host", "tcp://host:", "tcp://host:0",
                             "tcp://host:65536", "tcp://host:-1", "tcp://:80", "file://relative",
                             "file:", "fd:", "fd:-1", "fd:3x", "udp"}) {
        CHECK(says(refused({{"COLLECTIVES_STORE", store}}), "is neither tcp://HOST:PORT"));
    }
    CHECK(says(refused({{"COLLECTIVES_STORE", "fd:0"}}), "is no socket that listens"));
    CHECK(says(refused({{"COLLECTIVES_STORE", "fd:999"}}), "is no socket that listens"));
    CHECK(says(refused({{"COLLECTIVES_STORE", "file:///tmp"}, {"COLLECTIVES_JOB", "../x"}}),
               "is not of letters"));
    CHECK(says(refused({{"COLLECTIVES_LOCAL_SIZE", "1"}, {"MASTER_ADDR", "node7"}}),
               "COLLECTIVES_STORE=tcp://node7:PORT"));
    CHECK(refused({{"COLLECTIVES_STORE", "file:///no/such"}}).status == 40);
    CHECK(refused({{"COLLECTIVES_STORE", "tcp://no-such-host.invalid:80"}}).status == 40);
}

TEST_CASE("what was inherited is used once, and a job of one rank needs nothing") {
    place here("fd");
    auto const twice = [](auto until) {
        auto const status = work(until);
        try {
            static_cast<void>(meet(until));
            return 5;
        } catch (coll::usage_error const&) { return status; }
    };
    CHECK(statuses({here.start(0, 2, twice), here.start(1, 2, work)}) == std::vector{0, 0});
    CHECK(statuses({start(0, 1, [] { return work(coll::steady::now() + 1s); })}) == std::vector{0});
}
