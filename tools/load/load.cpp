// SPDX-License-Identifier: BSD-3-Clause
#include "headers.hpp"

#include "compile.hpp"
#include "inherit.hpp"

#include <collectives/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace load {
namespace {

namespace coll = collectives;
namespace fs = std::filesystem;

/// Whether it is a word of C++, or several with :: between.
bool is_type(std::string const& text) {
    bool begins = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto const c = static_cast<unsigned char>(text[i]);
        if (text.compare(i, 2, "::") == 0 && (!begins || i == 0)) {
            begins = true;
            ++i;
        } else if (std::isalpha(c) != 0 || c == '_' || (!begins && std::isdigit(c) != 0)) {
            begins = false;
        } else {
            return false;
        }
    }
    return !begins;
}

/// Where TYPE begins in FILE:TYPE, at its colon; npos in FILE.
std::size_t type_in(std::string const& text) {
    auto const folders = text.rfind('/') + 1;  // 0 where there is none
    return fs::exists(text) ? text.npos : text.find(':', folders);
}

/// FILE or FILE:TYPE. The type is named as the file, unless it is given.
algorithm_header header_of(std::string const& text) {
    auto const colon = type_in(text);
    auto const file = text.substr(0, colon);
    if (!fs::is_regular_file(file)) {
        throw coll::usage_error(fmt::format("there is no file \"{}\"", file));
    }
    auto const type = colon == text.npos ? fs::path(file).stem().string() : text.substr(colon + 1);
    if (!is_type(type)) {
        throw coll::usage_error(fmt::format(
            "no class is called \"{}\"; write FILE:TYPE, such as my.hpp:mine::type", type));
    }
    return {fs::canonical(file), type.starts_with("::") ? type : "::" + type};
}

void add(std::string const& text) {
    auto const object = shared_object_of(header_of(text));
    add_shared_object(object);
    auto const* const others = std::getenv(variable);
    auto const list = others == nullptr ? object : fmt::format("{}\n{}", others, object);
    ::setenv(variable, list.c_str(), 1);
}

}  // namespace

void forget_inherited() { ::unsetenv(variable); }

void add_all(std::vector<std::string> const& headers) {
    for (auto const& text : headers) {
        try {
            add(text);
        } catch (coll::usage_error const& e) {
            throw coll::usage_error(fmt::format("--load {}: {}", text, e.what()));
        } catch (std::exception const& e) {
            throw std::runtime_error(fmt::format("--load {}: {}", text, e.what()));
        }
    }
}

std::string file_in(std::string const& text) { return text.substr(0, type_in(text)); }

}  // namespace load
