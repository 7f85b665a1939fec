// SPDX-License-Identifier: BSD-3-Clause
// Reads CIFAR-10 in its binary version: records of a label and an image of three planes.
#include "data.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <stdexcept>

namespace trainer {
namespace {

constexpr int side = 32, channels = 3;
constexpr std::size_t plane = side * side;

/// Adds the records of a file. In it a plane of red comes before those of green and blue; here a
/// pixel's colours stand together.
void add_records(samples& to, std::filesystem::path const& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        throw std::runtime_error(
            fmt::format("cannot open {}\nCIFAR-10 is six files of its binary version: "
                        "data_batch_1.bin to data_batch_5.bin and test_batch.bin",
                        file.string()));
    }
    auto const before = to.size();
    std::array<char, 1 + channels * plane> record{};
    for (std::size_t number = 1; in.peek() != std::ifstream::traits_type::eof(); ++number) {
        if (!in.read(record.data(), record.size())) {
            throw std::runtime_error(fmt::format("{}: record {} has {} bytes, not {}",
                                                 file.string(), number, in.gcount(),
                                                 record.size()));
        }
        auto const label = static_cast<std::uint8_t>(record[0]);
        if (label >= class_count) {
            throw std::runtime_error(fmt::format("{}: record {} has the label {}, not 0 to 9",
                                                 file.string(), number, label));
        }
        to.labels.push_back(label);
        for (std::size_t pixel = 0; pixel < plane; ++pixel) {
            for (std::size_t c = 0; c < channels; ++c) {
                to.pixels.push_back(static_cast<std::uint8_t>(record[1 + c * plane + pixel]));
            }
        }
    }
    if (to.size() == before) { throw std::runtime_error(file.string() + ": no images"); }
}

}  // namespace

data_set load_cifar10(std::filesystem::path const& folder) {
    data_set result{.name = "cifar10",
                    .side = side,
                    .channels = channels,
                    .brightest = 255,
                    .classes = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog",
                                "horse", "ship", "truck"},
                    .train = {},
                    .test = {}};
    for (int part = 1; part <= 5; ++part) {
        add_records(result.train, folder / fmt::format("data_batch_{}.bin", part));
    }
    add_records(result.test, folder / "test_batch.bin");
    return result;
}

}  // namespace trainer
