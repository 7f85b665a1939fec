// SPDX-License-Identifier: BSD-3-Clause
// Pictures of algorithms, without any rank: as text, and as SVG into the file that is named.
#include <collectives/schedule.hpp>

#include <fstream>
#include <iostream>

namespace coll = collectives;

/// Rank r adds the sum of the lower ranks to its own and passes it on. The last rank sends the
/// result to all.
struct chain {
    static constexpr std::string_view name = "chain";
    static constexpr int chunks(int) { return 1; }
    static constexpr void steps(coll::rank_t me, int size, coll::step_sink auto&& emit) {
        int const last = size - 1;
        if (me > 0) { emit(coll::step{me - 1, coll::verb::recv_reduce, me - 1}); }
        if (me != last) {
            emit(coll::step{me, coll::verb::send, me + 1});
            emit(coll::step{last, coll::verb::recv_copy, last});
            return;
        }
        for (int to = 0; to < last; ++to) { emit(coll::step{last, coll::verb::send, to}); }
    }
};

int main(int argc, char** argv) {
    int const root = 2;
    std::cout << coll::draw_text(chain{}, 4) << '\n'
              << coll::draw_text(coll::tree{}, 5, coll::collective::broadcast, root);
    if (argc > 1) {
        std::ofstream file(argv[1]);
        file << coll::draw(chain{}, 4);
        return file.flush() ? 0 : 1;
    }
}
