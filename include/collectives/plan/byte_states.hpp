// SPDX-License-Identifier: BSD-3-Clause
// Memory as check_plan sees it: for each element its value, its last writer, and its readers since.
// Two accesses of which one writes must be ordered.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/plan/event_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace collectives::inline v0::plans {

/// The elements of one region of memory. Grows as it is used.
class byte_states {
public:
    static constexpr int undefined = -1;

    /// Event `e` reads an element. Returns empty and sets `value` if the read is ordered; else says
    /// why it is not.
    std::string_view read(event_graph const& g, int e, std::size_t at, int& value) {
        auto& s = state_of(at);
        if (s.writer >= 0 && !g.before(s.writer, e)) { return "a read and a write may overlap"; }
        value = s.value;
        if (value == undefined) { return "it reads what nobody has written"; }
        s.readers.erase_if([&](int r) { return g.before(r, e); });
        s.readers.push_back(e);
        return {};
    }
    std::string_view write(event_graph const& g, int e, std::size_t at, int value) {
        auto& s = state_of(at);
        if (s.writer >= 0 && !g.before(s.writer, e)) { return "two writes may overlap"; }
        for (auto const r : s.readers) {
            if (!g.before(r, e)) { return "a write may overtake a read"; }
        }
        s.writer = e;
        s.value = value;
        s.readers.clear();
        return {};
    }
    /// Whether an element has a value.
    bool is_defined(std::size_t at) { return state_of(at).value != undefined; }

private:
    struct element {
        int value = undefined;
        int writer = -1;
        lean_vector<int> readers;
    };
    element& state_of(std::size_t at) {
        if (elements_.size() <= at) { elements_.resize(std::max(at + 1, 2 * elements_.size())); }
        return elements_[at];
    }

    lean_vector<element> elements_;
};

}  // namespace collectives::plans
