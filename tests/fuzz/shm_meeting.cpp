// SPDX-License-Identifier: BSD-3-Clause
// Where processes of one machine meet: strangers of the same user say anything to rank 0, and a
// false rank 0 hands a rank anything as the memory of their job. Each may be refused; no descriptor
// is left behind, and nobody waits beyond the time.
#include "bytes.hpp"

#include <collectives/launch/local_job.hpp>
#include <collectives/launch/memory_handover.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace coll = collectives;
namespace shm = collectives::shm;
using namespace std::chrono_literals;

namespace {

int open_descriptors() {
    int n = 0;
    for (int fd = 0; fd < 256; ++fd) { n += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0; }
    return n;
}
std::string new_name() {
    static int number = 0;
    return "collectives-fuzz-" + std::to_string(::getpid()) + "-" + std::to_string(++number);
}

/// Three come, each with a few messages.
void meet_strangers(fuzz::bytes& from) {
    auto const name = new_name();
    shm::memory_handover place(name);
    place.open();
    coll::detail::local_address const address(name);
    std::vector<coll::descriptor> crowd;
    for (int i = 0; i < 3; ++i) {
        coll::descriptor one(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        fuzz::require(::connect(one.get(), address.get(), address.bytes) == 0);
        shm::greeting said;
        auto const n = from.take<std::uint8_t>() % (2 * sizeof said);
        std::array<std::byte, 2 * sizeof said> text{};
        for (auto& b : text) { b = from.take<std::byte>(); }
        std::memcpy(text.data(), &said, from.take<std::uint8_t>() % (sizeof said + 1));
        (void)::send(one.get(), text.data(), n, MSG_NOSIGNAL);
        if (from.take<std::uint8_t>() % 4 == 0) { one.reset(); }
        crowd.push_back(std::move(one));
    }
    auto const until = coll::steady::now() + 3ms;
    while (coll::steady::now() < until) {
        auto const came = place.admit(until);
        if (came.connection.get() < 0) { break; }
        fuzz::require(came.said.magic == shm::greeting::expected_magic);
        shm::memory_handover::refuse(came.connection);
    }
    place.close();
}

/// What a false rank 0 says to who comes.
struct liar {
    std::vector<int> files;  // that it hands over
    std::string text;
    bool stays = false;

    void say(shm::memory_handover& place) const {
        auto const came = place.admit(coll::steady::now() + 1s);
        if (came.connection.get() < 0) { return; }
        alignas(cmsghdr) std::array<char, CMSG_SPACE(3 * sizeof(int))> control{};
        std::string said = text;
        iovec data{said.data(), said.size()};
        msghdr message{};
        message.msg_iov = &data;
        message.msg_iovlen = 1;
        if (!files.empty()) {
            auto const n = files.size() * sizeof(int);
            message.msg_control = control.data();
            message.msg_controllen = CMSG_LEN(n);
            auto* const head = CMSG_FIRSTHDR(&message);
            head->cmsg_level = SOL_SOCKET;
            head->cmsg_type = SCM_RIGHTS;
            head->cmsg_len = CMSG_LEN(n);
            std::memcpy(CMSG_DATA(head), files.data(), n);
        }
        (void)::sendmsg(came.connection.get(), &message, MSG_NOSIGNAL);
        if (stays) { std::this_thread::sleep_for(10ms); }
    }
};

void meet_liar(fuzz::bytes& from) {
    shm::job const truth(2);
    coll::descriptor const shrinking(::memfd_create("fuzz", MFD_CLOEXEC));
    coll::descriptor const other(::open("/dev/null", O_RDWR | O_CLOEXEC));
    (void)::ftruncate(shrinking.get(), 1 << 20);
    std::array const offers{truth.descriptor(), truth.descriptor(), shrinking.get(), other.get()};
    liar who;
    for (auto n = from.take<std::uint8_t>() % 4; n > 0; --n) {
        who.files.push_back(offers[from.take<std::uint8_t>() % offers.size()]);
    }
    who.stays = from.take<std::uint8_t>() % 8 == 0;
    who.text.assign(from.take<std::uint8_t>() % 3, static_cast<char>(from.take<std::uint8_t>()));
    auto* const memory = reinterpret_cast<std::byte*>(&truth.state().header());
    auto const lies = from.rest();
    std::copy_n(lies.begin(), std::min<std::size_t>(lies.size(), 4096), memory);

    auto const name = new_name();
    shm::memory_handover place(name);
    place.open();
    struct speaker {
        std::thread is;
        ~speaker() { is.join(); }
    } const zero{std::thread([&] { who.say(place); })};
    auto const begin = coll::steady::now();
    try {
        auto const job = shm::detail::enter_job({1, 2, ""}, name, begin + 20ms);
        auto const me = job.rank(1, {}, true);
        fuzz::require(me->processors() > 0);
        (void)me->gone(0), (void)me->suspended(0), (void)me->poll();
    } catch (coll::error const&) {}
    fuzz::require(coll::steady::now() - begin < 2s);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz::bytes from(data, size);
    auto const before = open_descriptors();
    from.take<std::uint8_t>() % 2 == 0 ? meet_strangers(from) : meet_liar(from);
    fuzz::require(open_descriptors() == before);
    return 0;
}
