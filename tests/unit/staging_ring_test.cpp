// SPDX-License-Identifier: BSD-3-Clause
// Memory that is handed out round and round, and how what peers read is written there.
#include <collectives/collectives.hpp>
#include <collectives/core/store_probe.hpp>
#include <collectives/run/staging_ring.hpp>
#include <collectives/transport/model.hpp>
#include <collectives/transport/threads.hpp>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <vector>

namespace coll = collectives;

namespace {

struct stretch {
    std::byte const* begin;
    std::size_t bytes;
};

}  // namespace

TEST_CASE("caches: the processors of a list") {
    using coll::host::detail::processors_in;
    CHECK(processors_in("0-3,8\n") == 5);
    CHECK(processors_in("0\n") == 1);
    CHECK(processors_in("0,32") == 2);
    CHECK(processors_in("0-15,64-79") == 32);
    for (auto const* const odd : {"", "\n", "-", "x", "0-", "0,"}) {
        CHECK(processors_in(odd) == 1);
    }
    CHECK(coll::host::caches().own_sharers >= 1);
    CHECK(coll::host::caches().sharers >= 1);
}

TEST_CASE("the last pieces of a staging ring never share bytes") {
    coll::threads::job const job(1);
    auto const mine = coll::erase(job.rank(0));
    auto& t = *mine;
    auto const holds = rc::check([&] {
        auto const alive = *rc::gen::inRange<std::size_t>(1, 20);
        auto const largest = 64 * *rc::gen::inRange<std::size_t>(1, 50);
        coll::detail::staging_ring memory;
        std::size_t staged = 0;
        memory.count_in(staged);
        auto const bytes = (alive + 1) * largest * *rc::gen::inRange<std::size_t>(1, 9);
        memory.make(t, bytes);
        std::deque<stretch> last;
        auto sizes = *rc::gen::container<std::vector<std::size_t>>(
            1000, rc::gen::oneOf(rc::gen::inRange<std::size_t>(0, largest + 1),
                                 rc::gen::inRange<std::size_t>(0, 65), rc::gen::just(largest)));
        if (*rc::gen::arbitrary<bool>()) { std::sort(sizes.begin(), sizes.end()); }
        std::byte const* first = nullptr;
        for (auto const size : sizes) {
            stretch const now{memory.take(size), size};
            if (first == nullptr) { first = now.begin; }
            RC_ASSERT(first <= now.begin && now.begin + now.bytes <= first + bytes);
            for (auto const& one : last) {
                RC_ASSERT(now.begin + now.bytes <= one.begin ||
                          one.begin + one.bytes <= now.begin || one.bytes == 0 || now.bytes == 0);
            }
            last.push_back(now);
            if (last.size() == alive) { last.pop_front(); }
        }
        RC_ASSERT(staged == bytes);
        auto const all = memory.release();
        RC_ASSERT(staged == 0);
        RC_ASSERT(!memory.exists());
        t.memory()->deallocate(all.data, all.bytes);
    });
    CHECK(holds);
}

TEST_CASE(
    "pushes pay between far caches, and where the ring takes no less; else they are timed now and "
    "then") {
    if (!coll::host::detail::can_pass_caches) { return; }
    using probe = coll::detail::store_probe;
    std::vector<std::byte> memory(4096);
    probe near{probe::time_per_line(1e9)}, far{probe::time_per_line(-1e9)}, not_measured;
    auto const& as_quick = near;  // a ring whose lines take as long
    for (int look = 0; look < 3; ++look) {
        for (auto* const w : {&near, &far}) {
            CHECK(w->push_pays(not_measured));
            w->best(memory.data(), memory.size());
        }
    }
    int looks = 0;
    for (int asked = 0; asked < 1000; ++asked) {
        CHECK(far.push_pays(not_measured));
        if (near.push_pays(not_measured)) { ++looks; }
    }
    CHECK(looks > 5);
    CHECK(looks < 50);
    for (int asked = 0; asked < 100; ++asked) { CHECK(near.push_pays(as_quick)); }
}

TEST_CASE("what is written for peers is what was there, near or far, watched or not") {
    std::vector<std::byte> from(40'000), memory(from.size() + 128);
    for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<std::byte>(i * 7 + i / 256);
    }
    auto const untouched = [](auto b) { return b == std::byte{0x5a}; };
    std::size_t const sizes[] = {0, 1, 1023, 1024, 1025, 4096, 16 * 1024, 16 * 1024 + 65, 39'000};
    for (double const slow : {-1e9, 1e9}) {
        coll::detail::store_probe watch{coll::detail::store_probe::time_per_line(slow)};
        for (std::size_t call = 0; call < 500; ++call) {
            auto const bytes = sizes[call % std::size(sizes)];
            std::fill(memory.begin(), memory.end(), std::byte{0x5a});
            auto* const to = memory.data() + call / 9 % 64;
            auto const where = watch.best(to, bytes);
            coll::host::copy(to, from.data() + call % 5, bytes, where);
            CHECK(std::equal(to, to + bytes, from.data() + call % 5));
            CHECK(std::all_of(memory.data(), to, untouched));
            CHECK(std::all_of(to + bytes, memory.data() + memory.size(), untouched));
            auto const far = slow < 0 && bytes >= 1024 && coll::host::detail::can_pass_caches;
            if (call > 20) { CHECK((where == coll::destination::not_read_soon) == far); }
        }
    }
}
