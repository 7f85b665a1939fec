// SPDX-License-Identifier: BSD-3-Clause
// Ranks meet at every kind of place; who is missing, doubled, dead or of another job is named.
#include "place.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <thread>

using namespace meetings;

namespace {

constexpr std::array<std::string_view, 4> kinds{"tcp", "fd", "file", "local"};

template <class F>
void at_every_place(F const& f) {
    for (auto const kind : kinds) {
        CAPTURE(kind);
        place here(kind);
        f(here, kind);
    }
}

std::vector<int> all(int size, int status) {
    return std::vector<int>(static_cast<std::size_t>(size), status);
}

double seconds_since(coll::steady::time_point begin) {
    return std::chrono::duration<double>(coll::steady::now() - begin).count();
}

}  // namespace

TEST_CASE("ranks meet and tell each other bytes, whoever comes first") {
    for (int const size : {1, 2, 3, 5, 8}) {
        for (bool const host_first : {true, false}) {
            at_every_place([&](place& here, std::string_view kind) {
                CAPTURE(size);
                std::vector<forked> ranks;
                for (int i = 0; i < size; ++i) {
                    ranks.push_back(here.start(host_first ? i : size - 1 - i, size, work));
                }
                here.leave();
                CHECK(statuses(ranks) == all(size, 0));
                if (kind == "file") { CHECK(here.files() == 0); }
            });
        }
    }
}

TEST_CASE("all who came name those who did not") {
    at_every_place([](place& here, std::string_view) {
        auto const begin = coll::steady::now();
        std::vector<forked> ranks;
        for (int const r : {0, 1, 3}) { ranks.push_back(here.start(r, 5, work, 1s)); }
        here.leave();
        for (auto const& r : ranks) {
            auto const end = end_of(r);
            CHECK(end.status == 12);
            CHECK_MESSAGE(end.said.find("missing rank 2 4") != std::string::npos, end.said);
        }
        CHECK(seconds_since(begin) < 1.6);
    });
}

TEST_CASE("all who came to a call name those who did not") {
    at_every_place([](place& here, std::string_view) {
        auto const come = [](auto until) {
            auto ranks = meet(until);
            ranks.all_gather(gift(ranks.rank(), 0), until);
            if (ranks.rank() == 1) {
                std::this_thread::sleep_for(3s);
                return 7;
            }
            ranks.all_gather({}, coll::steady::now() + 1s);
            return 0;
        };
        std::vector<forked> ranks;
        for (int const r : {0, 1, 2}) { ranks.push_back(here.start(r, 3, come)); }
        here.leave();
        CHECK(statuses(ranks) == std::vector{11, 7, 11});
    });
}

TEST_CASE("rank 0 is missing") {
    for (auto const kind : {"tcp", "file", "local"}) {
        place here(kind);
        auto const begin = coll::steady::now();
        CHECK(statuses({here.start(1, 2, work, 500ms)}) == std::vector{10});
        CHECK(seconds_since(begin) > 0.45);
        CHECK(seconds_since(begin) < 1.0);
    }
}

TEST_CASE("who dies while others are still missing is noticed at once") {
    for (int const victim : {0, 1}) {
        at_every_place([&](place& here, std::string_view) {
            CAPTURE(victim);
            std::vector<forked> ranks;
            for (int const r : {0, 1, 2}) { ranks.push_back(here.start(r, 4, work, 9s)); }
            here.leave();
            std::this_thread::sleep_for(300ms);
            auto const begin = coll::steady::now();
            ::kill(ranks[static_cast<std::size_t>(victim)].pid, SIGKILL);
            for (int r = 0; r < 3; ++r) {
                CHECK(end_of(ranks[static_cast<std::size_t>(r)]).status ==
                      (r == victim ? 100 + SIGKILL : 20 + victim));
            }
            CHECK(seconds_since(begin) < 0.5);
        });
    }
}

TEST_CASE("who dies between calls is noticed at once") {
    at_every_place([](place& here, std::string_view) {
        auto const come = [](auto until) {
            auto ranks = meet(until);
            ranks.all_gather({}, until);
            if (ranks.rank() == 1) { ::raise(SIGKILL); }
            ranks.all_gather({}, until);
            return 0;
        };
        auto const begin = coll::steady::now();
        std::vector<forked> ranks;
        for (int const r : {0, 1, 2}) { ranks.push_back(here.start(r, 3, come)); }
        here.leave();
        CHECK(statuses(ranks) == std::vector{21, 100 + SIGKILL, 21});
        CHECK(seconds_since(begin) < 1.0);
    });
}

