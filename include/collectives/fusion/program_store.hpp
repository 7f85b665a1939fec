// SPDX-License-Identifier: BSD-3-Clause
// The programs that buckets run.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/run/program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::detail {

/// The programs of the buckets that were started, by their content: at most 10,000.
class program_store {
public:
    /// The program of a bucket with this content; null if there is none yet. The reference holds
    /// until the next call.
    shared_pointer<program>& of(std::uint64_t content) {
        auto* at = std::lower_bound(all_.begin(), all_.end(), content,
                                    [](entry const& e, std::uint64_t c) { return e.content < c; });
        if (at != all_.end() && at->content == content) { return at->made; }
        if (all_.size() == most) {
            all_.clear();
            at = all_.begin();
        }
        return all_.insert(at, {content, nullptr})->made;
    }

private:
    static constexpr std::size_t most = 10'000;

    struct entry {
        std::uint64_t content;
        shared_pointer<program> made;
    };

    lean_vector<entry> all_;  // by ascending content
};

}  // namespace collectives::detail
