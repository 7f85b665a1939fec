// SPDX-License-Identifier: BSD-3-Clause
// Files that the trainer reads: checkpoints, and images as their data sets are published. Each is
// read, or refused with a std::runtime_error; what is read can be used.
#include "bytes.hpp"
#include "folder.hpp"

#include <sgd_trainer/checkpoint.hpp>
#include <sgd_trainer/data.hpp>
#include <sgd_trainer/network.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

void write(fuzz::folder const& in, std::string_view file, std::string const& text) {
    std::ofstream(in.path / file, std::ios::binary) << text;
}

/// At most so many of the next bytes, fewer where the input says so.
std::string part(fuzz::bytes& from, std::size_t most) {
    std::string text(from.take<std::uint16_t>() % (most + 1), '\0');
    from.fill(reinterpret_cast<std::byte*>(text.data()), text.size());
    return text;
}

void require_sound(trainer::samples const& of, std::size_t pixels) {
    fuzz::require(of.pixels.size() == of.labels.size() * pixels);
    for (auto const label : of.labels) { fuzz::require(label < trainer::class_count); }
}
void require_sound(trainer::data_set const& set) {
    require_sound(set.train, set.pixels_per_image());
    require_sound(set.test, set.pixels_per_image());
}

void read_digits(fuzz::folder const& in, fuzz::bytes& from) {
    static std::string const rows = [] {
        std::string row;
        for (int i = 0; i < 64; ++i) { row += "7,"; }
        std::string all;
        for (int i = 0; i < 1501; ++i) { all += row + "3\n"; }
        return all;
    }();
    write(in, "digits.csv", from.text() + "\n" + rows);
    require_sound(trainer::load_digits(in.path / "digits.csv"));
}
void read_mnist(fuzz::folder const& in, fuzz::bytes& from) {
    for (auto const* const of : {"train", "t10k"}) {
        write(in, std::string(of) + "-images-idx3-ubyte", part(from, 4096));
        write(in, std::string(of) + "-labels-idx1-ubyte", part(from, 64));
    }
    (void)trainer::is_fashion(in.path);
    require_sound(trainer::load_mnist(in.path));
}
void read_cifar(fuzz::folder const& in, fuzz::bytes& from) {
    auto const first = part(from, 2 * 3073);
    for (auto const* const file : {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4",
                                   "data_batch_5", "test_batch"}) {
        write(in, std::string(file) + ".bin",
              std::string_view(file) == "data_batch_1" ? first : std::string(3073, '\1'));
    }
    require_sound(trainer::load_cifar10(in.path));
}

/// The check sum is right, so that all else is looked at.
std::string checkpoint_of(fuzz::bytes& from) {
    auto const words = part(from, 100);
    auto const values = from.text();
    std::uint64_t sum = 14695981039346656037U;
    for (auto const c : words + values) {
        sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
    return "sgd_trainer checkpoint 1\n" + words + "\n" + values + std::to_string(sum) + "\n";
}
void read_checkpoint(fuzz::folder const& in, fuzz::bytes& from) {
    write(in, "any.ck", checkpoint_of(from));
    auto const saved = trainer::load_checkpoint(in.path / "any.ck");
    fuzz::require(saved.now.parameters.size() == saved.now.velocity.size());
    trainer::network net(saved.how.model, 8, saved.how.hidden, trainer::format::single);
    trainer::require_fits(saved, net);
    trainer::batch one;
    one.pixels.assign(64, 0.5F);
    one.labels.assign(1, 0);
    fuzz::require(net.classify(saved.now.parameters, one).size() == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static fuzz::folder const own;
    fuzz::bytes from(data, size);
    try {
        switch (from.take<std::uint8_t>() % 4) {
            case 0: read_digits(own, from); break;
            case 1: read_mnist(own, from); break;
            case 2: read_cifar(own, from); break;
            case 3: read_checkpoint(own, from); break;
        }
    } catch (std::runtime_error const&) {}
    return 0;
}
