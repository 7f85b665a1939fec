// SPDX-License-Identifier: BSD-3-Clause
// How a program cuts an array into blocks of rows, one per rank.
#pragma once

#include <collectives/communicator/typed_requests.hpp>

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <vector>

namespace python {

namespace coll = collectives;
namespace nb = nanobind;

using sizes = std::vector<std::size_t>;

/// The number of rows, which lie along the first axis. Throws usage_error where there is none.
std::size_t rows_of(sizes const& shape);
/// The elements of a row.
std::size_t row_of(sizes const& shape);
/// A shape of so many rows like those of `shape`.
sizes of_rows(std::size_t rows, sizes const& shape);

/// Blocks of rows, one per rank: one behind the other, or where displacements say.
class row_blocks {
public:
    /// As np.array_split cuts them.
    row_blocks(std::size_t rows, int size);
    /// From the arguments `role`counts and `role`displacements, either of which may be None.
    /// Throws usage_error.
    row_blocks(nb::handle counts, nb::handle displacements, int size, std::string const& role = "");

    bool are_given() const { return !counts_.empty(); }
    bool have_places() const { return !displacements_.empty(); }
    bool are_equal() const { return counts_.front() == counts_.back(); }  // of those cut evenly
    std::size_t count(int rank) const { return counts_[static_cast<std::size_t>(rank)]; }
    /// The rows up to the end of the last block.
    std::size_t end() const;
    /// In elements, of which a row has so many, as the library takes them; empty for none given.
    coll::detail::part_counts parts(std::size_t row) const;

private:
    sizes counts_, displacements_;
};

}  // namespace python
