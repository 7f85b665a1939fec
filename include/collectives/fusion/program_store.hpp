// SPDX-License-Identifier: BSD-3-Clause
// The programs that buckets run.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/run/program.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace collectives::inline v0::detail {

/// The programs of the buckets that were started, by their content: at most 10,000.
class program_store {
public:
    /// The program of a bucket with this content; null if there is none yet. The reference holds
    /// until the next call.
    std::shared_ptr<program>& of(std::uint64_t content) {
        std::size_t first = 0, end = all_.size();
        while (first < end) {
            auto const middle = (first + end) / 2;
            (all_[middle].content < content ? first = middle + 1 : end = middle);
        }
        auto* at = all_.begin() + first;
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
        std::shared_ptr<program> made;
    };

    lean_vector<entry> all_;  // by ascending content
};

}  // namespace collectives::detail
