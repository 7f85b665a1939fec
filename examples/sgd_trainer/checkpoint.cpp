// SPDX-License-Identifier: BSD-3-Clause
// A line that says what it is, a line of words and numbers, then parameters and velocity as they
// lie in memory, then a check sum.
#include "checkpoint.hpp"

#include "job.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace trainer {
namespace {

constexpr std::string_view first_line = "sgd_trainer checkpoint 1";

std::uint64_t check_sum(std::vector<float> const& values, std::uint64_t so_far) {  // FNV-1a
    auto const* const bytes = reinterpret_cast<unsigned char const*>(values.data());
    for (std::size_t i = 0; i < values.size() * sizeof(float); ++i) {
        so_far = (so_far ^ bytes[i]) * 1099511628211U;
    }
    return so_far;
}
std::uint64_t check_sum(std::string const& words, state const& now) {
    std::uint64_t sum = 14695981039346656037U;
    for (auto const c : words) { sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U; }
    return check_sum(now.velocity, check_sum(now.parameters, sum));
}

template <class Stream, class Values>
auto bytes_of(Values& values) {
    return reinterpret_cast<Stream*>(values.data());
}

}  // namespace

void save_checkpoint(std::filesystem::path const& file, settings const& how, state const& now) {
    auto const words = fmt::format("{} {} {} {} {} {} {} {} {} {}", how.data, how.model, how.hidden,
                                   how.batch, how.accumulate, how.seed, now.step, now.loss_scale,
                                   now.good_steps, now.parameters.size());
    auto part = file;
    part += ".part";
    std::ofstream out(part, std::ios::binary);
    auto const bytes = static_cast<std::streamsize>(now.parameters.size() * sizeof(float));
    out << first_line << '\n' << words << '\n';
    out.write(bytes_of<char const>(now.parameters), bytes);
    out.write(bytes_of<char const>(now.velocity), bytes);
    out << check_sum(words, now) << '\n';
    out.close();
    if (!out) { throw std::runtime_error("cannot write " + part.string()); }
    std::filesystem::rename(part, file);
}

checkpoint load_checkpoint(std::filesystem::path const& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) { throw std::runtime_error("cannot open " + file.string()); }
    auto const require = [&](bool holds, char const* what) {
        if (!holds) { throw std::runtime_error(file.string() + ": " + what); }
    };
    std::string first, words;
    std::getline(in, first);
    require(first == first_line, "no checkpoint of this program");
    std::getline(in, words);
    checkpoint result;
    std::size_t count = 0;
    std::istringstream numbers(words);
    numbers >> result.how.data >> result.how.model >> result.how.hidden >> result.how.batch >>
        result.how.accumulate >> result.how.seed >> result.now.step >> result.now.loss_scale >>
        result.now.good_steps >> count;
    auto const size = std::filesystem::file_size(file);
    require(!numbers.fail() && count <= size / (2 * sizeof(float)), "damaged");
    result.now.parameters.resize(count);
    result.now.velocity.resize(count);
    auto const bytes = static_cast<std::streamsize>(count * sizeof(float));
    in.read(bytes_of<char>(result.now.parameters), bytes);
    in.read(bytes_of<char>(result.now.velocity), bytes);
    std::uint64_t sum = 0;
    in >> sum;
    require(!in.fail() && sum == check_sum(words, result.now), "damaged");
    auto const& [how, now] = result;
    require((how.model == "dense" || how.model == "conv") && how.hidden > 0 && how.batch > 0 &&
                how.accumulate > 0 && now.step >= 0 && now.good_steps >= 0 && now.loss_scale > 0 &&
                std::isfinite(now.loss_scale),
            "no training can have left this");
    return result;
}

void require_fits(checkpoint const& from, network const& net) {
    auto const n = from.now.parameters.size();
    if (n == net.parameter_count()) { return; }
    throw std::runtime_error(fmt::format("the checkpoint has {} parameters, and its network {}", n,
                                         net.parameter_count()));
}

void require_same(checkpoint const& from, settings const& how) {
    auto const require = [](char const* what, auto const& saved, auto const& wanted) {
        if (saved == wanted) { return; }
        throw std::runtime_error(
            fmt::format("the checkpoint is of --{} {}, not {}", what, saved, wanted));
    };
    require("data", from.how.data, how.data);
    require("model", from.how.model, how.model);
    require("hidden", from.how.hidden, how.hidden);
    require("batch", from.how.batch, how.batch);
    require("accumulate", from.how.accumulate, how.accumulate);
    require("seed", from.how.seed, how.seed);
}

void job::save(state const& now) const {
    if (!how.checkpoint.empty()) { save_checkpoint(how.checkpoint, how, now); }
}

}  // namespace trainer
