// SPDX-License-Identifier: BSD-3-Clause
// A grid of two by three ranks: each rank belongs to a row and to a column, and sums go along both.
#include <collectives/collectives.hpp>

#include <cstdio>
#include <span>
#include <stdexcept>
#include <vector>

namespace coll = collectives;

namespace {

constexpr int rows = 2, columns = 3;

}  // namespace

int main() {
    coll::shm::run(rows * columns, [](coll::communicator& comm) {
        int const my_row = comm.rank() / columns, my_column = comm.rank() % columns;
        auto row = comm.split(my_row, my_column);  // ranks of one colour, in the order of the key
        auto column = comm.split(my_column, my_row);

        // A matrix is spread over the grid, one number to each rank. Each row and column is summed.
        auto const mine = comm.rank() + 1;
        int of_row = mine, of_column = mine;
        row.all_reduce(std::span(&of_row, 1));
        column.all_reduce(std::span(&of_column, 1));

        std::vector<int> of_rows(rows), of_columns(columns);
        column.all_gather(std::span(&of_row, 1), of_rows);
        row.all_gather(std::span(&of_column, 1), of_columns);
        if (of_rows != std::vector{1 + 2 + 3, 4 + 5 + 6} ||
            of_columns != std::vector{1 + 4, 2 + 5, 3 + 6}) {
            throw std::runtime_error("a wrong sum");
        }
        if (comm.rank() == 0) {
            std::printf("rows %d %d, columns %d %d %d\n", of_rows[0], of_rows[1], of_columns[0],
                        of_columns[1], of_columns[2]);
        }
    });
}
