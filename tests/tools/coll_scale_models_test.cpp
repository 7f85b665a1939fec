// SPDX-License-Identifier: BSD-3-Clause
// The models are the published ones; steps and speed-ups by hand; and a step that really runs.
#include "replay.hpp"
#include "report.hpp"

#include "../../bench/resnet50.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

using namespace coll_scale;

namespace {

model small() { return {"small", {{"c", 1000, 1e9}, {"b", 3000, 2e9}, {"a", 0, 1e9}}}; }

/// A round takes a second, a byte a millisecond, nothing else anything.
cluster slow_cluster() {
    cluster on;
    on.at = {1, 0, 1e-3, 0};
    on.copy = 0;
    on.flops = 1e9;
    on.batch = 4;
    return on;
}

}  // namespace

TEST_CASE("the models are the published ones") {
    struct facts {
        char const* name;
        std::size_t tensors, elements;
        double gigaflops;  // forward, by the papers and by those who counted after them
    };
    for (auto const& f : {facts{"resnet50", 161, 25'557'032, 8.2},
                          {"resnet20", 59, 269'722, 0.081},
                          {"vgg16", 32, 138'357'544, 30.9},
                          {"gpt2_small", 148, 124'439'808, 292}}) {
        CAPTURE(f.name);
        auto const m = find_model(f.name, "tools/coll_scale/models");
        CHECK(m.name == f.name);
        CHECK(m.gradients.size() == f.tensors);
        CHECK(m.elements() == f.elements);
        CHECK(m.backward_flops() / 2e9 == doctest::Approx(f.gigaflops).epsilon(0.02));
    }
    auto const m = find_model("resnet50", "tools/coll_scale/models");
    auto const all = bench::resnet50();
    REQUIRE(all.size() == m.gradients.size());
    for (std::size_t i = 0; i < all.size(); ++i) {  // as the benchmarks have it
        CHECK(m.gradients[all.size() - 1 - i].elements == all[i]);
    }
    CHECK(m.gradients.front().tensor == "fc.bias");
    auto const pass = backward_pass(m, 2, 100);
    CHECK(pass.back().ready == doctest::Approx(2));
    CHECK(pass.front().shape.count == 10);
    for (std::size_t i = 1; i < pass.size(); ++i) { CHECK(pass[i].ready > pass[i - 1].ready); }
}

TEST_CASE("what is no model is refused") {
    CHECK_THROWS_WITH((void)find_model("lenet", "tools/coll_scale/models"),
                      doctest::Contains("resnet50"));
    auto const file = std::filesystem::temp_directory_path() /
                      ("coll_scale_broken." + std::to_string(::getpid()) + ".csv");
    for (auto const& [text, why] : {std::pair{"tensor,elements,flops\na,1.5,2\n", "'1.5', not a"},
                                    {"tensor,elements,flops\na,-1,2\n", "'-1', not a"},
                                    {"tensor,elements\na,1\n", "flops of 'a'"},
                                    {"tensor,elements,flops\na,17179869185,2\n", "up to"},
                                    {"tensor,elements,flops\na,0,2\n", "nothing to send"},
                                    {"tensor,elements,flops\n", "nothing to compute"}}) {
        std::ofstream(file) << text;
        CHECK_THROWS_WITH((void)find_model(file, "nowhere"), doctest::Contains(why));
    }
    std::filesystem::remove(file);
}

TEST_CASE("a step is its computation and what is not hidden behind it") {
    auto const m = small();  // 4 s a sample backward, 2 s forward; 4 samples: 8 + 16 s
    trainer const t(m, slow_cluster());
    CHECK(t.of(1).seconds() == doctest::Approx(24));
    CHECK(t.of(8).seconds() == doctest::Approx(24));
    CHECK(t.predict(coll::ring{}, 1, {false, false, 1}).seconds == doctest::Approx(24));
    // Two ranks: 2 rounds, and all bytes once: 2 + 4 s, 2 + 12 s, and 2 s for what is empty.
    auto const alone = t.predict(coll::ring{}, 2, {false, false, 1});
    CHECK(alone.buckets == 3);
    CHECK(alone.seconds == doctest::Approx(24 + 6 + 14 + 2));
    CHECK(alone.speed_up == doctest::Approx(2 * 24 / 46.0));
    auto const fused = t.predict(coll::ring{}, 2, {true, false, 1});
    CHECK(fused.buckets == 1);
    CHECK(fused.seconds == doctest::Approx(24 + 2 + 16));
    // Ready after 4, 12 and 16 s: from 4 to 10, 12 to 26, 26 to 28.
    auto const hidden = t.predict(coll::ring{}, 2, {false, true, 1});
    CHECK(hidden.seconds == doctest::Approx(8 + 28));
    CHECK(hidden.exposed == doctest::Approx(12));
    // Nothing is better: the last two together go from 16 to 30, all from 16 to 34.
    auto const best = t.predict(coll::ring{}, 2, {true, true, 1});
    CHECK(best.seconds == doctest::Approx(hidden.seconds));
    auto const added = t.predict(coll::ring{}, 2, {true, true, 3});
    CHECK(added.seconds == doctest::Approx(2 * 24 + best.seconds));
    CHECK(added.speed_up == doctest::Approx(2 * 3 * 24 / added.seconds));
    CHECK(t.predict(coll::ring{}, 2, {true, false, 1}, 15'000).buckets == 2);
}

TEST_CASE("a batch that is split: each worker has less to compute, and no more to send") {
    auto const m = small();
    auto on = slow_cluster();
    on.splits = true;
    trainer const t(m, on);
    CHECK(t.of(4).seconds() == doctest::Approx(6));
    auto const s = t.predict(coll::star{}, 4, {true, false, 1});  // 6 rounds, all bytes 6 times
    CHECK(s.seconds == doctest::Approx(6 + 6 + 6 * 16));
    CHECK(s.speed_up == doctest::Approx(24 / 108.0));
}

TEST_CASE("what runs takes what is predicted, or longer") {
    auto const m = small();
    cluster on;
    on.at = {5e-3, 0, 1e-6, 0};
    on.flops = 1e12;
    on.batch = 10;  // 20 ms forward, 40 ms backward
    trainer const t(m, on);
    for (bool const threads : {true, false}) {
        for (auto const& w : {way{false, false, 1}, way{true, true, 2}}) {
            CAPTURE(w.text());
            auto const predicted = t.predict(coll::ring{}, 3, w);
            auto const measured =
                replay(t, coll::ring{}, 3, w, predicted.threshold, {threads, 2, 2, 1});
            CHECK(measured > 0.99 * predicted.seconds);
            CHECK(measured < 5 * predicted.seconds);
        }
    }
}

TEST_CASE("tables say what was predicted and what was measured") {
    auto const m = small();
    trainer const t(m, slow_cluster());
    std::vector<row> rows;
    for (auto const& w : ways) {
        rows.push_back({coll::ring{}, 2, w, t.predict(coll::ring{}, 2, w), 48, 1});
    }
    CHECK(as_table(rows).find("1.04 (1.00)") != std::string::npos);
    CHECK(as_cures(t, rows).find("| ring, each tensor by itself | 23000.00 | 0.96 | 24000.00 | "
                                 "1.00 |") != std::string::npos);
    auto const csv = as_csv(t, rows);
    CHECK(csv.find("small,2,ring,0,0,1,model,46000,22000,3,0,1.04348\n") != std::string::npos);
    CHECK(csv.find("small,2,ring,0,0,1,measurement,48000,24000,,,1\n") != std::string::npos);
    CHECK(as_picture(t, rows).find("small: fusion, overlap") != std::string::npos);
}
