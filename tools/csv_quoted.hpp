// SPDX-License-Identifier: BSD-3-Clause
// How a text stands in a table of comma-separated values.
#pragma once

#include <string>

namespace tools {

/// The text as one cell by RFC 4180: in quotation marks where it needs them.
inline std::string csv_quoted(std::string const& text) {
    if (text.find_first_of(",\"\r\n") == text.npos) { return text; }
    std::string out = "\"";
    for (char const c : text) {
        if (c == '"') { out += '"'; }
        out += c;
    }
    return out + '"';
}

}  // namespace tools
