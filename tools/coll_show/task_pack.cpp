// SPDX-License-Identifier: BSD-3-Clause
// The steps that a result code of the task "build one" carries.
#include "task_code.hpp"

#include <cstddef>
#include <stdexcept>

namespace coll_show {
namespace {

/// A string of bits in base 32: a to z, 2 to 7, the highest bit first.
class bit_reader {
public:
    explicit bit_reader(std::string_view text) {
        for (char const c : text) {
            auto const digit = std::string_view("abcdefghijklmnopqrstuvwxyz234567").find(c);
            if (digit == std::string_view::npos) { refuse(); }
            for (int bit = 4; bit >= 0; --bit) { bits_.push_back(((digit >> bit) & 1U) != 0); }
        }
    }
    int get(int width) {
        int value = 0;
        for (int i = 0; i < width; ++i) {
            if (at_ == bits_.size()) { refuse(); }
            value = value * 2 + (bits_[at_++] ? 1 : 0);
        }
        return value;
    }
    /// Only zeros may be left, fewer than a digit's.
    void end() {
        if (bits_.size() - at_ > 4 || get(static_cast<int>(bits_.size() - at_)) != 0) { refuse(); }
    }
    [[noreturn]] static void refuse() { throw std::runtime_error("the steps cannot be read"); }

private:
    std::vector<bool> bits_;
    std::size_t at_ = 0;
};

int width_of(int n) {
    int width = 1;
    while ((1 << width) < n) { ++width; }
    return width;
}

}  // namespace

std::vector<coll::schedule> unpacked(std::string_view text, coll::collective what, int size) {
    bit_reader bits(text);
    int const chunks = bits.get(12), rounds = bits.get(12), messages = bits.get(16);
    if (chunks < 1) { bit_reader::refuse(); }
    int const rank_width = width_of(size), chunk_width = width_of(chunks);
    std::vector<coll::schedule> all;
    for (coll::rank_t r = 0; r < size; ++r) {
        all.push_back({what, size, r, 0, chunks, rounds, {}});
    }
    int round = 0;
    for (int i = 0; i < messages; ++i) {
        while (bits.get(1) == 1) { ++round; }
        coll::rank_t const from = bits.get(rank_width), to = bits.get(rank_width);
        int const first = bits.get(chunk_width), count = bits.get(chunk_width) + 1;
        int const there = what == coll::collective::all_to_all ? bits.get(chunk_width) : first;
        auto const verb = bits.get(1) == 1 ? coll::verb::recv_reduce : coll::verb::recv_copy;
        if (from >= size || to >= size) { bit_reader::refuse(); }
        all[static_cast<std::size_t>(from)].steps.push_back(
            {round, coll::verb::send, to, {first, count}});
        all[static_cast<std::size_t>(to)].steps.push_back({round, verb, from, {there, count}});
    }
    bits.end();
    return all;
}

}  // namespace coll_show
