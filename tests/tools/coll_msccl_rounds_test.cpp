// SPDX-License-Identifier: BSD-3-Clause
// Programs of MSCCL: what is written is read back as the same messages, what cannot be said by
// steps is refused by name.
#include "rounds.hpp"

#include <collectives/schedule.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

namespace coll = collectives;

std::vector<coll::schedule> there_and_back(coll::any_algorithm a, int size) {
    auto const ranks = a.record_all(coll::collective::all_reduce, size);
    auto const xml = coll_msccl::as_xml(ranks, coll::name(a));
    return coll_msccl::schedules_of(coll_msccl::parse(xml));
}

/// How often each thing is done, whatever the round. A range that wraps around the end is two.
std::map<std::tuple<int, int, int, int>, int> deeds(std::vector<coll::schedule> const& ranks) {
    std::map<std::tuple<int, int, int, int>, int> result;  // rank, verb, peer, chunk
    for (auto const& own : ranks) {
        for (auto const& s : own.steps) {
            for (int c = 0; c < s.chunks.count; ++c) {
                ++result[{own.rank, static_cast<int>(s.what), s.peer,
                          (s.chunks.first + c) % own.chunks}];
            }
        }
    }
    return result;
}

/// Without the order of the steps within a round, which means nothing.
std::vector<coll::schedule> sorted(std::vector<coll::schedule> ranks) {
    for (auto& own : ranks) {
        std::sort(own.steps.begin(), own.steps.end(), [](auto const& a, auto const& b) {
            return std::tuple(a.round, a.what, a.peer, a.chunks.first) <
                   std::tuple(b.round, b.what, b.peer, b.chunks.first);
        });
    }
    return ranks;
}

std::string why(std::string const& xml) {
    try {
        auto const ranks = coll_msccl::schedules_of(coll_msccl::parse(xml));
        return "read: " + std::string(coll::check(ranks).what);
    } catch (std::runtime_error const& e) { return e.what(); }
}

/// A program of two ranks, each with one threadblock, which talk to each other.
std::string two_ranks(std::string const& steps_of_0, std::string const& steps_of_1,
                      std::string const& head = "coll=\"allreduce\" inplace=\"1\"") {
    std::string xml = fmt::format("<algo name=\"x\" ngpus=\"2\" nchunksperloop=\"2\" {}>", head);
    for (int rank = 0; auto const& steps : {steps_of_0, steps_of_1}) {
        xml += fmt::format(
            "<gpu id=\"{}\"><tb id=\"0\" send=\"{}\" recv=\"{}\" chan=\"0\">{}</tb>"
            "</gpu>",
            rank, 1 - rank, 1 - rank, steps);
        ++rank;
    }
    return xml + "</algo>";
}

std::string step(int s, std::string const& type, int chunk, std::string const& buffer = "i",
                 std::string const& wait = "depid=\"-1\" deps=\"-1\"", int to = -1) {
    return fmt::format(
        "<step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" "
        "dstoff=\"{}\" cnt=\"1\" {} hasdep=\"0\"/>",
        s, type, buffer, chunk, buffer, to < 0 ? chunk : to, wait);
}

}  // namespace

TEST_CASE("what is written is read back as the same messages, and proved") {
    std::vector<coll::any_algorithm> all(coll::all_algorithms.begin(), coll::all_algorithms.end());
    for (int group : {2, 3, 4}) {
        all.push_back(coll::hierarchical{group});
        all.push_back(coll::leaders{group});
    }
    for (auto const a : all) {
        for (int size = 1; size <= 16; ++size) {
            if (!a.fits(size)) { continue; }
            CAPTURE(coll::name(a));
            CAPTURE(size);
            auto const before = a.record_all(coll::collective::all_reduce, size);
            auto const after = there_and_back(a, size);
            CHECK(coll::check(after).what == "correct");
            CHECK(deeds(before) == deeds(after));
            CHECK(coll::cost_of(before, 1000).busiest == coll::cost_of(after, 1000).busiest);
        }
    }
}

TEST_CASE("where data set the rounds, they are the same too") {
    auto const same = [](coll::any_algorithm a, int size) {
        CAPTURE(coll::name(a));
        CAPTURE(size);
        CHECK(sorted(there_and_back(a, size)) ==
              sorted(a.record_all(coll::collective::all_reduce, size)));
    };
    for (int size : {2, 3, 4, 5, 8, 13}) {
        same(coll::ring{}, size);
        same(coll::one_shot{}, size);
        same(coll::two_shot{}, size);
    }
    for (int size : {2, 4, 8, 16}) {
        same(coll::halving{}, size);
        same(coll::butterfly{}, size);
    }
}

