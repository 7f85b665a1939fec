// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.hpp"

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/types.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

namespace python {

namespace {

/// What the program gives as one number per rank.
sizes numbers_of(nb::handle given, std::string const& role, int size) {
    sizes result;
    for (nb::handle const n : given) {
        std::size_t number = 0;
        if (!nb::try_cast(n, number)) {
            throw coll::usage_error(coll::text_of(role, " are whole numbers, from 0 on"));
        }
        result.push_back(number);
    }
    if (result.size() != static_cast<std::size_t>(size)) {
        throw coll::usage_error(coll::text_of(result.size(), " ", role, " for ", size, " ranks"));
    }
    return result;
}

[[noreturn]] void refuse_size() {
    throw coll::usage_error("the blocks have more elements than can be counted");
}
std::size_t plus(std::size_t a, std::size_t b) {
    std::size_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) { refuse_size(); }
    return result;
}
std::size_t times(std::size_t a, std::size_t b) {
    std::size_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) { refuse_size(); }
    return result;
}

}  // namespace

std::size_t rows_of(sizes const& shape) {
    if (shape.empty()) { throw coll::usage_error("an array without axes has no rows to cut"); }
    return shape[0];
}
std::size_t row_of(sizes const& shape) {
    rows_of(shape);
    return std::accumulate(shape.begin() + 1, shape.end(), std::size_t{1}, std::multiplies<>());
}
sizes of_rows(std::size_t rows, sizes const& shape) {
    rows_of(shape);
    auto result = shape;
    result[0] = rows;
    return result;
}

row_blocks::row_blocks(std::size_t rows, int size) {
    for (int r = 0; r < size; ++r) { counts_.push_back(coll::block(rows, size, r).size); }
}
row_blocks::row_blocks(nb::handle counts, nb::handle displacements, int size,
                       std::string const& role) {
    if (!counts.is_none()) { counts_ = numbers_of(counts, role + "counts", size); }
    if (displacements.is_none()) { return; }
    if (counts.is_none()) {
        throw coll::usage_error(role + "displacements need " + role + "counts");
    }
    displacements_ = numbers_of(displacements, role + "displacements", size);
}

std::size_t row_blocks::end() const {
    std::size_t behind = 0, last = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_[i] == 0) { continue; }
        behind = plus(have_places() ? displacements_[i] : behind, counts_[i]);
        last = std::max(last, behind);
    }
    return last;
}

coll::detail::part_counts row_blocks::parts(std::size_t row) const {
    coll::detail::part_counts result;
    for (auto const* const numbers : {&counts_, &displacements_}) {
        for (auto const n : *numbers) { result.push_back(times(n, row)); }
    }
    return result;
}

}  // namespace python
