// SPDX-License-Identifier: BSD-3-Clause
// From names on the command line to what is measured.
#pragma once

#include "../campaign.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace coll_perf {

/// What the command line asks for; lists of names, each of which may be `all`.
struct request {
    std::vector<std::string> collectives, algorithms, types, operators;
    std::vector<std::size_t> sizes;
    bool osu_sizes = false;  ///< they are as `osu_size` states them
    int root = 0;
    int tensors = 1;                       ///< of a fusion buffer
    int batch = 0;                         ///< 0: by size
    std::vector<bool> forms{false, true};  ///< in place?
};

/// The names that are measured, each of which `kind` knows; a usage_error where one is unknown.
std::vector<std::string> collectives_of(std::vector<std::string> const& names);

/// Every combination there is. Operators that a type does not have are left out of `all`, and a
/// usage_error where they were named.
std::vector<case_group> plan(request const& asked, int ranks);

/// Throws usage_error where vectors that begin so far after a page would begin within an element.
void require_places(std::vector<case_group> const& groups, settings const& how);

/// Our ranks over a transport.
program ours(std::string const& transport);

}  // namespace coll_perf
