// SPDX-License-Identifier: BSD-3-Clause
// The definitions of core/text.hpp.
#pragma once

#include <collectives/core/text.hpp>

#include <charconv>
#include <iterator>

namespace collectives::inline v0::detail {

[[gnu::cold]] COLLECTIVES_INLINE void text_part::append_to(std::string& text) const {
    if (size_ < negative) {
        text.append(words_, size_);
        return;
    }
    char number[24] = {'-'};
    auto const minus = size_ == negative ? 1 : 0;
    auto const magnitude = size_ == negative ? 0 - number_ : number_;
    auto const [end, fault] = std::to_chars(number + minus, std::end(number), magnitude);
    static_cast<void>(fault);  // 64 bits always fit
    text.append(number, static_cast<std::size_t>(end - number));
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

}  // namespace collectives::detail
