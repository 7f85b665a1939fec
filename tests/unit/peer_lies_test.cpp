// SPDX-License-Identifier: BSD-3-Clause
// What a rank does with what no rank of its job can have written: it reads and writes nothing that
// is not its own, and says whose it was where it knows.
#include <collectives/transport/shm.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace coll = collectives;
namespace shared = collectives::shared;
using shared::entry_header;
using shared::entry_kind;

namespace {

/// An honest rank 0, and the rings of a rank 1 that writes what it likes.
struct pair_of_ranks {
    coll::shm::job job{2};
    std::shared_ptr<coll::shm::transport> honest = job.rank(0);
    shared::rings liar{job.state(), 1};
    std::vector<std::byte> place;  // of what rank 0 receives
    shared::request receive;

    ~pair_of_ranks() { honest->cancel(receive); }

    void expect(std::size_t bytes) {
        place.assign(bytes, std::byte{7});
        coll::incoming in{};
        in.from = 1;
        in.data = place.data();
        in.bytes = bytes;
        honest->irecv(in, receive);
    }
    void begin_to_send(std::vector<std::byte> const& what, shared::request& r) {
        coll::outgoing out{};
        out.to = 1;
        out.data = what.data();
        out.bytes = what.size();
        honest->isend(out, r);
    }
    /// What rank 0 says of an entry; empty if it takes it.
    std::string says_of(entry_header const& h) {
        REQUIRE(liar.push(0, h));
        try {
            honest->poll();
            (void)honest->probe(1, 0);  // which takes what nobody awaits
        } catch (coll::transport_error const& e) { return e.what(); }
        return {};
    }
    /// Offers a message that is to be streamed, and gives the number of rank 0's request.
    std::uint64_t begin_to_stream(std::size_t bytes) {
        expect(bytes);
        CHECK(says_of({.kind = entry_kind::offer, .bytes = bytes, .sender = 1}).empty());
        honest->poll();
        auto const answer = entry_header::of(job.state().ring_between(0, 1).at(0));
        CHECK(answer.kind == entry_kind::accept);
        return answer.receiver;
    }
};

constexpr auto nonsense = "rank 1 of the job wrote what no rank can have written";
constexpr std::size_t large = std::size_t{1} << 20;

}  // namespace

TEST_CASE("an entry that says that it holds more than an entry") {
    for (bool const awaited : {false, true}) {
        pair_of_ranks two;
        if (awaited) { two.expect(large); }
        CHECK(two.says_of({.kind = entry_kind::eager, .bytes = large}) == nonsense);
    }
}