TEST_CASE("a rank that is there already is turned away") {
    at_every_place([](place& here, std::string_view kind) {
        std::vector<forked> ranks{here.start(0, 3, work), here.start(1, 3, work)};
        std::this_thread::sleep_for(200ms);
        auto const twin = end_of(here.start(1, 3, work, 2s));
        CHECK(twin.status == 30);
        CHECK_MESSAGE(twin.said.find("rank 1 is there already") != std::string::npos, twin.said);
        if (kind == "tcp" || kind == "local") {
            auto const host = end_of(here.start(0, 3, work, 2s));
            CHECK(host.status == 40);
            CHECK_MESSAGE(host.said.find("in use") != std::string::npos, host.said);
        }
        ranks.push_back(here.start(2, 3, work));
        here.leave();
        CHECK(statuses(ranks) == all(3, 0));
    });
}

TEST_CASE("a rank that was told another size is turned away, and says both") {
    for (auto const kind : {"tcp", "local"}) {
        place here(kind);
        std::vector<forked> ranks{here.start(0, 3, work), here.start(1, 3, work)};
        auto const stranger = end_of(here.start(2, 4, work, 2s));
        CHECK(stranger.status == 30);
        CHECK_MESSAGE(stranger.said.find("counts 3 ranks, this one 4") != std::string::npos,
                      stranger.said);
        ranks.push_back(here.start(2, 3, work));
        CHECK(statuses(ranks) == all(3, 0));
    }
    place here("file");  // nobody is the host: all see that they differ
    CHECK(statuses({here.start(0, 3, work, 2s), here.start(2, 4, work, 2s)}) == all(2, 30));
}

TEST_CASE("all ranks of three are told that they are four") {
    at_every_place([](place& here, std::string_view) {
        std::vector<forked> ranks;
        for (int const r : {0, 1, 2}) { ranks.push_back(here.start(r, 4, work, 1s)); }
        here.leave();
        CHECK(statuses(ranks) == all(3, 13));
    });
}

TEST_CASE("two jobs at one place do not mix") {
    auto const other = [](auto until) {
        ::setenv("COLLECTIVES_JOB", "another", 1);
        return work(until);
    };
    for (auto const kind : {"file", "local"}) {
        place here(kind);
        std::vector<forked> ranks;
        for (int const r : {0, 1, 2}) {
            ranks.push_back(here.start(r, 3, work));
            ranks.push_back(here.start(r, 3, other));
        }
        CHECK(statuses(ranks) == all(6, 0));
    }
    place here("tcp");  // where one host can be
    auto const host = here.start(0, 2, work);
    std::this_thread::sleep_for(200ms);
    auto const second = end_of(here.start(0, 2, other));
    CHECK(second.status == 40);
    auto const guest = end_of(here.start(1, 2, other));
    CHECK(guest.status == 30);
    CHECK_MESSAGE(guest.said.find("belongs to another job than 'another'") != std::string::npos,
                  guest.said);
    CHECK(statuses({host, here.start(1, 2, work)}) == all(2, 0));
}

TEST_CASE("what a killed job has left in a directory is in nobody's way") {
    place here("file");
    std::vector<forked> ranks;
    for (int const r : {0, 1, 2}) { ranks.push_back(here.start(r, 4, work)); }
    std::this_thread::sleep_for(200ms);
    for (auto const& r : ranks) { ::kill(r.pid, SIGKILL); }
    CHECK(statuses(ranks) == all(3, 100 + SIGKILL));
    CHECK(here.files() == 6);
    ranks.clear();
    for (int const r : {3, 2, 1, 0}) { ranks.push_back(here.start(r, 4, work)); }
    CHECK(statuses(ranks) == all(4, 0));
    CHECK(here.files() == 0);
}

TEST_CASE("after an error it stays broken, and too many bytes are refused before") {
    at_every_place([](place& here, std::string_view) {
        auto const come = [](auto until) {
            auto ranks = meet(until);
            coll::bootstrap_bytes const much(coll::most_bootstrap_bytes + 1);
            try {
                ranks.all_gather(much, until);
                return 1;
            } catch (coll::usage_error const&) {}
            ranks.all_gather(std::span(much).first(much.size() - 1), until);
            if (ranks.rank() == 1) { return 0; }
            try {
                ranks.all_gather({}, coll::steady::now() + 1s);
                return 2;
            } catch (coll::peer_lost_error const&) {}
            try {
                ranks.all_gather({}, coll::steady::now() + 1s);
                return 3;
            } catch (coll::transport_error const&) {}
            return 0;
        };
        std::vector<forked> const ranks{here.start(0, 2, come), here.start(1, 2, come)};
        here.leave();
        CHECK(statuses(ranks) == all(2, 0));
    });
}
