// SPDX-License-Identifier: BSD-3-Clause
// Images that no file holds. Each class has a pattern, and an image is its class's pattern under
// noise. It is made whenever somebody looks at it, so a set takes the memory of its labels alone.
#include "data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <system_error>

namespace trainer {
namespace {

constexpr std::string_view word = "synthetic";
constexpr std::size_t most_images = 100'000'000, least_side = 4, most_side = 1024;
constexpr std::size_t cells = 8;  // of a pattern in a row, where images have as many pixels
constexpr std::uint64_t first_of_test = std::uint64_t{1} << 40;  // other numbers than those learnt

/// What the command line says of a set.
struct shape {
    std::size_t images = 10'000, side = 28, channels = 1;
};

shape shape_of(std::string_view name) {
    if (name == word) { return {}; }
    auto const expect = [&](bool holds, std::string const& why) {
        if (holds) { return; }
        throw std::runtime_error(
            fmt::format("--data {}: {}. Write synthetic:IMAGESxSIDExSIDE, as "
                        "synthetic:60000x28x28, and x3 after it for colours",
                        name, why));
    };
    std::vector<std::size_t> numbers;
    auto rest = name.substr(word.size());
    while (!rest.empty()) {
        rest.remove_prefix(1);  // the colon, then each x
        std::size_t number = 0;
        auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        expect(error == std::errc{} && (rest.empty() || rest.front() == 'x'),
               fmt::format("number {} is none, or too large", numbers.size() + 1));
        numbers.push_back(number);
    }
    expect(numbers.size() == 3 || numbers.size() == 4, "there are not three or four numbers");
    shape const is{numbers[0], numbers[1], numbers.size() == 4 ? numbers[3] : 1};
    expect(is.images >= class_count && is.images <= most_images,
           fmt::format("there can be {} to {} images", class_count, most_images));
    expect(numbers[1] == numbers[2], "images are square");
    expect(is.side >= least_side && is.side <= most_side,
           fmt::format("a side can have {} to {} pixels", least_side, most_side));
    expect(is.channels == 1 || is.channels == 3, "a pixel has 1 or 3 channels");
    return is;
}

/// Numbers that are random to the eye (SplitMix64: Steele, Lea and Flood, 2014).
class random_numbers {
public:
    /// Others for each `stream`.
    random_numbers(std::uint32_t seed, std::uint64_t stream)
        : state_(mixed(seed + mixed(stream))) {}
    std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15U); }

private:
    static std::uint64_t mixed(std::uint64_t x) {
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
        x = (x ^ x >> 27) * 0x94d049bb133111ebU;
        return x ^ x >> 31;
    }
    std::uint64_t state_;
};

/// Makes any image of the set.
class painter {
public:
    painter(shape const& is, std::uint32_t seed)
        : side_(is.side), channels_(is.channels), seed_(seed) {
        random_numbers any(seed, ~std::uint64_t{0});
        auto const across = std::min(cells, side_);
        levels_.resize(class_count * across * across * channels_);
        for (auto& level : levels_) { level = static_cast<std::uint8_t>(any.next() >> 56); }
        for (std::size_t i = 0; i < side_; ++i) { cell_of_.push_back(i * across / side_); }
    }

    std::uint8_t label(std::uint64_t number) const {
        return static_cast<std::uint8_t>(random_numbers(seed_, number).next() % class_count);
    }
    /// A third pattern, two thirds noise.
    void paint(std::uint64_t number, std::span<std::uint8_t> pixels) const {
        random_numbers any(seed_, number);
        auto const across = cell_of_.back() + 1;
        auto const pattern = std::span(levels_).subspan(
            any.next() % class_count * across * across * channels_, across * across * channels_);
        std::uint64_t noise = 0;
        for (std::size_t i = 0, y = 0; y < side_; ++y) {
            for (std::size_t x = 0; x < side_; ++x) {
                auto const cell = (cell_of_[y] * across + cell_of_[x]) * channels_;
                for (std::size_t c = 0; c < channels_; ++c, ++i, noise >>= 8) {
                    if (i % 8 == 0) { noise = any.next(); }
                    pixels[i] =
                        static_cast<std::uint8_t>((pattern[cell + c] + 2 * (noise & 255)) / 3);
                }
            }
        }
    }

private:
    std::size_t side_, channels_;
    std::uint32_t seed_;
    std::vector<std::uint8_t> levels_;  // of each class, cell by cell
    std::vector<std::size_t> cell_of_;  // by row or column
};

samples painted(painter const& by, std::uint64_t first, std::size_t count) {
    samples set;
    set.paint = [by, first](std::size_t image, std::span<std::uint8_t> pixels) {
        by.paint(first + image, pixels);
    };
    for (std::size_t i = 0; i < count; ++i) { set.labels.push_back(by.label(first + i)); }
    return set;
}

}  // namespace

bool is_synthetic(std::string_view name) {
    return name == word || (name.starts_with(word) && name[word.size()] == ':');
}

std::string whole_name_of_synthetic(std::string_view name) {
    auto const is = shape_of(name);
    return fmt::format("{}:{}x{}x{}{}", word, is.images, is.side, is.side,
                       is.channels == 1 ? "" : "x3");
}

data_set make_synthetic(std::string_view name, std::uint32_t seed) {
    auto const is = shape_of(name);
    painter const by(is, seed);
    auto const tests = std::clamp<std::size_t>(is.images / 5, class_count, 10'000);
    return {.name = word,
            .side = static_cast<int>(is.side),
            .channels = static_cast<int>(is.channels),
            .brightest = 255,
            .classes = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
            .train = painted(by, 0, is.images),
            .test = painted(by, first_of_test, tests)};
}

}  // namespace trainer
