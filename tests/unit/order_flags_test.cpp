// SPDX-License-Identifier: BSD-3-Clause
// The words by which streams wait for each other, where a rank has gone before its device is done.
#include <collectives/transport/cuda/order_flags.hpp>

#include <doctest/doctest.h>

#include <array>

namespace cuda = collectives::cuda;

TEST_CASE("a rank that was let go stays so, whatever its device still writes") {
    std::array<cuda::order_word, 3> all{};
    cuda::order_flags flags({}, all.data(), 3, 0, false, {});
    all[1].enqueued = 5;
    all[1].done = 2;
    CHECK(flags.has_pending_work(1));
    CHECK_FALSE(flags.is_released(1));
    flags.release(1);
    CHECK(all[1].done > all[1].enqueued);  // streams that wait for it go on
    CHECK(flags.is_released(1));
    CHECK_FALSE(flags.has_pending_work(1));
    all[1].done = 3;
    CHECK(flags.is_released(1));
    CHECK_FALSE(flags.has_pending_work(1));
    flags.after(nullptr, 1);  // enqueues nothing: there is no device here to do it on
    flags.release(1);
    CHECK(all[1].done > all[1].enqueued);
    CHECK_FALSE(flags.is_released(2));
    CHECK_FALSE(flags.has_released());
    flags.release();
    CHECK(flags.has_released());
    CHECK(flags.is_released(0));
}
