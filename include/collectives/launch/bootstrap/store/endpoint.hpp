// SPDX-License-Identifier: BSD-3-Clause
// The addresses at which a store listens, and sockets for them.
#pragma once

#include <collectives/core/descriptor.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/local_socket.hpp>
#include <collectives/core/text.hpp>

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace collectives::inline v0::bootstraps {

struct endpoint {
    sockaddr_storage address{};
    socklen_t bytes = 0;

    sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&address); }
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&address); }
    int family() const { return address.ss_family; }

    /// Whether no other machine can connect.
    bool is_local() const {
        if (family() == AF_UNIX) { return true; }
        if (family() == AF_INET) {
            sockaddr_in v4{};
            std::memcpy(&v4, &address, sizeof v4);
            return ntohl(v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
        }
        sockaddr_in6 v6{};
        std::memcpy(&v6, &address, sizeof v6);
        return family() == AF_INET6 && std::memcmp(&v6.sin6_addr, &in6addr_loopback, 16) == 0;
    }
};

[[noreturn]] inline void cannot_meet(std::string const& what) {
    throw_error<transport_error>("the ranks of the job cannot meet: ", what);
}

/// A socket of this machine without a name in the file system.
inline endpoint local_endpoint(std::string_view name) {
    detail::local_address const from(name);
    endpoint result;
    std::memcpy(&result.address, &from.value, from.bytes);
    result.bytes = from.bytes;
    return result;
}

/// The addresses of HOST:PORT, in the resolver's order. The resolver may take long. Throws
/// transport_error where it finds none.
inline std::vector<endpoint> tcp_endpoints(std::string const& host, std::string const& port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (auto const fault = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); fault != 0) {
        cannot_meet(text_of("tcp://", host, ":", port, ": ", ::gai_strerror(fault)));
    }
    std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> const owner(found, ::freeaddrinfo);
    std::vector<endpoint> result;
    for (auto const* one = found; one != nullptr; one = one->ai_next) {
        endpoint e;
        e.bytes = one->ai_addrlen;
        std::memcpy(&e.address, one->ai_addr, one->ai_addrlen);
        result.push_back(e);
    }
    return result;
}

/// The address at which a socket listens. Throws usage_error if it does not listen.
inline endpoint endpoint_of(int socket) {
    endpoint result;
    result.bytes = sizeof result.address;
    int listens = 0;
    socklen_t n = sizeof listens;
    if (::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) != 0 || listens == 0 ||
        ::getsockname(socket, result.get(), &result.bytes) != 0) {
        throw_error<usage_error>("descriptor ", socket, " is no socket that listens");
    }
    return result;
}

/// A socket that listens at the first of the places that is free.
inline descriptor listen_at(std::vector<endpoint> const& places, std::string const& name) {
    for (auto const& place : places) {
        descriptor socket(::socket(place.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
        int const yes = 1;
        if (place.family() != AF_UNIX) {  // not to wait until an earlier job's port has cooled down
            ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        }
        if (::bind(socket.get(), place.get(), place.bytes) == 0 &&
            ::listen(socket.get(), SOMAXCONN) == 0) {
            return socket;
        }
    }
    cannot_meet(text_of("rank 0 cannot listen at ", name, ": ", std::strerror(errno)));
}

/// Begins to connect, without waiting; no descriptor where that was refused at once.
inline descriptor begin_to_connect(endpoint const& place) {
    descriptor socket(::socket(place.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket.get() < 0) { cannot_meet(text_of("socket: ", std::strerror(errno))); }
    if (::connect(socket.get(), place.get(), place.bytes) != 0 && errno != EINPROGRESS) {
        return descriptor();
    }
    return socket;
}

}  // namespace collectives::bootstraps
