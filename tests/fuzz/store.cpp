// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 keeps the store, and the only one who comes says what it likes, in up to three parts.
#include "bytes.hpp"

#include <collectives/launch/bootstrap/store/server.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace coll = collectives;
namespace bootstraps = collectives::bootstraps;

namespace {

/// A socket to which `door`, which listens, has let in nobody yet. What is sent before that waits.
coll::descriptor come_to(bootstraps::endpoint const& place) {
    coll::descriptor mine(::socket(AF_UNIX, SOCK_STREAM, 0));
    fuzz::require(::connect(mine.get(), place.get(), place.bytes) == 0);
    return mine;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static int number = 0;
    auto const place = bootstraps::local_endpoint("collectives-fuzz-" + std::to_string(::getpid()) +
                                                  "-" + std::to_string(number++));
    coll::descriptor door(::socket(AF_UNIX, SOCK_STREAM, 0));
    fuzz::require(::bind(door.get(), place.get(), place.bytes) == 0 &&
                  ::listen(door.get(), 4) == 0);
    // A greeting that rank 0 of the job takes, before what the fuzzer says, makes it come further.
    fuzz::bytes from(data, size);
    auto const honest = from.take<std::uint8_t>() % 4;
    bootstraps::hello const greeting{1, 2, 10, bootstraps::digest_of("job"), {}};
    auto const hello = greeting.write();
    auto const who = come_to(place);
    auto const say = [&](void const* what, std::size_t n) {
        (void)::send(who.get(), what, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    };
    if (honest > 0) { say(hello.data(), hello.size()); }
    if (honest > 1) {  // without a secret a proof shows nothing, but it must be there
        bootstraps::block const proof =
            bootstraps::secret().prove(bootstraps::role_of_rank, hello, {});
        say(proof.data(), proof.size());
    }
    auto const rest = from.rest();
    say(rest.data(), rest.size());
    ::shutdown(who.get(), SHUT_WR);
    try {
        auto const until = coll::steady::now() + std::chrono::milliseconds(3);
        bootstraps::store_server store({0, 2, "job", {}}, std::move(door), until);
        auto const all = store.all_gather({}, until);
        fuzz::require(all.size() == 2 && all.front().empty());
    } catch (coll::error const&) {}
    return 0;
}
