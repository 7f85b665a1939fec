// SPDX-License-Identifier: BSD-3-Clause
// Which tensors travel together, and what is said of tensors that differ.
#include <collectives/fusion/bucket_planner.hpp>
#include <collectives/fusion/mismatch_report.hpp>
#include <collectives/fusion/ready_list.hpp>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace coll = collectives;

namespace {

using list = std::vector<std::size_t>;

/// Tensors of 4-byte elements, by their counts; type 1 but for those named in `other`.
std::vector<coll::tensor_shape> tensors_of(std::vector<std::size_t> const& counts,
                                           list const& other = {}) {
    std::vector<coll::tensor_shape> all;
    for (auto const n : counts) { all.push_back({1, 4, n, 0}); }
    for (auto const i : other) { all[i].type = 2; }
    return all;
}

std::vector<list> members(std::vector<coll::fused_bucket> const& buckets) {
    std::vector<list> result;
    for (auto const& b : buckets) { result.push_back(b.tensors); }
    return result;
}

}  // namespace

TEST_CASE("tensors are fused up to the threshold, in their order") {
    auto const buckets = coll::fuse(tensors_of({10, 10, 5, 20, 1, 1}), 100);
    CHECK(members(buckets) == std::vector<list>{{0, 1, 2}, {3, 4, 5}});
    CHECK(buckets[0].bytes == 100);
    CHECK(buckets[0].starts_at == 2);  // it holds as much as it may
    CHECK(buckets[1].starts_at == 6);  // only the flush ends it
    CHECK_FALSE(buckets[1].alone);
}

TEST_CASE("a tensor above the threshold goes by itself, and others go on around it") {
    auto const buckets = coll::fuse(tensors_of({10, 26, 10}), 100);
    CHECK(members(buckets) == std::vector<list>{{1}, {0, 2}});
    CHECK(buckets[0].alone);
    CHECK(buckets[0].starts_at == 1);
    CHECK(coll::fuse(tensors_of({25}), 100)[0].alone == false);  // as large as the threshold
}

TEST_CASE("threshold 0: every tensor by itself, empty ones too") {
    auto const buckets = coll::fuse(tensors_of({3, 0, 5}), 0);
    CHECK(members(buckets) == std::vector<list>{{0}, {1}, {2}});
    for (auto const& b : buckets) { CHECK(b.alone); }
}

TEST_CASE("types do not share a bucket; what is left starts in the order of opening") {
    auto const buckets = coll::fuse(tensors_of({1, 2, 3, 4}, {0, 2}), 100);
    CHECK(members(buckets) == std::vector<list>{{0, 2}, {1, 3}});
}

TEST_CASE("empty tensors have a place and take no room") {
    CHECK(members(coll::fuse(tensors_of({0, 25, 0}), 100)) == std::vector<list>{{0, 1}, {2}});
    CHECK(members(coll::fuse(tensors_of({0}), 100)) == std::vector<list>{{0}});
    CHECK(coll::fuse({}, 100).empty());
}

TEST_CASE("after a flush a bucket starts with its last tensor, and differs where the tensors do") {
    coll::bucket_planner p(100);
    auto const step = [&](list const& counts) {
        std::string events;
        for (auto const& t : tensors_of(counts)) {
            auto const at = p.add(t);
            if (at.full_before >= 0) { events += "<" + std::to_string(at.full_before); }
            events += std::to_string(at.bucket);
            if (at.full) { events += "!"; }
        }
        p.flush([&](int b, std::uint64_t) { events += "f" + std::to_string(b); });
        return events;
    };
    CHECK(step({10, 10, 10, 10, 3}) == "00<0111f1");
    CHECK(step({10, 10, 10, 10, 3}) == "00!111!");
    CHECK(step({}).empty());                         // forgets nothing
    CHECK(step({10, 11, 10, 10, 3}) == "00<0111!");  // the second one holds what it held
    CHECK(step({10, 11, 10, 10, 3, 1}) == "00!111!2f2");
}

TEST_CASE("tensors that come again may be told in one, all but the last") {
    auto const tensors = tensors_of({10, 0, 10, 4});
    coll::bucket_planner p(100);
    CHECK(p.content_before(0) == 0);
    coll::bucket_planner::fill before_last;
    for (auto const& t : tensors) { before_last = p.add(t).before; }
    std::uint64_t content = 0;
    p.flush([&](int, std::uint64_t c) { content = c; });
    CHECK(p.content_before(0) == content);
    CHECK(p.content_before(1) == 0);

    CHECK(!p.add(tensors[0]).full);
    p.add_again(0, before_last);
    auto const last = p.add(tensors[3]);
    CHECK(last.full);
    CHECK(last.content == content);
    CHECK(last.before.bytes == before_last.bytes);
}

TEST_CASE("the content tells tensors apart by type, size, name and order") {
    auto const content = [](std::vector<coll::tensor_shape> const& all) {
        coll::bucket_planner p(1000);
        for (auto const& t : all) { (void)p.add(t); }
        return p.close(0).value();
    };
    coll::tensor_shape const a{1, 4, 10, 7}, b{1, 4, 20, 8};
    CHECK(content({a, b}) == content({a, b}));
    CHECK(content({a, b}) != content({b, a}));
    CHECK(content({a, b}) != content({a}));
    CHECK(content({a}) != content({{2, 4, 10, 7}}));
    CHECK(content({a}) != content({{1, 4, 11, 7}}));
    CHECK(content({a}) != content({{1, 4, 10, 8}}));
}