TEST_CASE("fused steps are a receive, then a send") {
    // A ring of two: rank 0 sends its chunk 0; rank 1 adds to it and sends it back, and so on.
    auto const ring = two_ranks(step(0, "s", 0) + step(1, "rrs", 1) + step(2, "r", 0),
                                step(0, "s", 1) + step(1, "rrcs", 0) + step(2, "r", 1));
    auto const ranks = coll_msccl::schedules_of(coll_msccl::parse(ring));
    CHECK(coll::check(ranks).what == "correct");
    REQUIRE(ranks[0].steps.size() == 4);
    CHECK(ranks[0].steps[0] == coll::step{0, coll::verb::send, 1, {0, 1}});
    CHECK(ranks[0].steps[3].what == coll::verb::recv_copy);
    CHECK(ranks[0].rounds == 2);
    auto const relay = two_ranks(step(0, "rcs", 0), step(0, "s", 0) + step(1, "r", 0));
    CHECK(coll_msccl::schedules_of(coll_msccl::parse(relay))[0].steps.size() == 2);
    CHECK(why(relay) == "read: a copy replaces contributions it does not hold");
}

TEST_CASE("a step that does nothing orders others, also across threadblocks") {
    auto const dependence = [](std::string const& wait) {
        return "<algo name=\"x\" ngpus=\"3\" nchunksperloop=\"1\" coll=\"allreduce\" inplace=\"1\">"
               "<gpu id=\"0\"><tb id=\"0\" send=\"-1\" recv=\"1\" chan=\"0\">" +
               step(0, "rrc", 0) + "</tb><tb id=\"1\" send=\"-1\" recv=\"2\" chan=\"0\">" +
               step(0, "nop", 0, "i", wait) + step(1, "rrc", 0) + "</tb></gpu>" +
               "<gpu id=\"1\"><tb id=\"0\" send=\"0\" recv=\"-1\" chan=\"0\">" + step(0, "s", 0) +
               "</tb></gpu><gpu id=\"2\"><tb id=\"0\" send=\"0\" recv=\"-1\" chan=\"0\">" +
               step(0, "s", 0) + "</tb></gpu></algo>";
    };
    auto const ordered = dependence("depid=\"0\" deps=\"0\"");
    CHECK(coll_msccl::schedules_of(coll_msccl::parse(ordered))[0].rounds == 1);
    CHECK(why(dependence("depid=\"-1\" deps=\"-1\"")) ==
          "gpu 0, tb 0, step 0 and gpu 0, tb 1, step 1 have no order, and touch the same chunk");
    CHECK(why(dependence("depid=\"7\" deps=\"0\"")) ==
          "gpu 0, tb 1, step 0: it depends on tb 7, step 0, which is not there");
    CHECK(why(dependence("depid=\"1\" deps=\"1\"")).ends_with("waits for itself, in a circle"));
}

