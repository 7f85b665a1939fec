// SPDX-License-Identifier: BSD-3-Clause
// The programs that buckets run.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/run/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace collectives::inline v0::detail {

/// The programs of all buckets that were ever started, by their content.
class program_store {
public:
    /// The program of a bucket with this content; null if it is to be made.
    std::shared_ptr<program>& of(std::uint64_t content) {
        auto at = std::lower_bound(all_.begin(), all_.end(), content,
                                   [](auto const& p, auto c) { return p.content < c; });
        if (at == all_.end() || at->content != content) {
            if (all_.size() == most) {
                all_.clear();
                at = all_.end();
            }
            at = all_.insert(at, {content, nullptr});
        }
        return at->made;
    }

private:
    static constexpr std::size_t most = 10'000;

    struct entry_of {
        std::uint64_t content;
        std::shared_ptr<program> made;
    };
    lean_vector<entry_of> all_;  // ascending
};

}  // namespace collectives::detail
