// SPDX-License-Identifier: BSD-3-Clause
// The result codes of the explorer's tasks: coll1.TASK.TRIES.STUDENT.ANSWER.CHECK.
#pragma once

#include <collectives/schedule.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coll_show {

namespace coll = collectives;

/// What a code says. Whether its answer is right is not looked at.
struct task_code {
    std::string kind;  ///< predict, bug or build
    std::string algorithm;
    int size = 0;
    coll::collective what = coll::collective::all_reduce;
    std::string seed;     ///< 17, or 17-2: the second task of a sheet
    int tries = 0;        ///< the last of them right
    std::string student;  ///< as typed
    std::string answer;

    /// Whether the seed is the one of the student's name.
    bool own_seed() const;
};

/// FNV-1a of 32 bits.
constexpr std::uint32_t fnv1a(std::string_view text) {
    std::uint32_t h = 0x811c9dc5;
    for (char const c : text) { h = (h ^ static_cast<unsigned char>(c)) * 0x01000193; }
    return h;
}

/// Throws std::runtime_error, in words for a teacher, where the text is no code, its check value
/// does not fit, or there is no such task.
task_code read_code(std::string_view text);

/// The parts of a text between separators; at least one.
std::vector<std::string> parts_of(std::string_view text, char separator);

/// A whole number, of digits alone. Throws std::runtime_error.
int whole(std::string_view text);

/// What is wrong with the answer of a code; empty if it is right. Throws std::runtime_error where
/// the answer cannot be read.
///  - predict: the named ranks send just that in that round, and receivers do just that.
///  - bug: the checker refuses the schedule with the change, and it is the place of the change.
///  - build: the steps prove, within the rounds and the bytes that the code names.
std::string fault_of_answer(task_code const& code);

/// The schedules that a text of base 32 holds; explorer/page/tasks_pack.js says how. Throws
/// std::runtime_error.
std::vector<coll::schedule> unpacked(std::string_view text, coll::collective what, int size);

/// What --verify prints of a code. `right` is whether the answer is.
struct verified_code {
    bool right = false;
    std::string text;
};
verified_code verify(std::string_view text);

}  // namespace coll_show
