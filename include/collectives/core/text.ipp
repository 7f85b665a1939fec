// SPDX-License-Identifier: BSD-3-Clause
// The definitions of core/text.hpp.
#pragma once

#include <collectives/core/text.hpp>

#include <charconv>

namespace collectives::inline v0::detail {

[[gnu::cold]] COLLECTIVES_INLINE void text_part::append_to(std::string& text) const {
    if (size_ < negative) {
        text.append(words_, size_);
        return;
    }
    if (size_ == negative) { text += '-'; }
    char digits[24];
    auto const magnitude = size_ == negative ? 0 - number_ : number_;
    auto const [end, fault] = std::to_chars(digits, digits + sizeof digits, magnitude);
    static_cast<void>(fault);  // 64 bits always fit
    text.append(digits, end);
}

COLLECTIVES_INLINE std::string joined(std::initializer_list<text_part> parts) {
    std::string result;
    for (auto const& part : parts) { part.append_to(result); }
    return result;
}

}  // namespace collectives::detail
