// SPDX-License-Identifier: BSD-3-Clause
// Sockets of one machine that have no name in the file system and go with their process.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace collectives::inline v0 {

/// An address in the abstract name space.
struct local_address {
    explicit local_address(std::string_view name) {
        value.sun_family = AF_UNIX;  // sun_path[0] stays 0
        auto const n = std::min(name.size(), sizeof value.sun_path - 1);
        std::copy_n(name.begin(), n, value.sun_path + 1);
        bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + n);
    }
    sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&value); }

    sockaddr_un value{};
    socklen_t bytes = 0;
};

/// The process at the other end of a local socket, if it is one of this process's user; else -1.
/// 0 where this process's name space does not show it.
inline pid_t peer_of_same_user(int socket) {
    ucred who{};
    socklen_t n = sizeof who;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &n) != 0 || who.uid != ::geteuid()) {
        return -1;
    }
    return who.pid;
}

}  // namespace collectives
