// SPDX-License-Identifier: BSD-3-Clause
#include "data.hpp"

#include <stdexcept>

namespace trainer {
namespace {

bool has(std::filesystem::path const& folder, char const* file) {
    return std::filesystem::exists(folder / file);
}

std::filesystem::path const& needed(std::filesystem::path const& path, char const* what) {
    if (path.empty()) { throw std::runtime_error(what); }
    return path;
}

}  // namespace

std::string data_at(std::filesystem::path const& path) {
    if (std::filesystem::is_regular_file(path)) { return "digits"; }
    if (has(path, "train-images-idx3-ubyte") || has(path, "train-images-idx3-ubyte.gz")) {
        return is_fashion(path) ? "fashion" : "mnist";
    }
    if (has(path, "data_batch_1.bin")) { return "cifar10"; }
    throw std::runtime_error(path.string() +
                             ": neither a file of digits nor a folder with "
                             "train-images-idx3-ubyte (MNIST, gzipped or not) or data_batch_1.bin "
                             "(CIFAR-10, binary version)");
}

void choose_data(std::string& data, std::filesystem::path& path) {
    for (auto const* const name : {"digits", "fashion", "mnist", "cifar10"}) {
        if (data == name) { return; }
    }
    if (is_synthetic(data)) {
        data = whole_name_of_synthetic(data);
        return;
    }
    if (!std::filesystem::exists(data)) {
        throw std::runtime_error(
            "--data " + data +
            " is neither digits, fashion, mnist, cifar10 or synthetic nor a file or folder that is "
            "there");
    }
    if (!path.empty()) { throw std::runtime_error("--data-path has no effect: --data is a path"); }
    path = data;
    data = data_at(path);
}

data_set load_data(std::string_view name, std::filesystem::path const& path, std::uint32_t seed) {
    if (is_synthetic(name)) {
        if (path.empty()) { return make_synthetic(name, seed); }
        throw std::runtime_error("--data-path has no effect: the data set is synthetic");
    }
    if (name == "digits") { return load_digits(path.empty() ? own_digits() : path); }
    if (name == "mnist") {
        return load_mnist(needed(path,
                                 "--data mnist needs --data-path: a folder with MNIST's four "
                                 "IDX files"));
    }
    if (name == "cifar10") {
        return load_cifar10(needed(path,
                                   "--data cifar10 needs --data-path: a folder with the six "
                                   "files of CIFAR-10's binary version"));
    }
    return load_fashion(path.empty() ? "/usr/share/datasets/fashion-mnist" : path);
}

}  // namespace trainer
