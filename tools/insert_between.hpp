// SPDX-License-Identifier: BSD-3-Clause
// How a table comes into a page.
#pragma once

#include <stdexcept>
#include <string>

namespace tools {

/// The page with `text` between the lines `<!-- NAME -->` and `<!-- end of NAME -->`. Throws
/// std::runtime_error if one of them is missing.
inline std::string insert_between(std::string const& page, std::string const& name,
                                  std::string const& text) {
    auto const first = "<!-- " + name + " -->\n";
    auto const last = "<!-- end of " + name + " -->";
    auto const from = page.find(first);
    auto const to = from == page.npos ? page.npos : page.find(last, from);
    if (to == page.npos) {
        throw std::runtime_error("there is no \"" + first.substr(0, first.size() - 1) +
                                 "\" with a \"" + last + "\" after it");
    }
    return page.substr(0, from + first.size()) + text + page.substr(to);
}

}  // namespace tools
