// SPDX-License-Identifier: BSD-3-Clause
// The data sets: what they hold and where they come from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace trainer {

inline constexpr int class_count = 10;

/// Square images of one channel, and the class that each belongs to.
struct samples {
    std::vector<std::uint8_t> pixels;  ///< side x side of each image, row by row, image after image
    std::vector<std::uint8_t> labels;  ///< 0 to class_count - 1

    std::size_t size() const { return labels.size(); }
};

/// Images to learn from, and others to see what was learnt.
struct data_set {
    std::string_view name;
    int side = 0;                ///< pixels in a row, and rows
    std::uint8_t brightest = 1;  ///< a network sees pixels divided by it, so from 0 to 1
    std::array<std::string_view, class_count> classes{};
    samples train, test;

    std::size_t pixels_per_image() const { return static_cast<std::size_t>(side * side); }
};

/// The file of digits that came with the program: installed beside it, or in the repository's root.
std::filesystem::path own_digits();

/// The handwritten digits of the UCI repository, 8 x 8 pixels: `file` has a line per image, 64
/// numbers from 0 to 16 and then the digit. They are shuffled in an order that is always the same;
/// 1500 are to learn from, the rest (297) to test. Throws std::runtime_error with the line if the
/// file is missing or damaged.
data_set load_digits(std::filesystem::path const& file);

/// Fashion-MNIST, 28 x 28 pixels, 60000 and 10000 images: four gzipped IDX files in `folder`.
/// Throws std::runtime_error that says how to get them where they are missing.
data_set load_fashion(std::filesystem::path const& folder);

}  // namespace trainer
