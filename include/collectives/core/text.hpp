// SPDX-License-Identifier: BSD-3-Clause
// Texts of messages, put together from words and numbers.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace collectives {

namespace detail {

inline void append(std::string& to, std::string_view words) { to.append(words); }
template <std::integral T>
void append(std::string& to, T number) {
    char digits[24];
    auto const [end, fault] = std::to_chars(digits, digits + sizeof digits, number);
    static_cast<void>(fault);  // 64 bits always fit
    to.append(digits, end);
}

}  // namespace detail

/// The parts one after the other; each is a text or an integer.
template <class... Parts>
std::string text_of(Parts const&... parts) {
    std::string result;
    (detail::append(result, parts), ...);
    return result;
}

}  // namespace collectives
