// SPDX-License-Identifier: BSD-3-Clause
// Makes texts from patterns such as "<text x=\"{:.1f}\">{}</text>".
#pragma once

#include <collectives/core/text.hpp>

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace collectives::inline v0::drawing {

/// The value of a field in a pattern: a text, an integer, or a number with a fraction.
class field_value {
public:
    field_value(std::floating_point auto number) : number_(number), is_number_(true) {}
    template <class T>
        requires std::constructible_from<detail::text_part, T const&>
    field_value(T const& words) : words_(words) {}

    /// `how` as printf has it: `.1f`, `.4g`; empty is the shortest text that reads back the same.
    void append_to(std::string& out, std::string_view how) const {
        if (!is_number_) { return words_.append_to(out); }
        std::array<char, 400> text;  // holds every double
        auto* const end = text.data() + text.size();
        auto const form =
            how.ends_with('g') ? std::chars_format::general : std::chars_format::fixed;
        auto const written = how.empty()
                                 ? std::to_chars(text.data(), end, number_)
                                 : std::to_chars(text.data(), end, number_, form, how[1] - '0');
        out.append(text.data(), written.ptr);
    }

private:
    detail::text_part words_ = "";
    double number_ = 0;
    bool is_number_ = false;
};

/// How many fields a pattern has: `{}`, or with one digit as `{:.1f}` or `{:.4g}`. `{{` and `}}`
/// are braces. -1 if the text has any other brace or field.
constexpr int fields_of(std::string_view text) {
    int fields = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '{' && text[i] != '}') { continue; }
        if (text.substr(i + 1).starts_with(text[i])) {
            ++i;
            continue;
        }
        auto const end = text.find('}', i);
        if (end == i || end == text.npos) { return -1; }
        auto const how = text.substr(i + 1, end - i - 1);
        bool const is_form = how.size() == 4 && how.starts_with(":.") && how[2] >= '0' &&
                             how[2] <= '9' && (how[3] == 'f' || how[3] == 'g');
        if (!how.empty() && !is_form) { return -1; }
        ++fields;
        i = end;
    }
    return fields;
}

/// A literal with a field for each argument. Another number of fields does not compile, nor does a
/// text that is no pattern.
template <class... Args>
struct pattern {
    std::string_view text;

    consteval pattern(char const* literal) : text(literal) {
        if (fields_of(text) != int{sizeof...(Args)}) {
            throw "a pattern has a field for each argument";
        }
    }
};

inline void put_values(std::string& out, std::string_view text,
                       std::initializer_list<field_value> values) {
    auto const* value = values.begin();
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        bool const is_brace = c == '{' || c == '}';
        if (!is_brace || text.substr(i + 1).starts_with(c)) {
            out += c;
            i += is_brace ? 1 : 0;
            continue;
        }
        auto const end = text.find('}', i);
        auto const how = text.substr(i + 1, end - i - 1);
        (value++)->append_to(out, how.substr(how.empty() ? 0 : 1));
        i = end;
    }
}

/// Appends the pattern with the arguments in its fields.
template <class... Args>
void put(std::string& out, pattern<std::type_identity_t<Args>...> how, Args const&... args) {
    put_values(out, how.text, {field_value(args)...});
}

/// The same as a text of its own.
template <class... Args>
std::string filled(pattern<std::type_identity_t<Args>...> how, Args const&... args) {
    std::string out;
    put_values(out, how.text, {field_value(args)...});
    return out;
}

/// With spaces after it up to so many characters.
inline std::string padded(std::string text, int width) {
    if (text.size() < static_cast<std::size_t>(width)) {
        text.resize(static_cast<std::size_t>(width), ' ');
    }
    return text;
}

}  // namespace collectives
