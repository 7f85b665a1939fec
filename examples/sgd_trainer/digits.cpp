// SPDX-License-Identifier: BSD-3-Clause
// Reads the digits and splits them.
#include "data.hpp"
#include "order.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace trainer {
namespace {

constexpr std::size_t image_pixels = 64;
constexpr std::size_t to_learn_from = 1500;

using row = std::array<std::uint8_t, image_pixels + 1>;

row parse(std::string_view line, std::string const& where) {
    row numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        auto const [rest, error] =
            std::from_chars(line.data(), line.data() + line.size(), numbers[i]);
        auto const largest = i < image_pixels ? 16 : class_count - 1;
        auto const is_number = error == std::errc{} && numbers[i] <= largest;
        line.remove_prefix(static_cast<std::size_t>(rest - line.data()));
        auto const is_last = i + 1 == numbers.size();
        if (!is_number || (is_last ? !line.empty() : !line.starts_with(','))) {
            throw std::runtime_error(where + ": expected 64 pixels of 0..16 and a digit");
        }
        if (!is_last) { line.remove_prefix(1); }
    }
    return numbers;
}

}  // namespace

std::filesystem::path own_digits() {
    std::error_code none;  // then the folder of the sources is left
    auto const here = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
    for (auto const& file :
         {here.parent_path() / "share/collectives/digits/digits.csv", here / "digits/digits.csv"}) {
        if (std::filesystem::exists(file)) { return file; }
    }
    return "data/digits/digits.csv";
}

data_set load_digits(std::filesystem::path const& file) {
    std::ifstream in(file);
    if (!in) { throw std::runtime_error("cannot open " + file.string()); }
    std::vector<row> rows;
    for (std::string line; std::getline(in, line);) {
        rows.push_back(parse(line, file.string() + ":" + std::to_string(rows.size() + 1)));
    }
    if (rows.size() <= to_learn_from) {
        throw std::runtime_error(file.string() +
                                 ": too few images: " + std::to_string(rows.size()));
    }
    data_set result{.name = "digits",
                    .side = 8,
                    .brightest = 16,
                    .classes = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
                    .train = {},
                    .test = {}};
    for (auto const i : shuffled(rows.size(), 1)) {
        auto& set = result.train.size() < to_learn_from ? result.train : result.test;
        set.pixels.insert(set.pixels.end(), rows[i].begin(), rows[i].end() - 1);
        set.labels.push_back(rows[i].back());
    }
    return result;
}

}  // namespace trainer
