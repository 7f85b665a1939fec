// SPDX-License-Identifier: BSD-3-Clause
// Parts of the trainer that need no ranks.
#include "data.hpp"
#include "loader.hpp"
#include "network.hpp"
#include "studies/short_network.hpp"
#include "studies/short_numbers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace trainer;
using namespace trainer::studies;

/// A folder that goes when the test ends.
class folder {
public:
    folder() {
        std::string name = (std::filesystem::temp_directory_path() / "parts.XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    folder(folder const&) = delete;
    folder& operator=(folder const&) = delete;
    ~folder() { std::filesystem::remove_all(path); }

    std::filesystem::path path;
};

data_set some_images(int side, std::size_t count) {
    data_set set{.name = "some", .side = side, .brightest = 255, .train = {}, .test = {}};
    for (std::size_t i = 0; i < count; ++i) {
        set.train.labels.push_back(static_cast<std::uint8_t>(i % 10));
        for (int p = 0; p < side * side; ++p) {
            set.train.pixels.push_back(
                static_cast<std::uint8_t>((i * 37 + std::size_t(p) * 11) % 256));
        }
    }
    return set;
}

TEST_CASE("an image of CIFAR-10 comes in planes, and its pixels' colours stand together here") {
    folder const here;
    for (std::string const name : {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4",
                                   "data_batch_5", "test_batch"}) {
        std::ofstream out(here.path / (name + ".bin"), std::ios::binary);
        out.put(name == "test_batch" ? 7 : static_cast<char>(name.back() - '0'));
        for (int color = 0; color < 3; ++color) {
            for (int pixel = 0; pixel < 1024; ++pixel) {
                out.put(static_cast<char>(color * 80 + pixel % 80));
            }
        }
    }
    auto const set = load_cifar10(here.path);
    CHECK(set.train.labels == std::vector<std::uint8_t>{1, 2, 3, 4, 5});
    CHECK(set.test.labels == std::vector<std::uint8_t>{7});
    CHECK(set.pixels_per_image() == 3072);
    REQUIRE(set.test.pixels.size() == 3072);
    for (std::size_t i : {0U, 1U, 79U, 80U, 1023U}) {
        for (std::size_t color = 0; color < 3; ++color) {
            CHECK(set.test.pixels[3 * i + color] == color * 80 + i % 80);
        }
    }
}

TEST_CASE("several threads give the batches that one call after the other gives") {
    auto const set = some_images(4, 70);
    shard const part{.whole = 10, .first = 3, .count = 4, .passes_per_epoch = 7, .seed = 5};
    loader plain(set, part, 2, {.ahead = 0});
    loader many(set, part, 2, {.ahead = 6, .workers = 4, .disk = {1e7, 0.0005}});
    for (int pass = 0; pass < 40; ++pass) {
        auto const one = plain.next();
        auto const other = many.next();
        CHECK(one.labels == other.labels);
        CHECK(one.pixels == other.pixels);
    }
}

TEST_CASE("requests of a slow disk share its rate, and wait for its delay at once") {
    using clock = std::chrono::steady_clock;
    auto const set = some_images(8, 64);
    auto const seconds = [&](reading const& how) {
        auto const begin = clock::now();
        loader images(set, {.whole = 8, .first = 0, .count = 8, .passes_per_epoch = 8}, 0, how);
        for (int pass = 0; pass < 16; ++pass) { (void)images.next(); }
        return std::chrono::duration<double>(clock::now() - begin).count();
    };
    disk_speed const slow{.bytes_per_second = 8 * 64 / 0.005};
    CHECK(seconds({.ahead = 8, .workers = 1, .disk = slow}) >= 16 * 0.005);
    CHECK(seconds({.ahead = 8, .workers = 8, .disk = slow}) >= 16 * 0.005);
    auto const delayed = [&](int workers) {
        return seconds({.ahead = 8, .workers = workers, .disk = {.delay = 0.02}});
    };
    auto const by_one = delayed(1);
    CHECK(by_one >= 16 * 0.02);
    // Eight wait at once: 2 delays instead of 16. Where the machine is busy, the best of five.
    double by_eight = by_one;
    for (int again = 0; again < 5 && by_eight > by_one / 2; ++again) {
        auto const took = delayed(8);
        CHECK(took >= 2 * 0.02);
        by_eight = std::min(by_eight, took);
    }
    CHECK(by_eight <= by_one / 2);
}

template <class Number>
void same_as_casts() {
    std::vector<Number> all;
    for (std::uint32_t bits = 0; bits < 0x7c00;
         ++bits) {  // the numbers of float16; some of bfloat16
        all.push_back(Number::from_bits(static_cast<std::uint16_t>(bits)));
    }
    std::vector<float> wide(all.size());
    widen(wide.data(), all.data(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) { REQUIRE(wide[i] == static_cast<float>(all[i])); }
    std::vector<float> between;
    for (std::size_t i = 0; i + 1 < wide.size(); ++i) {
        between.push_back((wide[i] + wide[i + 1]) / 2);
        between.push_back(-wide[i] - (wide[i + 1] - wide[i]) / 3);
    }
    between.push_back(1e30F);
    std::vector<Number> rounded(between.size());
    narrow(rounded.data(), between.data(), between.size());
    for (std::size_t i = 0; i < between.size(); ++i) {
        REQUIRE(rounded[i].bits() == static_cast<Number>(between[i]).bits());
    }
}

TEST_CASE("many numbers are converted as each is") {
    same_as_casts<float16>();
    same_as_casts<bfloat16>();
}

TEST_CASE("the network of 16-bit numbers has the gradient of the other one") {
    auto const set = some_images(8, 100);
    auto const images = gather_images(set, set.train, {}, 0, 100);
    network known("dense", 8, 20, format::single);
    auto const parameters = known.initial_parameters(3);
    std::vector<float> expected(parameters.size());
    auto const loss = known.learn(parameters, images, 0.01F, expected, {});
    auto const largest =
        std::abs(*std::max_element(expected.begin(), expected.end(),
                                   [](float a, float b) { return std::abs(a) < std::abs(b); }));
    auto const compare = [&]<class Number>(Number, double tolerance) {
        short_network<Number> net({64, 20, 10});
        REQUIRE(net.parameter_count() == parameters.size());
        CHECK(net.initial_parameters(3) == parameters);
        std::vector<Number> used(parameters.size()), gradient(parameters.size());
        narrow(used.data(), parameters.data(), used.size());
        CHECK(net.learn(used, images, 0.01F, gradient) == doctest::Approx(loss).epsilon(tolerance));
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            REQUIRE(std::abs(static_cast<float>(gradient[i]) - expected[i]) <= tolerance * largest);
        }
        CHECK(net.bytes() ==
              sizeof(Number) * (2 * used.size() + 100 * (64 + 20 + 10) + 100 * (10 + 20)));
    };
    compare(float{}, 1e-5);
    compare(float16{}, 0.005);
    compare(bfloat16{}, 0.04);
}

}  // namespace
