// SPDX-License-Identifier: BSD-3-Clause
// Reads the digits and splits them.
#include "digits.hpp"

#include "order.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace trainer {
namespace {

using row = std::array<int, pixels_per_image + 1>;

row parse(std::string_view line, std::string const& where) {
    row numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        auto const [rest, error] =
            std::from_chars(line.data(), line.data() + line.size(), numbers[i]);
        auto const largest = i < pixels_per_image ? 16 : digit_classes - 1;
        auto const is_number = error == std::errc{} && numbers[i] >= 0 && numbers[i] <= largest;
        line.remove_prefix(static_cast<std::size_t>(rest - line.data()));
        auto const is_last = i + 1 == numbers.size();
        if (!is_number || (is_last ? !line.empty() : !line.starts_with(','))) {
            throw std::runtime_error(where + ": expected 64 pixels of 0..16 and a digit");
        }
        if (!is_last) { line.remove_prefix(1); }
    }
    return numbers;
}

void append(samples& set, row const& numbers) {
    for (std::size_t i = 0; i < pixels_per_image; ++i) {
        set.pixels.push_back(static_cast<float>(numbers[i]) / 16);
    }
    set.labels.push_back(numbers.back());
}

}  // namespace

digits load_digits(std::filesystem::path const& file, std::size_t training) {
    std::ifstream in(file);
    if (!in) { throw std::runtime_error("cannot open " + file.string()); }
    std::vector<row> rows;
    for (std::string line; std::getline(in, line);) {
        rows.push_back(parse(line, file.string() + ":" + std::to_string(rows.size() + 1)));
    }
    if (rows.size() <= training) {
        throw std::runtime_error(file.string() +
                                 ": too few images: " + std::to_string(rows.size()));
    }
    digits result;
    for (auto const i : shuffled(rows.size(), 1)) {
        append(result.train.size() < training ? result.train : result.test, rows[i]);
    }
    return result;
}

}  // namespace trainer
