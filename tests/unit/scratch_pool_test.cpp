// SPDX-License-Identifier: BSD-3-Clause
// Scratch is kept from call to call, but not for ever.
#include <collectives/run/scratch_pool.hpp>
#include <collectives/transport/model.hpp>
#include <collectives/transport/shm.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstddef>
#include <memory>

namespace coll = collectives;

namespace {

constexpr std::size_t mib = 1024 * 1024;

/// A pool in shared memory, which tells how much of that has been taken.
struct measured_pool {
    coll::shm::job job{1};
    coll::detail::scratch_pool pool{coll::erase(job.rank(0))};
    std::size_t at_first = taken();

    std::size_t taken() const {
        struct stat is {};
        ::fstat(job.descriptor(), &is);
        return static_cast<std::size_t>(is.st_blocks) * 512;
    }
    std::size_t held() const { return taken() - at_first; }
    std::byte* use(std::size_t bytes) {
        auto const b = pool.take(bytes);
        pool.give_back(b);
        return b.data;
    }
};

}  // namespace

TEST_CASE("what one large call needed goes back when many small ones have followed") {
    measured_pool of;
    of.use(64 * mib);
    CHECK(of.held() == 64 * mib);
    for (int i = 0; i < 300; ++i) { of.use(4096); }
    CHECK(of.held() == 4096);
}

TEST_CASE("what calls need again and again stays") {
    measured_pool of;
    auto* const large = of.use(64 * mib);
    for (int again = 0; again < 10; ++again) {
        for (int i = 0; i < 200; ++i) { of.use(4096); }
        CHECK(of.use(64 * mib) == large);
    }
}

TEST_CASE("of very many the longest kept goes, and what serves the calls stays") {
    measured_pool of;
    coll::detail::scratch_pool::buffer all[12];
    for (auto& b : all) { b = of.pool.take(16 * mib); }
    for (auto const& b : all) { of.pool.give_back(b); }
    CHECK(of.held() == 12 * 16 * mib);
    auto* const little = of.use(4096);
    CHECK(of.held() == 11 * 16 * mib + 4096);
    CHECK(of.use(4096) == little);
}
