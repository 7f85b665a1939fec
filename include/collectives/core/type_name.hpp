// SPDX-License-Identifier: BSD-3-Clause
// Names and 64-bit identities of types, equal in every process that runs one and the same binary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <typeinfo>

namespace collectives::inline v0 {

namespace detail {

template <class T>
consteval std::string_view function_name() {
    return __PRETTY_FUNCTION__;
}

constexpr std::uint64_t hash_start = 0xcbf29ce484222325ULL;

/// FNV-1a over the bytes of a text.
constexpr std::uint64_t hash_text(std::string_view text, std::uint64_t hash = hash_start) {
    for (char const c : text) { hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL; }
    return hash;
}

/// FNV-1a over the first `size` bytes of an object.
template <class T>
std::uint64_t hash_bytes(T const& value, std::size_t size = sizeof(T)) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    return hash_text(std::string_view(bytes, size));
}

/// Mixes one word into a hash so that each bit of it affects all of the result.
constexpr std::uint64_t hash_mix(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ULL;
    return hash ^ (hash >> 32);
}

/// A text without the library's version in its names: collectives::float16, not
/// collectives::v0::float16. g++ spells the inline namespace out, clang does not.
template <std::size_t N>
struct unversioned {
    consteval explicit unversioned(std::string_view text) {
        constexpr std::string_view space = "collectives::", version = "v0::";
        while (!text.empty()) {
            chars[size++] = text.front();
            text.remove_prefix(1);
            if (view().ends_with(space) && text.starts_with(version)) {
                text.remove_prefix(version.size());
            }
        }
    }
    constexpr std::string_view view() const { return {chars, size}; }

    char chars[N]{};
    std::size_t size = 0;
};

template <class T>
consteval std::string_view spelt_name() {
    // A type with a known name shows where the compiler's text holds the name.
    constexpr std::string_view probe = function_name<double>();
    constexpr std::size_t before = probe.find("double");
    constexpr std::size_t around = probe.size() - std::string_view("double").size();
    constexpr std::string_view full = function_name<T>();
    return full.substr(before, full.size() - around);
}

template <class T>
inline constexpr unversioned<spelt_name<T>().size()> name_of_type{spelt_name<T>()};

}  // namespace detail

/// The name of a type as the compiler spells it, without the version of the library.
template <class T>
constexpr std::string_view type_name() {
    return detail::name_of_type<T>.view();
}

/// A 64-bit identity of a type, made by the compiler from its name and size.
template <class T>
consteval std::uint64_t type_id() {
    return detail::hash_mix(detail::hash_text(type_name<T>()), sizeof(T));
}

/// The compiler's record of a type, the same in all objects that are linked into a program; null in
/// programs without such records.
template <class T>
constexpr std::type_info const* type_record() {
#if __cpp_rtti
    return &typeid(T);
#else
    return nullptr;
#endif
}

namespace detail {

/// An element type without its type.
struct element_type {
    std::uint64_t id = 0;
    std::string_view name;
    std::size_t size = 0;
};
template <class T>
constexpr element_type element_type_of() {
    return {type_id<T>(), type_name<T>(), sizeof(T)};
}

/// Whether no other type is spelt alike: a type of the library that is no template's and no
/// function's. (clang spells a user's type in a function without that function.)
template <class T>
inline constexpr bool is_spelt_once = type_name<T>().starts_with("collectives::") &&
                                      type_name<T>().find_first_of("<({") == std::string_view::npos;

/// Tells types apart that are spelt alike: two lambdas of one function have one name in g++'s
/// messages, but two in the linker's table.
template <class T>
std::uint64_t linker_id() {
#if __cpp_rtti
    static std::uint64_t const id = hash_text(typeid(T).name());  // too slow for every call
    return id;
#else
    return type_id<T>();
#endif
}

}  // namespace detail

}  // namespace collectives
