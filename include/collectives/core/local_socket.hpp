// SPDX-License-Identifier: BSD-3-Clause
// Sockets of one machine, and the files that cross them. A socket has no name in the file system,
// and vanishes with its process.
#pragma once

#include <collectives/core/descriptor.hpp>
#include <collectives/core/type_name.hpp>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace collectives::inline v0::detail {

/// An address in the abstract name space. A name that is too long keeps its beginning; a hash of
/// the whole name follows.
struct local_address {
    explicit local_address(std::string_view name) {
        constexpr std::size_t longest = sizeof value.sun_path - 1, digits = 16;
        value.sun_family = AF_UNIX;  // sun_path[0] stays 0
        auto const kept = name.size() <= longest ? name.size() : longest - digits;
        auto* end = std::copy_n(name.begin(), kept, value.sun_path + 1);
        if (kept != name.size()) {
            auto const hash = detail::hash_text(name);
            for (std::size_t i = 0; i < digits; ++i) {
                *end++ = "0123456789abcdef"[hash >> (4 * i) & 0xfU];
            }
        }
        bytes = static_cast<socklen_t>(end - reinterpret_cast<char*>(&value));
    }
    sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&value); }

    sockaddr_un value{};
    socklen_t bytes = 0;
};

/// The process at the other end of a local socket: -1 if it belongs to another user, 0 if this
/// process's name space does not show it.
inline pid_t peer_of_same_user(int socket) {
    ucred who{};
    socklen_t n = sizeof who;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &n) != 0 || who.uid != ::geteuid()) {
        return -1;
    }
    return who.pid;
}

/// A message of one byte, with room for a file.
struct file_message {
    file_message() {
        head.msg_iov = &data;
        head.msg_iovlen = 1;
        head.msg_control = control;
        head.msg_controllen = CMSG_LEN(sizeof(int));  // there is room for two by alignment
    }
    file_message(file_message const&) = delete;
    file_message& operator=(file_message const&) = delete;

    /// The file that the message has brought, if any.
    descriptor take_file() {
        auto* const c = CMSG_FIRSTHDR(&head);
        int file = -1;
        if (c != nullptr && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
            std::memcpy(&file, CMSG_DATA(c), sizeof file);
        }
        return descriptor(file);
    }

    /// Whether no descriptor was free for the file that came.
    bool is_cut() const { return (head.msg_flags & MSG_CTRUNC) != 0; }

    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr head{};
};

/// Sends a file, which stays the caller's, or without one (-1) a byte alone. False if the other end
/// has gone.
inline bool send_file(int socket, int file) {
    file_message m;
    if (file >= 0) {
        auto* const c = CMSG_FIRSTHDR(&m.head);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof file);
        std::memcpy(CMSG_DATA(c), &file, sizeof file);
    } else {
        m.head.msg_controllen = 0;
    }
    return ::sendmsg(socket, &m.head, MSG_NOSIGNAL) == 1;
}

}  // namespace collectives::detail
