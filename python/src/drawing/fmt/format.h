// SPDX-License-Identifier: BSD-3-Clause
// What the pictures use of {fmt}, for machines without it: numbers as printf writes them, and text.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace fmt {

template <class...>
using format_string = std::string_view;

namespace detail {

template <class T>
concept number = std::integral<T> || std::floating_point<T>;

template <number T>
void put(std::string& out, std::string_view how, T value) {
    std::array<char, 64> text{};
    if (how.empty()) {  // the shortest that reads back as the same number
        auto const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
        out.append(text.data(), end);
        return;
    }
    auto const as = "%" + std::string(how);
    auto const n = std::snprintf(text.data(), text.size(), as.c_str(), value);
    out.append(text.data(), static_cast<std::size_t>(std::clamp(n, 0, 63)));
}
inline void put(std::string& out, std::string_view, char value) { out += value; }
inline void put(std::string& out, std::string_view, std::string_view value) { out += value; }

/// Copies what stands before the next field, and takes both away. Gives what the field says.
inline std::optional<std::string_view> next_field(std::string& out, std::string_view& format) {
    for (std::size_t i = 0; i < format.size(); ++i) {
        auto const c = format[i];
        if (c != '{' && c != '}') {
            out += c;
        } else if (i + 1 < format.size() && format[i + 1] == c) {
            out += c;
            ++i;
        } else {
            auto const end = format.find('}', i);
            auto const field = format.substr(i + 1, end - i - 1);
            format.remove_prefix(end + 1);
            return field;
        }
    }
    return {};
}

}  // namespace detail

/// A field names its argument by number, or takes the next one.
template <class... Args>
std::string format(std::string_view format, Args const&... args) {
    std::string out;
    std::size_t next = 0;
    while (auto const field = detail::next_field(out, format)) {
        auto const digits = field->substr(0, field->find(':'));
        auto which = next++;
        std::from_chars(digits.data(), digits.data() + digits.size(), which);
        auto const how = field->substr(std::min(digits.size() + 1, field->size()));
        std::size_t i = 0;
        ((i++ == which ? detail::put(out, how, args) : void()), ...);
    }
    return out;
}
template <class Out, class... Args>
Out format_to(Out out, std::string_view format, Args const&... args) {
    auto const text = fmt::format(format, args...);
    return std::copy(text.begin(), text.end(), out);
}

}  // namespace fmt
