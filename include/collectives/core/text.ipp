// SPDX-License-Identifier: BSD-3-Clause
// The definitions of core/text.hpp.
#pragma once

#include <collectives/core/text.hpp>

#include <limits>

namespace collectives::inline v0 {

namespace detail {

[[gnu::cold]] COLLECTIVES_INLINE void text_part::append_to(std::string& text) const {
    if (size_ < negative) {
        text += size_ == ends_itself ? std::string_view(words_) : std::string_view(words_, size_);
        return;
    }
    char number[24];  // 64 bits and a sign fit
    auto* const end = number + sizeof number;
    auto* at = end;
    auto rest = size_ == negative ? 0 - number_ : number_;
    do {
        *--at = static_cast<char>('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (size_ == negative) { *--at = '-'; }
    text.append(at, static_cast<std::size_t>(end - at));
}

[[gnu::cold]] COLLECTIVES_INLINE void add_joined(std::string& text,
                                                 std::initializer_list<text_part> parts) {
    for (auto const& part : parts) { part.append_to(text); }
}

[[gnu::cold]] COLLECTIVES_INLINE std::string joined(std::initializer_list<text_part> parts) {
    std::string result;
    add_joined(result, parts);
    return result;
}

}  // namespace detail

[[gnu::cold]] COLLECTIVES_INLINE std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t number = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
        auto const digit = static_cast<std::uint64_t>(text[digits] - '0');
        if (number > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) { return {}; }
        number = 10 * number + digit;
    }
    if (digits == 0) { return {}; }
    text.remove_prefix(digits);
    return number;
}

}  // namespace collectives
