// SPDX-License-Identifier: BSD-3-Clause
// Stands in for the page in a coll_show that is built without it.
#include <string_view>

namespace coll_show {

std::string_view explorer_page() { return {}; }

}  // namespace coll_show
