// SPDX-License-Identifier: BSD-3-Clause
// One colour, dash and marker per algorithm, in all pictures, and the colours of the rest.
// explorer/page/palette.js has the same table of algorithms for the page; a test compares both.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace palette {

enum class marker {
    circle,
    square,
    triangle,
    diamond,
    down,
    star,
    cross,
    plus,
    hexagon,
    pentagon,
    bar
};

/// Text of the colour has a contrast of 4.5:1 on white. `dash` is as in SVG; empty is solid.
struct look {
    std::string_view algorithm;
    std::string_view colour;
    std::string_view dash;
    marker mark;
};

inline constexpr std::array<look, 11> looks{
    {{"ring", "#0b5fa5", "", marker::circle},
     {"tree", "#00704d", "8 3", marker::square},
     {"star", "#8a5600", "2 3", marker::star},
     {"butterfly", "#9c2f88", "8 3 2 3", marker::diamond},
     {"halving", "#b3400a", "5 2", marker::triangle},
     {"circulant", "#5646bd", "12 3", marker::down},
     {"one_shot", "#4d5b66", "2 2", marker::cross},
     {"two_shot", "#8c1d3f", "6 2 2 2", marker::plus},
     {"mixed_radix", "#006b7a", "4 4", marker::hexagon},
     {"hierarchical", "#546600", "10 2 2 2 2 2", marker::pentagon},
     {"leaders", "#6b4a3a", "3 1", marker::bar}}};

/// Of curves and bars that are no algorithm's. Each has 4.5:1 on white, and colour-blind readers
/// tell any two apart.
inline constexpr std::array<std::string_view, 7> others{"#0072b2", "#b65d1e", "#194539", "#6e0469",
                                                        "#463705", "#700ff5", "#000000"};

/// The look of the one algorithm that is a word of this text, such as "shm ring" or
/// "hierarchical:4"; nullptr if there is none, or more than one.
constexpr look const* look_in(std::string_view text) {
    std::size_t found = looks.size();  // an index: with sanitizers an address is no constant
    auto const is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (std::size_t i = 0; i < looks.size(); ++i) {
        auto const name = looks[i].algorithm;
        for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
            auto const end = at + name.size();
            bool const is_whole =
                (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
            if (!is_whole) { continue; }
            if (found != looks.size() && found != i) { return nullptr; }
            found = i;
        }
    }
    return found == looks.size() ? nullptr : &looks[found];
}
static_assert(look_in("shm ring")->algorithm == "ring");
static_assert(look_in("hierarchical:4")->algorithm == "hierarchical");
static_assert(look_in("string") == nullptr && look_in("ring and tree") == nullptr);

}  // namespace palette
