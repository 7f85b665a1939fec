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
        std::size_t first = 0;
        for (auto last = all_.size(); first < last;) {
            auto const middle = first + (last - first) / 2;
            if (all_[middle].content < content) {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        if (first < all_.size() && all_[first].content == content) { return all_[first].made; }
        if (all_.size() == most) {
            all_.clear();
            first = 0;
        }
        return all_.insert(all_.begin() + first, {content, nullptr})->made;
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
