// SPDX-License-Identifier: BSD-3-Clause
#include "handover.hpp"

#include <collectives/launch/environment.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

namespace collrun {

namespace {

using collectives::descriptor;

[[noreturn]] void fail(char const* call) {
    throw std::system_error(errno, std::generic_category(), call);
}

template <std::size_t N>
std::array<unsigned char, N> random_bytes() {
    std::array<unsigned char, N> result{};
    if (::getrandom(result.data(), N, 0) != static_cast<ssize_t>(N)) { fail("getrandom"); }
    return result;
}

descriptor open_door(std::string& address) {
    descriptor door(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof place;
    auto* const any = reinterpret_cast<sockaddr*>(&place);
    if (door.get() < 0 || ::bind(door.get(), any, bytes) != 0 ||
        ::listen(door.get(), SOMAXCONN) != 0 || ::getsockname(door.get(), any, &bytes) != 0) {
        fail("listening on 127.0.0.1");
    }
    address = fmt::format("tcp://127.0.0.1:{}", ntohs(place.sin_port));
    return door;
}

/// A file of memory alone, which no rank can change.
descriptor make_secret() {
    descriptor file(::memfd_create("collrun-secret", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    auto key = random_bytes<32>();
    auto const written = file.get() >= 0 ? ::write(file.get(), key.data(), key.size()) : -1;
    ::explicit_bzero(key.data(), key.size());
    if (written != static_cast<ssize_t>(key.size()) ||
        ::fcntl(file.get(), F_ADD_SEALS,
                F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0) {
        fail("memfd_create");
    }
    return file;
}

}  // namespace

handover::handover() : door(open_door(address)), secret(make_secret()) {
    std::uint64_t number = 0;
    auto const random = random_bytes<sizeof number>();
    std::memcpy(&number, random.data(), random.size());
    job = fmt::format("collrun-{}-{:016x}", ::getpid(), number);
}

std::vector<std::string> environment_of(int rank, int size, handover const& given,
                                        std::string const& transport) {
    std::vector<std::string> result{
        fmt::format("COLLECTIVES_RANK={}", rank),
        fmt::format("COLLECTIVES_SIZE={}", size),
        fmt::format("COLLECTIVES_LOCAL_RANK={}", rank),
        fmt::format("COLLECTIVES_LOCAL_SIZE={}", size),
        fmt::format("COLLECTIVES_JOB={}", given.job),
        rank == 0 ? fmt::format("COLLECTIVES_STORE=fd:{}", given.door.get())
                  : fmt::format("COLLECTIVES_STORE={}", given.address),
        fmt::format("COLLECTIVES_SECRET_FD={}", given.secret.get()),
    };
    if (!transport.empty()) { result.push_back("COLLECTIVES_TRANSPORT=" + transport); }
    auto const own = result.size();
    for (char** entry = environ; *entry != nullptr; ++entry) {
        std::string_view const text(*entry);
        auto const name = text.substr(0, text.find('='));
        auto const is_one_of = [&](auto const& names) {
            return std::find(names.begin(), names.end(), name) != names.end();
        };
        auto const replaced =
            name == "COLLECTIVES_SECRET_FILE" || is_one_of(collectives::launcher_variables) ||
            std::any_of(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(own),
                        [&](auto const& r) { return r.substr(0, r.find('=')) == name; });
        if (!replaced) { result.emplace_back(text); }
    }
    return result;
}

}  // namespace collrun
