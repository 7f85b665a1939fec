// SPDX-License-Identifier: BSD-3-Clause
// Makes texts of messages from words and numbers.
#pragma once

#include <collectives/core/compiled.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace collectives::inline v0 {

namespace detail {

/// A text or an integer.
class text_part {
public:
    text_part(std::string_view words) : words_(words) {}
    text_part(char const* words) : words_(words) {}
    template <std::integral T>
        requires(!std::same_as<T, bool>)
    text_part(T number)
        : number_(static_cast<std::uint64_t>(number)),
          kind_(number < T{} ? kind::negative : kind::positive) {}

    void append_to(std::string& text) const;

private:
    enum class kind : std::uint8_t { words, positive, negative };

    std::string_view words_;
    std::uint64_t number_ = 0;
    kind kind_ = kind::words;
};

std::string joined(std::initializer_list<text_part> parts);

}  // namespace detail

/// Joins the parts; each is a text or an integer.
template <class... Parts>
std::string text_of(Parts const&... parts) {
    return detail::joined({detail::text_part(parts)...});
}

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/core/text.ipp>
#endif
