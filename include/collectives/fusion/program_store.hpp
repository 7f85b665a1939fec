// SPDX-License-Identifier: BSD-3-Clause
// The programs that buckets run.
#pragma once

#include <collectives/run/program.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace collectives::inline v0::detail {

/// The programs of all buckets that were ever started, by their content.
class program_store {
public:
    /// The program of a bucket with this content; null if there is none yet.
    std::shared_ptr<program>& of(std::uint64_t content) {
        if (all_.size() == most && !all_.contains(content)) { all_.clear(); }
        return all_[content];
    }

private:
    static constexpr std::size_t most = 10'000;

    std::unordered_map<std::uint64_t, std::shared_ptr<program>> all_;
};

}  // namespace collectives::detail