TEST_CASE("a peer that says that it has taken messages which were never sent, or forgets some") {
    constexpr auto full = shared::ring_lines - shared::entry_payload / shared::line;  // short ones
    for (auto const lie : {shared::ring_lines + 1, 1'000UL, ~std::uint64_t{0}}) {
        pair_of_ranks all;
        std::vector<std::byte> const what(8);
        std::vector<shared::request> sent(full + 1);
        for (std::size_t i = 0; i < full; ++i) { all.begin_to_send(what, sent[i]); }
        all.job.state().ring_between(0, 1).taken().store(lie);
        CHECK_THROWS_WITH_AS(all.begin_to_send(what, sent[full]),
                             doctest::Contains("rank 1 of the job wrote what no rank can have"),
                             coll::transport_error);
        all.honest->cancel(sent[full]);
    }
}

TEST_CASE("an entry of no kind") {
    pair_of_ranks two;
    CHECK(two.says_of({.kind = static_cast<entry_kind>(77)}) == nonsense);
}

TEST_CASE("a rank that has written nonsense is not read again, and all that waits for it ends") {
    pair_of_ranks two;
    (void)two.begin_to_stream(large);
    std::vector<std::byte> const sent(large);
    shared::request send;
    two.begin_to_send(sent, send);
    CHECK(!two.honest->test(send));
    CHECK(two.says_of({.kind = static_cast<entry_kind>(77)}) == nonsense);
    CHECK(two.says_of({.kind = static_cast<entry_kind>(78)}).empty());
    for (auto* const r : {&two.receive, &send}) {
        CHECK_THROWS_WITH_AS(two.honest->test(*r), nonsense, coll::transport_error);
    }
    two.honest->cancel(send);
}

TEST_CASE("a message that lies nowhere in the shared memory") {
    constexpr auto end = ~std::uint64_t{0};
    for (auto const where : {end, end / 2, end - large / 2}) {
        pair_of_ranks two;
        two.expect(large);
        entry_header const offer{.kind = entry_kind::offer, .bytes = large, .location = where};
        CHECK(two.says_of(offer).find("not in the shared memory") != std::string::npos);
    }
}

TEST_CASE("a fragment that is not the next one, or of a slot that there is not") {
    entry_header const good{.kind = entry_kind::fragment, .bytes = shared::slot_bytes};
    std::array<entry_header, 5> bad;
    bad.fill(good);
    bad[0].offset = 64;
    bad[1].offset = ~std::uint64_t{0} - 63;
    bad[2].location = shared::slots_per_rank;
    bad[3].location = ~std::uint64_t{0};
    bad[4].bytes = 2 * shared::slot_bytes;
    for (auto fragment : bad) {
        CAPTURE(fragment.offset);
        CAPTURE(fragment.location);
        pair_of_ranks two;
        fragment.receiver = two.begin_to_stream(large);
        CHECK(two.says_of(fragment) == nonsense);
        CHECK(two.place == std::vector(large, std::byte{7}));
    }
    pair_of_ranks two;
    auto fragment = good;
    fragment.receiver = two.begin_to_stream(shared::slot_bytes + 8);
    CHECK(two.says_of(fragment).empty());  // as much as there is room for, and then more
    fragment.offset = shared::slot_bytes;
    CHECK(two.says_of(fragment) == nonsense);
}

TEST_CASE("a message in a slot that there is not, or that is larger than its slot") {
    constexpr auto small = shared::small_slot_bytes;
    entry_header const good{
        .kind = entry_kind::slotted, .bytes = small, .location = shared::large_slots};
    std::array<entry_header, 4> bad;
    bad.fill(good);
    bad[0].bytes = small + 1;
    bad[1].bytes = ~std::uint64_t{0};
    bad[2].location = shared::slots_per_rank;
    bad[3].location = ~std::uint64_t{0};
    for (auto const& slotted : bad) {
        CAPTURE(slotted.bytes);
        CAPTURE(slotted.location);
        pair_of_ranks two;
        two.expect(slotted.bytes == small ? small : small + 1);
        CHECK(two.says_of(slotted) == nonsense);
        CHECK(two.place == std::vector(two.place.size(), std::byte{7}));
    }
    pair_of_ranks two;
    two.expect(small);
    CHECK(two.says_of(good).empty());
    CHECK(two.place == std::vector(small, std::byte{0}));
}

TEST_CASE("an answer to a request that is not at that point, or is another peer's") {
    pair_of_ranks two;
    auto const number = two.begin_to_stream(large);
    CHECK(two.says_of({.kind = entry_kind::acknowledge, .sender = number}) == nonsense);
    pair_of_ranks others;
    CHECK(others.says_of({.kind = entry_kind::accept, .sender = 12345}).empty());  // cancelled
    std::vector<std::byte> const sent(large);
    shared::request send;
    others.begin_to_send(sent, send);
    auto const its = entry_header::of(others.job.state().ring_between(0, 1).at(0)).sender;
    entry_header const accept{.kind = entry_kind::accept, .sender = its};
    CHECK(others.says_of(accept).empty());
    CHECK(others.says_of(accept) == nonsense);  // it streams already
    others.honest->cancel(send);
}

TEST_CASE("the bytes of a location are those of the file") {
    coll::shm::job const job(2);
    auto const rank = job.rank(0);
    auto* const mine = static_cast<std::byte*>(rank->allocate(large));
    auto const where = rank->reach(mine, large);
    CHECK(rank->at(where, large) == mine);
    struct stat is {};
    REQUIRE(::fstat(job.descriptor(), &is) == 0);
    auto const all = static_cast<std::uint64_t>(is.st_size);
    CHECK_NOTHROW(rank->at(1, all));
    CHECK_NOTHROW(rank->at(all, 1));
    for (auto const& [first, bytes] : {std::pair<std::uint64_t, std::size_t>{0, 1},
                                       {1, all + 1},
                                       {all, 2},
                                       {all + 1, 1},
                                       {~std::uint64_t{0}, 2},
                                       {2, ~std::size_t{0}}}) {
        CAPTURE(first);
        CAPTURE(bytes);
        CHECK_THROWS_AS(rank->at(first, bytes), coll::transport_error);
    }
    rank->deallocate(mine, large);
}

TEST_CASE("nobody can make the memory of a job smaller") {
    coll::shm::job const job(2);
    CHECK(::ftruncate(job.descriptor(), 4096) != 0);
    CHECK(errno == EPERM);
    int const file = ::memfd_create("unsealed", MFD_CLOEXEC);
    struct stat is {};
    REQUIRE(::fstat(job.descriptor(), &is) == 0);
    REQUIRE(::ftruncate(file, is.st_size) == 0);
    CHECK_THROWS_WITH_AS((coll::shm::job(2, shared::memory_file::received{file})),
                         doctest::Contains("a file that can shrink"), coll::transport_error);
}

TEST_CASE("words of a board that mean nothing") {
    coll::shm::job const job(2);
    auto const first = job.rank(0), second = job.rank(1);
    auto honest = first->first_board(), liar = second->first_board();
    coll::wait_point at;
    at.sequence = 1;
    for (auto const peer : {2, 1 << 30}) {
        at.peer = peer;
        liar.publish_wait(at);
        CHECK(honest.wait_of(1).sequence == 0);
    }

    coll::fingerprint call;  // with names that do not end, and numbers that count nothing
    call.what = static_cast<coll::collective>(99);
    call.reproducible = 77;
    call.type_name.chars.fill('t');
    call.op_name.chars.fill('o');
    call.algorithm_name.chars.fill('a');
    liar.enter(call, call.hash(), 1, 0);
    auto const its = honest.call_of(1, 1);
    REQUIRE(its.has_value());
    CHECK(its->title() == "unknown #1");
    CHECK(its->type_name.view() == std::string(40, 't'));
    coll::fingerprint mine;
    CHECK(mine.difference(*its, 0, 1).find("unknown") != std::string::npos);

    auto why = coll::failure::make(coll::failure_kind::aborted, "x");
    why.kind = static_cast<coll::failure_kind>(55);
    why.missing_count = ~0U;
    why.missing.fill(7);
    why.peer = 9;
    why.text.fill('w');
    liar.fail(why);
    auto const told = honest.first_failure();
    REQUIRE(told.has_value());
    CHECK_THROWS_AS(told->raise("rank 0"), coll::transport_error);
    CHECK(told->peer == -1);
    CHECK(told->missing_count == 0);
    const_cast<std::atomic<std::uint32_t>&>(liar.stop_word()).store(~0U);
    CHECK(std::string(honest.first_failure()->text.data()) ==
          "a peer damaged the record of what has failed");
}