TEST_CASE("what steps cannot say is refused by name") {
    auto const alone = [](std::string const& of) { return two_ranks(of, ""); };
    CHECK(why("no xml").starts_with("it is no XML"));
    CHECK(why("<a/>") == "it has no element \"algo\"");
    CHECK(why(two_ranks("", "", "coll=\"allgather\" inplace=\"1\"")) ==
          "it is a \"allgather\"; only an allreduce can be read");
    CHECK(why(alone(step(0, "re", 0))) ==
          "gpu 0, tb 0, step 0: it adds two local chunks (\"re\"), which no step does");
    CHECK(why(alone(step(0, "s", 0, "s"))) ==
          "gpu 0, tb 0, step 0: it uses a scratch buffer, which steps have not");
    CHECK(why(alone(step(0, "cpy", 0, "i", "depid=\"-1\" deps=\"-1\"", 1))) ==
          "gpu 0, tb 0, step 0: \"cpy\" from one chunk to another; a step names one");
    CHECK(why(alone(step(0, "put", 0))) == "gpu 0, tb 0, step 0: there is no step of type \"put\"");
    CHECK(why(two_ranks(step(0, "s", 0, "o"), "", "coll=\"allreduce\" inplace=\"0\"")) ==
          "gpu 0, tb 0, step 0: input and output are apart; only a program with inplace=\"1\" is "
          "read");
    CHECK(why(alone(step(0, "s", 2))) == "gpu 0, tb 0, step 0: chunks 2 to 2 of 2");
    CHECK(why(alone(step(0, "s", 0))) ==
          "gpu 0 sends 1 times to gpu 1 over channel 0, which receives 0 times");
    CHECK(why(two_ranks(step(0, "s", 0), step(0, "rrc", 1))) ==
          "gpu 0, tb 0, step 0 sends chunks 0 to 0, which gpu 1, tb 0, step 0 receives as chunks "
          "1 to 1");
    CHECK(why("<algo name=\"x\" ngpus=\"many\" nchunksperloop=\"2\" coll=\"allreduce\"/>") ==
          "algo: ngpus=\"many\" is not a number from 1 to 1048576");
    CHECK(why("<algo name=\"x\" ngpus=\"2\" nchunksperloop=\"2\" coll=\"allreduce\">"
              "<gpu id=\"2\"/></algo>") == "gpu 2: there is no such gpu, or it stands twice");
    // Each receives before it sends what the other waits for.
    CHECK(why(two_ranks(step(0, "rrc", 0) + step(1, "s", 1), step(0, "rrc", 1) + step(1, "s", 0)))
              .ends_with("waits for itself, in a circle"));
    CHECK(why(two_ranks("", "")) == "read: a contribution is missing");
}

TEST_CASE("what is too much is refused at once") {
    std::string sends, receives;
    for (int i = 0; i < 2000; ++i) {
        for (auto* const steps : {&sends, &receives}) {
            *steps += fmt::format(
                "<step s=\"{}\" type=\"{}\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" "
                "dstoff=\"0\" cnt=\"262144\" depid=\"-1\" deps=\"-1\"/>",
                i, steps == &sends ? "s" : "rrc");
        }
    }
    auto const head = "coll=\"allreduce\" inplace=\"1\"";
    auto large = two_ranks(sends, receives, head);
    large.replace(large.find("nchunksperloop=\"2\""), 18, "nchunksperloop=\"262144\"");
    CHECK(why(large) == "its operations touch chunks 1048576000 times, more than 2000000");
    std::string same, others;
    for (int i = 0; i < 4000; ++i) {
        same += step(i, "s", 0);
        others += step(i, "rrc", 0);
    }
    CHECK(why(two_ranks(same, others)) ==
          "more than 4000000 pairs of operations touch the same chunk");
}

TEST_CASE("additions whose data come later stay apart") {
    // Ranks 1 and 2 send to rank 0; rank 2 has to wait for what rank 1 sends it.
    auto const block = [](int id, int send, int recv, std::string const& steps) {
        return fmt::format("<tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">{}</tb>", id, send,
                           recv, steps);
    };
    auto const xml =
        "<algo name=\"x\" ngpus=\"3\" nchunksperloop=\"1\" coll=\"allreduce\" inplace=\"1\">"
        "<gpu id=\"0\">" +
        block(0, -1, 1, step(0, "rrc", 0)) +
        block(1, -1, 2, step(0, "rrc", 0, "i", "depid=\"0\" deps=\"0\"")) + "</gpu><gpu id=\"1\">" +
        block(0, 0, -1, step(0, "s", 0)) + block(1, 2, -1, step(0, "s", 0)) +
        "</gpu><gpu id=\"2\">" + block(0, 0, 1, step(0, "rrcs", 0)) + "</gpu></algo>";
    auto const ranks = coll_msccl::schedules_of(coll_msccl::parse(xml));
    REQUIRE(ranks[0].steps.size() == 2);
    CHECK(ranks[0].steps[0].round == 0);
    CHECK(ranks[0].steps[1].round == 1);
}

TEST_CASE("a header has every step of the schedules") {
    auto const ranks =
        coll::any_algorithm(coll::tree{}).record_all(coll::collective::all_reduce, 3);
    auto const text = coll_msccl::as_header(ranks, "small_tree", "small.xml");
    CHECK(text.find("struct small_tree {") != text.npos);
    CHECK(text.find("return size == 3;") != text.npos);
    std::size_t steps = 0;
    for (auto const& own : ranks) { steps += own.steps.size(); }
    std::size_t rows = 0;
    for (auto at = text.find("collectives::verb::"); at != text.npos;
         at = text.find("collectives::verb::", at + 1)) {
        ++rows;
    }
    CHECK(rows == steps);
}
