// SPDX-License-Identifier: BSD-3-Clause
// Says that a rank is in its peers' memory.
#pragma once

namespace collectives {

/// This rank is in a peer's memory as long as it lives, even if the operator throws.
template <class Transport>
class stay_inside {
public:
    explicit stay_inside(Transport& t) : transport_(t) { t.enter_memory(); }
    stay_inside(stay_inside const&) = delete;
    stay_inside& operator=(stay_inside const&) = delete;
    ~stay_inside() { transport_.leave_memory(); }

private:
    Transport& transport_;
};

}  // namespace collectives
