// SPDX-License-Identifier: BSD-3-Clause
// Reads Fashion-MNIST as Debian's package dataset-fashion-mnist brings it: IDX files, gzipped.
#include "data.hpp"

#include <zlib.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace trainer {
namespace {

constexpr int side = 28;

/// A gzipped IDX file of bytes: big-endian numbers (0x0800 + dimensions, each dimension's length),
/// then the elements.
class idx_file {
public:
    explicit idx_file(std::filesystem::path const& file)
        : name_(file.string()), file_(gzopen(name_.c_str(), "rb")) {
        if (!file_) {
            throw std::runtime_error("cannot open " + name_ +
                                     "\nFashion-MNIST is a package of Debian:"
                                     "\n    sudo apt-get install dataset-fashion-mnist");
        }
        gzbuffer(file_.get(), 1 << 17);
    }

    std::uint32_t number() {
        std::uint32_t result = 0;
        for (auto const byte : bytes(4)) { result = result << 8 | byte; }
        return result;
    }
    std::vector<std::uint8_t> bytes(std::size_t count) {
        std::vector<std::uint8_t> result(count);
        if (gzread(file_.get(), result.data(), static_cast<unsigned>(count)) !=
            static_cast<int>(count)) {
            fail();
        }
        return result;
    }
    void expect(bool holds) const {
        if (!holds) { fail(); }
    }
    void expect_end() { expect(gzgetc(file_.get()) == -1 && gzeof(file_.get()) != 0); }

private:
    [[noreturn]] void fail() const {
        throw std::runtime_error(name_ + ": damaged, or no IDX file of Fashion-MNIST");
    }
    struct close {
        void operator()(gzFile f) const { gzclose(f); }
    };
    std::string name_;
    std::unique_ptr<gzFile_s, close> file_;
};

samples load(std::filesystem::path const& folder, std::string const& part, std::size_t count) {
    idx_file images(folder / (part + "-images-idx3-ubyte.gz"));
    idx_file labels(folder / (part + "-labels-idx1-ubyte.gz"));
    images.expect(images.number() == 0x0803 && images.number() == count &&
                  images.number() == side && images.number() == side);
    labels.expect(labels.number() == 0x0801 && labels.number() == count);
    samples result{images.bytes(count * side * side), labels.bytes(count)};
    images.expect_end();
    labels.expect_end();
    for (auto const label : result.labels) { labels.expect(label < class_count); }
    return result;
}

}  // namespace

data_set load_fashion(std::filesystem::path const& folder) {
    return {"fashion",
            side,
            255,
            {"T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag",
             "ankle boot"},
            load(folder, "train", 60000),
            load(folder, "t10k", 10000)};
}

}  // namespace trainer
