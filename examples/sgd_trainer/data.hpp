// SPDX-License-Identifier: BSD-3-Clause
// The data sets: what they hold and where they come from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainer {

inline constexpr int class_count = 10;

/// Square images, and the class that each belongs to.
struct samples {
    std::vector<std::uint8_t>
        pixels;  ///< row by row, image after image; a pixel's channels together
    std::vector<std::uint8_t> labels;  ///< 0 to class_count - 1
    /// Of images that are not stored: writes the pixels of one. Several threads may call it at
    /// once.
    std::function<void(std::size_t image, std::span<std::uint8_t> pixels)> paint{};

    std::size_t size() const { return labels.size(); }
};

/// Images to learn from, and others to see what was learnt.
struct data_set {
    std::string_view name;
    int side = 0;                ///< pixels in a row, and rows
    int channels = 1;            ///< of a pixel: 3 in colour
    std::uint8_t brightest = 1;  ///< a network sees pixels divided by it, so from 0 to 1
    std::array<std::string_view, class_count> classes{};
    samples train, test;

    std::size_t pixels_per_image() const {
        return static_cast<std::size_t>(side * side * channels);
    }
};

/// The file of digits that came with the program: installed with it, beside it where it was built,
/// or in the repository's root.
std::filesystem::path own_digits();

/// The handwritten digits of the UCI repository, 8 x 8 pixels: `file` has a line per image, 64
/// numbers from 0 to 16 and then the digit. They are shuffled in an order that is always the same;
/// 1500 are to learn from, the rest (297) to test. Throws std::runtime_error with the line if the
/// file is missing or damaged.
data_set load_digits(std::filesystem::path const& file);

/// Fashion-MNIST, 28 x 28 pixels, 60000 and 10000 images: four gzipped IDX files in `folder`.
/// Throws std::runtime_error that says how to get them where they are missing.
data_set load_fashion(std::filesystem::path const& folder);

/// Whether such files are those of Fashion-MNIST: the labels of its first images tell.
bool is_fashion(std::filesystem::path const& folder);

/// MNIST: the same four files of another set, gzipped or not; images and labels are as many as the
/// files say. Throws std::runtime_error with the file where one is missing or damaged.
data_set load_mnist(std::filesystem::path const& folder);

/// CIFAR-10, 32 x 32 pixels of three colours: data_batch_1.bin to data_batch_5.bin and
/// test_batch.bin in `folder`, the published binary version. Throws as load_mnist does.
data_set load_cifar10(std::filesystem::path const& folder);

/// Whether that names a synthetic set: "synthetic", or that and a size.
bool is_synthetic(std::string_view name);

/// A set of any size that no file holds, the same for a seed on every rank and machine. `name` is
/// "synthetic:60000x28x28": so many images to learn from, each of so many rows and columns, and
/// "x3" after that in colour. A fifth as many are to test, but no more than 10000. Throws
/// std::runtime_error where the name is none.
data_set make_synthetic(std::string_view name, std::uint32_t seed);

/// The name with its size, where that was left out. Throws as make_synthetic does.
std::string whole_name_of_synthetic(std::string_view name);

/// "digits", "fashion", "mnist" or "cifar10", from `path`; the first two from where they usually
/// are if that is empty. Or a synthetic set, made from `seed`. Throws std::runtime_error.
data_set load_data(std::string_view name, std::filesystem::path const& path, std::uint32_t seed);

/// The name of the data set whose published files stand at `path`. Throws std::runtime_error where
/// it is none.
std::string data_at(std::filesystem::path const& path);

/// Where `data` is a path, that becomes `path`, and `data` the name of the set that is there.
/// Throws std::runtime_error where it is neither a name nor there.
void choose_data(std::string& data, std::filesystem::path& path);

}  // namespace trainer
