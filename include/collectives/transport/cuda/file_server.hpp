// SPDX-License-Identifier: BSD-3-Clause
// Hands files of this process to other processes of the same user on this machine: one thread, a
// socket without a name in the file system. A ticket of 64 bytes says where to ask, and for what.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/service_thread.hpp>
#include <collectives/core/text.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace collectives::inline v0::cuda {

/// Trivially copyable. `magic` tells it from other handles of as many bytes.
struct file_ticket {
    static constexpr std::uint64_t right_magic = 0x8f1e5e11ab1eULL;
    std::uint64_t magic = 0;
    std::uint64_t file = 0;
    std::uint64_t bytes = 0;  // that are to be mapped
    std::array<char, 40> server{};
};
static_assert(sizeof(file_ticket) == 64);

/// From any thread. Throws transport_error where the system refuses something.
class file_server {
public:
    file_server() {
        std::array<unsigned char, 12> random{};
        if (::getrandom(random.data(), random.size(), 0) != std::ssize(random)) {
            fail("getrandom");
        }
        std::string name = "collectives-cuda-";
        for (auto const b : random) { name += "0123456789abcdef"[b % 16]; }
        std::copy(name.begin(), name.end(), name_.begin());
        socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        auto const at = address_of(name_);
        if (socket_ < 0 ||
            ::bind(socket_, reinterpret_cast<sockaddr const*>(&at), sizeof at) != 0 ||
            ::listen(socket_, 128) != 0 || ::pipe2(stop_.data(), O_CLOEXEC) != 0) {
            auto const why = errno;
            close_all();
            errno = why;
            fail("a socket for files");
        }
        try {
            thread_ = collectives::detail::service_thread(
                [](void* its) { static_cast<file_server*>(its)->serve(); }, this);
        } catch (std::system_error const& e) {
            close_all();
            throw transport_error(text_of("a thread for files: ", e.what()));
        }
    }
    file_server(file_server const&) = delete;
    file_server& operator=(file_server const&) = delete;
    ~file_server() {
        close_one(stop_[1]);
        thread_.join();
        close_all();
        for (auto const& [n, file] : files_) { ::close(file); }
    }

    /// Takes the file over. The ticket is good until it is withdrawn.
    file_ticket offer(int file, std::uint64_t bytes) {
        std::lock_guard const lock(mutex_);
        files_[++last_] = file;
        return {file_ticket::right_magic, last_, bytes, name_};
    }
    void withdraw(file_ticket const& t) {
        std::lock_guard const lock(mutex_);
        auto const found = files_.find(t.file);
        if (found == files_.end()) { return; }
        ::close(found->second);
        files_.erase(found);
    }

    /// The file of a ticket, of whatever process; the caller closes it. None if it was withdrawn.
    static std::optional<int> fetch(file_ticket const& t) {
        int const line = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        if (line < 0) { fail("socket"); }
        auto const at = address_of(t.server);
        timeval const patience{5, 0};
        ::setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        std::optional<int> result;
        auto fine = again([&] {
                        return ::connect(line, reinterpret_cast<sockaddr const*>(&at), sizeof at);
                    }) == 0 &&
                    is_of_this_user(line) &&
                    again([&] { return ::send(line, &t.file, sizeof t.file, MSG_NOSIGNAL); }) ==
                        ssize_t{sizeof t.file};
        if (fine) {
            message m;
            auto const n = again([&] { return ::recvmsg(line, &m.head, MSG_CMSG_CLOEXEC); });
            if (n == 0) { errno = ECONNRESET; }  // it has gone, or refuses
            fine = n == 1;
            if (auto* const c = fine ? CMSG_FIRSTHDR(&m.head) : nullptr;
                c != nullptr && c->cmsg_type == SCM_RIGHTS) {
                int file = -1;
                std::memcpy(&file, CMSG_DATA(c), sizeof file);
                result = file;
            }
        }
        auto const why = errno;
        ::close(line);
        errno = why;
        if (!fine) { fail("a peer's file"); }
        return result;
    }

private:
    struct message {  // one byte, and room for a file
        char byte = 0;
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
        iovec part{&byte, 1};
        msghdr head{};
        message() {
            head.msg_iov = &part;
            head.msg_iovlen = 1;
            head.msg_control = room.data();
            head.msg_controllen = room.size();
        }
        message(message const&) = delete;
        message& operator=(message const&) = delete;
    };

    [[noreturn]] static void fail(char const* what) {
        throw transport_error(text_of(what, ": ", std::strerror(errno)));
    }
    static sockaddr_un address_of(std::array<char, 40> const& name) {
        sockaddr_un at{};
        at.sun_family = AF_UNIX;
        std::copy(name.begin(), name.end(), at.sun_path + 1);  // behind a zero: no file
        return at;
    }
    static bool is_of_this_user(int line) {
        ucred who{};
        socklen_t n = sizeof who;
        if (::getsockopt(line, SOL_SOCKET, SO_PEERCRED, &who, &n) != 0) { return false; }
        errno = EPERM;
        return who.uid == ::geteuid();
    }
    /// Again, where a signal has come between.
    template <class Call>
    static ssize_t again(Call const& call) {
        ssize_t n = call();
        while (n < 0 && errno == EINTR) { n = call(); }
        return n;
    }
    void serve() {
        while (true) {
            pollfd both[] = {{socket_, POLLIN, 0}, {stop_[0], POLLIN, 0}};
            if (::poll(both, 2, -1) < 0 && errno != EINTR) { return; }
            if (both[1].revents != 0) { return; }
            if (both[0].revents == 0) { continue; }
            int const line = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
            if (line < 0) {  // no file is free, perhaps: that does not change at once
                ::poll(both + 1, 1, 10);
                continue;
            }
            timeval const patience{1, 0};  // of who says nothing
            ::setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
            std::uint64_t wanted = 0;
            if (is_of_this_user(line) &&
                again([&] { return ::recv(line, &wanted, sizeof wanted, 0); }) == sizeof wanted) {
                answer(line, wanted);
            }
            ::close(line);
        }
    }
    void answer(int line, std::uint64_t wanted) {
        std::lock_guard const lock(mutex_);
        message m;
        if (auto const found = files_.find(wanted); found != files_.end()) {
            auto* const c = CMSG_FIRSTHDR(&m.head);
            c->cmsg_level = SOL_SOCKET;
            c->cmsg_type = SCM_RIGHTS;
            c->cmsg_len = CMSG_LEN(sizeof(int));
            std::memcpy(CMSG_DATA(c), &found->second, sizeof(int));
        } else {
            m.head.msg_control = nullptr;
            m.head.msg_controllen = 0;
        }
        ::sendmsg(line, &m.head, MSG_NOSIGNAL);
    }
    static void close_one(int& file) {
        if (file >= 0) { ::close(std::exchange(file, -1)); }
    }
    void close_all() {
        close_one(socket_);
        close_one(stop_[0]);
        close_one(stop_[1]);
    }

    std::array<char, 40> name_{};
    int socket_ = -1;
    std::array<int, 2> stop_{-1, -1};
    std::mutex mutex_;
    std::map<std::uint64_t, int> files_;
    std::uint64_t last_ = 0;
    std::thread thread_;
};

}  // namespace collectives::cuda
