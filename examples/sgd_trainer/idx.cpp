// SPDX-License-Identifier: BSD-3-Clause
// Reads MNIST and Fashion-MNIST: IDX files, gzipped or as they are.
#include "data.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>

namespace trainer {
namespace {

constexpr int side = 28;

constexpr auto advice_on_mnist =
    "\nMNIST is four files, gzipped or not: train-images-idx3-ubyte, train-labels-idx1-ubyte, "
    "t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte";

/// An IDX file of bytes: big-endian numbers (0x0800 + dimensions, each dimension's length), then
/// the elements.
class idx_file {
public:
    idx_file(std::filesystem::path const& folder, std::string const& name, char const* advice)
        : name_((folder / (name + ".gz")).string()) {
        if (!std::filesystem::exists(name_) && std::filesystem::exists(folder / name)) {
            name_ = (folder / name).string();
        }
        file_.reset(gzopen(name_.c_str(), "rb"));  // reads both kinds
        if (!file_) { throw std::runtime_error("cannot open " + name_ + advice); }
        gzbuffer(file_.get(), 1 << 17);
    }

    std::uint32_t number() {
        std::uint32_t result = 0;
        for (auto const byte : bytes(4)) { result = result << 8 | byte; }
        return result;
    }
    /// Takes memory only as it comes: what a damaged file says of its length may be anything.
    std::vector<std::uint8_t> bytes(std::size_t count) {
        constexpr std::size_t at_once = 1 << 24;
        std::vector<std::uint8_t> result;
        while (result.size() < count) {
            auto const done = result.size();
            auto const part = std::min(at_once, count - done);
            result.resize(done + part);
            if (gzread(file_.get(), &result[done], static_cast<unsigned>(part)) !=
                static_cast<int>(part)) {
                fail("it ends too early, or is damaged");
            }
        }
        return result;
    }
    void expect(bool holds, char const* what) const {
        if (!holds) { fail(what); }
    }
    void expect_end() {
        auto const more = gzgetc(file_.get());  // reads the checksum of a gzipped file
        int error = Z_OK;
        (void)gzerror(file_.get(), &error);
        expect(error == Z_OK, "its checksum is wrong, or missing");
        expect(more == -1, "something follows its end");
    }

private:
    [[noreturn]] void fail(char const* what) const {
        throw std::runtime_error(name_ +
                                 ": damaged, or no IDX file of 28 x 28 images and their "
                                 "classes: " +
                                 what);
    }
    struct close {
        void operator()(gzFile f) const { gzclose(f); }
    };
    std::string name_;
    std::unique_ptr<gzFile_s, close> file_;
};

/// Images and labels; with `count` so many, else as many as there are.
samples load(std::filesystem::path const& folder, std::string const& part, std::size_t count,
             char const* advice) {
    idx_file images(folder, part + "-images-idx3-ubyte", advice);
    idx_file labels(folder, part + "-labels-idx1-ubyte", advice);
    images.expect(images.number() == 0x0803, "it does not begin as three dimensions of bytes");
    auto const size = images.number();
    images.expect(count == 0 ? size > 0 : size == count, "it has another number of images");
    images.expect(images.number() == side && images.number() == side, "images of another size");
    labels.expect(labels.number() == 0x0801, "it does not begin as one dimension of bytes");
    labels.expect(labels.number() == size, "as many labels as images are needed");
    samples result{images.bytes(std::size_t{size} * side * side), labels.bytes(size)};
    images.expect_end();
    labels.expect_end();
    for (auto const label : result.labels) {
        labels.expect(label < class_count, "a label above 9");
    }
    return result;
}

}  // namespace

bool is_fashion(std::filesystem::path const& folder) {
    constexpr std::array<std::uint8_t, 16> begin{9, 0, 0, 3, 0, 2, 7, 2, 5, 5, 0, 9, 5, 5, 7, 9};
    idx_file labels(folder, "train-labels-idx1-ubyte", advice_on_mnist);
    (void)labels.number();
    return labels.number() == 60000 && std::ranges::equal(labels.bytes(begin.size()), begin);
}

data_set load_fashion(std::filesystem::path const& folder) {
    constexpr auto advice =
        "\nFashion-MNIST is a package of Debian:"
        "\n    sudo apt-get install dataset-fashion-mnist";
    return {.name = "fashion",
            .side = side,
            .brightest = 255,
            .classes = {"T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt",
                        "sneaker", "bag", "ankle boot"},
            .train = load(folder, "train", 60000, advice),
            .test = load(folder, "t10k", 10000, advice)};
}

data_set load_mnist(std::filesystem::path const& folder) {
    return {.name = "mnist",
            .side = side,
            .brightest = 255,
            .classes = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
            .train = load(folder, "train", 0, advice_on_mnist),
            .test = load(folder, "t10k", 0, advice_on_mnist)};
}

}  // namespace trainer