TEST_CASE("any list: each tensor once, in order, in buckets of one type below the threshold") {
    CHECK(rc::check("fuse", [](std::vector<std::uint16_t> const& raw, std::uint16_t threshold) {
        std::vector<coll::tensor_shape> tensors;
        for (auto const x : raw) { tensors.push_back({x % 3U, 1U + x % 2U, x / 4U, 0}); }
        auto const buckets = coll::fuse(tensors, threshold);
        std::vector<int> seen(tensors.size());
        for (auto const& b : buckets) {
            RC_ASSERT(!b.tensors.empty());
            std::size_t bytes = 0;
            for (std::size_t k = 0; k < b.tensors.size(); ++k) {
                auto const i = b.tensors[k];
                ++seen[i];
                bytes += tensors[i].bytes();
                RC_ASSERT(tensors[i].type == tensors[b.tensors[0]].type);
                auto const in_order = k == 0 || i > b.tensors[k - 1];
                RC_ASSERT(in_order);  // which would look at both sides of an or
            }
            RC_ASSERT(b.bytes == bytes);
            RC_ASSERT(b.alone == (threshold == 0 || tensors[b.tensors[0]].bytes() > threshold));
            auto const fits = b.alone ? b.tensors.size() == 1 : bytes <= threshold;
            RC_ASSERT(fits);
        }
        for (auto const n : seen) { RC_ASSERT(n == 1); }
    }));
}

namespace {

coll::detail::tensor_note note(std::uint64_t index, char const* name, std::uint64_t count,
                               std::uint64_t bucket = 0) {
    return {index, bucket, count, 1, {name}, {"float"}};
}
coll::detail::tensor_report rank_with(coll::lean_vector<coll::detail::tensor_note> tensors,
                                      std::uint64_t added) {
    return {{added, tensors.size(), 3, 100, 0, {"sum"}}, std::move(tensors)};
}

}  // namespace

TEST_CASE("what differs is named with two ranks and both values") {
    auto const a = rank_with({note(4, "a", 10), note(5, "b", 20)}, 6);
    CHECK(coll::detail::difference_of({a, a, a}).empty());
    CHECK(coll::detail::difference_of({a, a, rank_with({note(4, "a", 10), note(5, "c", 20)}, 6)}) ==
          "tensor 5 differs in its name: rank 0 has 'b' (20 x float), rank 2 has 'c' (20 x float)");
    CHECK(coll::detail::difference_of({a, rank_with({note(4, "a", 11), note(5, "b", 20)}, 6)}) ==
          "tensor 4 differs in its size: rank 0 has 'a' (10 x float), rank 1 has 'a' (11 x float)");
    CHECK(coll::detail::difference_of({a, rank_with({note(4, "a", 10)}, 5)}) ==
          "tensor 5: rank 0 has 'b' (20 x float), rank 1 waits after only 5 tensors");
    CHECK(coll::detail::difference_of({rank_with({}, 4), a}) ==
          "tensor 4: rank 1 has 'a' (10 x float), rank 0 waits after only 4 tensors");
    CHECK(coll::detail::difference_of({a, rank_with({note(5, "b", 20)}, 6)})
              .empty());  // 4 is done there
    auto const split =
        coll::detail::difference_of({a, rank_with({note(4, "a", 10), note(5, "b", 20, 5)}, 6)});
    CHECK(split.find("tensor 5 'b' (20 x float) travels with others") == 0);
    auto late = rank_with({}, 4);
    late.of.started = 2;
    CHECK(coll::detail::difference_of({late, a, rank_with({note(4, "a", 10)}, 5)}) ==
          "tensor 5: rank 1 has 'b' (20 x float), rank 2 waits after only 5 tensors");
    auto other = a;
    other.of.threshold = 7;
    CHECK(coll::detail::difference_of({a, other}) ==
          "the threshold differs: rank 0 has 100, rank 1 has 7");
    // A rank that lies does not keep the others busy.
    auto const far = rank_with({note(0, "a", 1), note(~std::uint64_t{0}, "b", 1)}, 6);
    CHECK(coll::detail::difference_of({far, far}).empty());
}

TEST_CASE("a rank with more notes than there can be is named") {
    coll::lean_vector<std::size_t> counts{1, 2, 3};
    CHECK(coll::detail::number_of_notes(counts) == 6);
    counts[1] = std::size_t{1} << 63;
    CHECK_THROWS_WITH_AS(coll::detail::number_of_notes(counts),
                         "rank 1 says that it has 9223372036854775808 tensors under way",
                         coll::transport_error);
}

TEST_CASE("of what is ready on all ranks the highest priority goes first, of equals the first") {
    coll::detail::ready_list<char> list;
    list.add('a', 0);
    list.add('b', 2);
    list.add('c', 2);
    list.add('d', 5);
    CHECK_EQ(list.ready(), 4);
    CHECK_EQ(list.take(3), 'b');  // another rank has not the fourth yet
    CHECK_EQ(list.take(4), 'd');
    list.add('e', 1);
    CHECK_EQ(list.take(4), 'c');
    CHECK_EQ(list.take(5), 'e');
    CHECK_FALSE(list.empty());
    CHECK_EQ(list.take(5), 'a');
    CHECK(list.empty());
    CHECK_EQ(list.ready(), 5);
    list.add('f', 0);
    CHECK_EQ(list.take_all(), std::vector<char>{'f'});
}
