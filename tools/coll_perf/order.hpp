// SPDX-License-Identifier: BSD-3-Clause
// What coll_perf asks of the ranks that it has a launcher start, and where they meet.
#pragma once

#include "sample_board.hpp"
#include "job.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace coll_perf {

/// The first word of a peer's driver that is to be one rank; its number, the folder in which the
/// ranks find each other, and an `order` follow.
inline constexpr char const* as_member = "--as-member";
/// Whether a command line is one of these.
inline bool is_member(int argc, char** argv) {
    return argc > 4 && argv[1] == std::string_view(as_member);
}

/// The words BOARD SECONDS CORE_PER_RANK SETTINGS CASE...
struct order {
    std::string path;  ///< of the board
    unsigned seconds = 0;
    bool core_per_rank = false;
    settings how;
    std::vector<measured_case> cases;

    /// From the words after argv[first - 1].
    static order read(int argc, char** argv, int first = 1) {
        if (argc < first + 5) { throw std::runtime_error("to be started by coll_perf"); }
        auto** const words = argv + first;
        order o{words[0],
                static_cast<unsigned>(std::stoul(words[1])),
                words[2][0] == '1',
                settings_of(words[3]),
                {}};
        for (int i = first + 4; i < argc; ++i) { o.cases.push_back(case_of(argv[i])); }
        return o;
    }
    std::vector<std::string> words() const {
        std::vector<std::string> all{path, std::to_string(seconds), core_per_rank ? "1" : "0",
                                     as_text(how)};
        for (auto const& c : cases) { all.push_back(as_text(c)); }
        return all;
    }

    /// The board, of which these are the ranks. Limits the life of this process, since a launcher
    /// that is killed may leave its ranks behind.
    board meet(int ranks) const {
        if (ranks != how.ranks) {
            throw std::runtime_error("the launcher started " + std::to_string(ranks) +
                                     " ranks, not " + std::to_string(how.ranks) +
                                     ": is it another library's launcher?");
        }
        ::alarm(seconds);
        auto* const memory = map_board(path, board::bytes_for(ranks, how.iterations));
        if (memory == nullptr) { throw std::runtime_error("cannot map " + path); }
        return {memory, ranks, how.iterations, core_per_rank};
    }

    /// Null where that fails.
    static void* map_board(std::string const& path, std::size_t bytes) {
        auto const file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        if (file < 0) { return nullptr; }
        auto* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        ::close(file);
        return memory == MAP_FAILED ? nullptr : memory;
    }
};

}  // namespace coll_perf
