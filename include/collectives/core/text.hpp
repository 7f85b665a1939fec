// SPDX-License-Identifier: BSD-3-Clause
// Makes texts of messages from words and numbers, and reads numbers.
#pragma once

#include <collectives/core/compiled.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace collectives::inline v0 {

namespace detail {

/// A text or an integer, in two words: messages are made in many places.
class text_part {
public:
    text_part(std::string_view words) : words_(words.data()), size_(words.size()) {}
    text_part(std::string const& words) : words_(words.data()), size_(words.size()) {}
    text_part(char const* words) : words_(words), size_(ends_itself) {}
    template <std::integral T>
        requires(!std::same_as<T, bool>)
    text_part(T number)
        : number_(static_cast<std::uint64_t>(number)), size_(number < T{} ? negative : positive) {}

    void append_to(std::string& text) const;

private:
    static constexpr auto positive = static_cast<std::size_t>(-1), negative = positive - 1,
                          ends_itself = negative - 1;

    union {
        char const* words_;
        std::uint64_t number_;
    };
    std::size_t size_;  // of the words, if no zero ends them; for a number, its sign
};

void add_joined(std::string& text, std::initializer_list<text_part> parts);
std::string joined(std::initializer_list<text_part> parts);

template <class Error>
[[noreturn, gnu::cold, gnu::noinline]] void throw_joined(std::initializer_list<text_part> parts) {
    throw Error(joined(parts));
}

}  // namespace detail

/// Throws an error whose message is the joined parts. A call is less code than a `throw` in its
/// place.
template <class Error, class... Parts>
[[noreturn]] void throw_error(Parts const&... parts) {
    detail::throw_joined<Error>({detail::text_part(parts)...});
}

/// Joins the parts; each is a text or an integer.
template <class... Parts>
std::string text_of(Parts const&... parts) {
    return detail::joined({detail::text_part(parts)...});
}

/// Adds the joined parts to a text.
template <class... Parts>
void add_text(std::string& text, Parts const&... parts) {
    detail::add_joined(text, {detail::text_part(parts)...});
}

/// Takes the decimal digits off the front of a text. Nothing if there are none, or if their number
/// has more than 64 bits.
std::optional<std::uint64_t> take_number(std::string_view& text);

}  // namespace collectives

#ifndef COLLECTIVES_COMPILED
#include <collectives/core/text.ipp>
#endif
