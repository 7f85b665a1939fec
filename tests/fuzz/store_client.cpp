// SPDX-License-Identifier: BSD-3-Clause
// A rank comes to a store that says what it likes: at once, byte by byte, without an end, or with a
// connection that stays open and silent. The rank may refuse it, and is not held beyond its time.
#include "bytes.hpp"

#include <collectives/launch/bootstrap/store/client.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace coll = collectives;
namespace bootstraps = collectives::bootstraps;

namespace {

struct liar {
    int honest = 0;  // how many words of a true store come first
    enum class manner { ends, drips, stays, repeats } how{};
    std::string text;

    void say(coll::descriptor door) const {
        coll::descriptor const to(::accept(door.get(), nullptr, nullptr));
        door.reset();  // it comes once
        auto const tell = [&](void const* what, std::size_t n) {
            return ::send(to.get(), what, n, MSG_NOSIGNAL) == static_cast<ssize_t>(n);
        };
        auto const word = [&](coll::bootstrap_bytes const& what) {
            (void)tell(what.data(), what.size());
        };
        std::array<std::byte, bootstraps::hello::bytes> greeting{};
        (void)::recv(to.get(), greeting.data(), greeting.size(), MSG_WAITALL);
        if (honest > 0) {
            bootstraps::block const nonce{};
            auto const proof =
                bootstraps::secret().prove(bootstraps::role_of_store, greeting, nonce);
            word(bootstraps::answer{nonce, proof}.write());
        }
        if (honest > 1) { word(bootstraps::frame(bootstraps::word::admitted, 0)); }
        if (honest > 2) { word(bootstraps::frame(bootstraps::word::met, 0)); }
        if (how == manner::drips) {
            for (auto const c : text) { (void)tell(&c, 1); }
        } else {
            (void)tell(text.data(), text.size());
        }
        if (how == manner::repeats && !text.empty()) {
            while (tell(text.data(), text.size())) {}
        }
        if (how == manner::stays) {
            pollfd gone{to.get(), POLLRDHUP, 0};
            (void)::poll(&gone, 1, -1);
        }
    }
};

/// Few stay or repeat: their rank waits.
liar::manner manner_of(std::uint8_t number) {
    if (number < 224) { return liar::manner::ends; }
    if (number < 254) { return liar::manner::drips; }
    return number == 254 ? liar::manner::stays : liar::manner::repeats;
}

void come(bootstraps::endpoint const& place, int size) {
    auto const began = coll::steady::now();
    auto const until = began + std::chrono::milliseconds(2);
    auto const is_rank = [&](int r) { return r >= 0 && r < size; };
    try {
        bootstraps::store_client store({1, size, "job", {}}, {place}, until);
        auto const all = store.all_gather(std::vector<std::byte>(1000), until);
        fuzz::require(all.size() == static_cast<std::size_t>(size));
    } catch (coll::peer_lost_error const& e) {
        fuzz::require(is_rank(e.peer()));
    } catch (coll::timeout_error const& e) {
        auto const& m = e.missing();
        fuzz::require(std::all_of(m.begin(), m.end(), is_rank));
        fuzz::require(std::adjacent_find(m.begin(), m.end(), std::greater_equal<>()) == m.end());
    } catch (coll::error const&) {}
    fuzz::require(coll::steady::now() - began < std::chrono::seconds(5));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static int number = 0;
    auto const place = bootstraps::local_endpoint("collectives-fuzz-" + std::to_string(::getpid()) +
                                                  "-rank-" + std::to_string(number++));
    coll::descriptor door(::socket(AF_UNIX, SOCK_STREAM, 0));
    fuzz::require(::bind(door.get(), place.get(), place.bytes) == 0 &&
                  ::listen(door.get(), 4) == 0);
    fuzz::bytes from(data, size);
    constexpr std::array<int, 4> sizes{2, 3, 100, 1'000'000};
    auto const ranks = sizes[from.take<std::uint8_t>() % sizes.size()];
    liar one;
    one.honest = from.take<std::uint8_t>() % 4;
    one.how = manner_of(from.take<std::uint8_t>());
    one.text = from.text();
    std::thread store([&] { one.say(std::move(door)); });
    come(place, ranks);
    store.join();
    return 0;
}
