// SPDX-License-Identifier: BSD-3-Clause
// Reads the result codes of the explorer's tasks.
#include "task_code.hpp"

#include "report.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <stdexcept>

namespace coll_show {
namespace {

[[noreturn]] void refuse(std::string const& why) { throw std::runtime_error(why); }

std::string without_escapes(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i];
            continue;
        }
        unsigned byte = 0;
        auto const* const first = text.data() + std::min(i + 1, text.size());
        auto const* const last = text.data() + std::min(i + 3, text.size());
        auto const read = std::from_chars(first, last, byte, 16);
        if (read.ec != std::errc{} || read.ptr != last || last - first != 2) {
            refuse("the student's name cannot be read");
        }
        result += static_cast<char>(byte);
        i += 2;
    }
    bool const prints = std::none_of(result.begin(), result.end(), [](char c) {
        auto const byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    });
    if (!prints) { refuse("the student's name has characters that cannot be printed"); }
    return result;
}

/// As the page does: spaces at the ends, several spaces and the case of A to Z make no difference.
std::string plain(std::string_view name) {
    std::string result;
    for (char const c : name) {
        bool const space = c == ' ' || c == '\t';
        if (!space) {
            result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        } else if (result.empty() || result.back() != ' ') {
            result += ' ';
        }
    }
    if (!result.empty() && result.front() == ' ') { result.erase(0, 1); }
    if (!result.empty() && result.back() == ' ') { result.pop_back(); }
    return result;
}

bool is_digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// kind:algorithm:size:collective:seed; an algorithm may have a colon in it.
void read_task(std::string const& text, task_code& code) {
    auto parts = parts_of(text, ':');
    if (parts.size() < 5) { refuse("there is no task " + text); }
    auto const take_last = [&] {
        auto last = parts.back();
        parts.pop_back();
        return last;
    };
    code.seed = take_last();
    code.what = find_collective(take_last());
    code.size = whole(take_last());
    code.kind = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) {
        code.algorithm += (i == 1 ? "" : ":") + parts[i];
    }
    for (auto const& part : parts_of(code.seed, '-')) { whole(part); }
    if (code.algorithm != "any") { find_algorithm(code.algorithm); }
    if (code.size < 2 || code.size > 16) { refuse("tasks are for 2 to 16 ranks"); }
}

}  // namespace

std::vector<std::string> parts_of(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    for (char const c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

int whole(std::string_view text) {
    std::int64_t value = 0;
    auto const read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!is_digits(text) || read.ec != std::errc{} || value > 0xffffffffLL) {
        refuse("\"" + std::string(text) + "\" is not a number");
    }
    return static_cast<int>(std::min<std::int64_t>(value, 1 << 30));
}

bool task_code::own_seed() const {
    auto const name = plain(student);
    auto const given = parts_of(seed, '-')[0];
    bool const number = is_digits(name) && name.size() <= 9;  // its own seed, in older codes
    return given == std::to_string(fnv1a(name)) || (number && given == std::to_string(whole(name)));
}

task_code read_code(std::string_view text) {
    auto const parts = parts_of(text, '.');
    if (parts.size() != 6 || parts[0] != "coll1") {
        refuse("this is not a result code: it starts with coll1. and has six parts");
    }
    auto const before = text.substr(0, text.rfind('.'));
    std::uint32_t check = 0;
    auto const& last = parts[5];
    auto const read = std::from_chars(last.data(), last.data() + last.size(), check, 16);
    if (last.size() != 8 || read.ec != std::errc{} || read.ptr != last.data() + last.size() ||
        check != fnv1a(before)) {
        refuse("the code was altered or mistyped: its check value does not fit");
    }
    task_code code;
    read_task(parts[1], code);
    code.tries = whole(parts[2]);
    if (code.tries < 1 || parts[2].front() == '0' || parts[2].size() > 6) {
        refuse("there are 1 to 999999 tries: no answer comes without a try");
    }
    code.student = without_escapes(parts[3]);
    code.answer = parts[4];
    return code;
}

}  // namespace coll_show
