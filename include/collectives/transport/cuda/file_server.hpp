// SPDX-License-Identifier: BSD-3-Clause
// Hands files of this process to other processes of the same user on this machine: one thread, a
// socket without a name in the file system. A ticket of 64 bytes says where to ask, and for what.
#pragma once

#include <collectives/core/descriptor.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/local_socket.hpp>
#include <collectives/core/service_thread.hpp>
#include <collectives/core/text.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

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
        auto const at = address_of(name_);
        std::array<int, 2> pipe{-1, -1};
        if (socket_.get() < 0 || ::bind(socket_.get(), at.get(), at.bytes) != 0 ||
            ::listen(socket_.get(), 128) != 0 || ::pipe2(pipe.data(), O_CLOEXEC) != 0) {
            fail("a socket for files");
        }
        stopped_ = descriptor(pipe[0]);
        stop_ = descriptor(pipe[1]);
        try {
            thread_ = collectives::detail::service_thread(
                [](void* its) { static_cast<file_server*>(its)->serve(); }, this);
        } catch (std::system_error const& e) {
            throw_error<transport_error>("a thread for files: ", e.what());
        }
    }
    file_server(file_server const&) = delete;
    file_server& operator=(file_server const&) = delete;
    ~file_server() {
        stop_.reset();
        thread_.join();
    }

    /// Takes the file over. The ticket is good until it is withdrawn.
    file_ticket offer(int file, std::uint64_t bytes) {
        std::lock_guard const lock(mutex_);
        files_[++last_] = descriptor(file);
        return {file_ticket::right_magic, last_, bytes, name_};
    }
    void withdraw(file_ticket const& t) {
        std::lock_guard const lock(mutex_);
        files_.erase(t.file);
    }

    /// The file of a ticket of any process. None if it was withdrawn.
    static descriptor fetch(file_ticket const& t) {
        auto const line = new_socket();
        if (line.get() < 0) { fail("socket"); }
        auto const at = address_of(t.server);
        wait_at_most(line.get(), 5);
        auto fine = again([&] { return ::connect(line.get(), at.get(), at.bytes); }) == 0 &&
                    is_of_this_user(line.get()) &&
                    again([&] {
                        return ::send(line.get(), &t.file, sizeof t.file, MSG_NOSIGNAL);
                    }) == ssize_t{sizeof t.file};
        collectives::detail::file_message m;
        if (fine) {
            auto const n = again([&] { return ::recvmsg(line.get(), &m.head, MSG_CMSG_CLOEXEC); });
            if (n == 0) { errno = ECONNRESET; }  // it has gone, or refuses
            fine = n == 1;
        }
        auto file = m.take_file();  // first, so that none stays behind
        if (fine && m.is_cut()) { errno = EMFILE; }
        if (!fine || m.is_cut()) { fail("a peer's file"); }
        return file;
    }

private:
    static descriptor new_socket() {
        return descriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    }
    [[noreturn]] static void fail(char const* what) {
        throw_error<transport_error>(what, ": ", std::strerror(errno));
    }
    static collectives::detail::local_address address_of(std::array<char, 40> const& name) {
        return collectives::detail::local_address(
            {name.data(), ::strnlen(name.data(), name.size())});
    }
    static bool is_of_this_user(int line) {
        if (collectives::detail::peer_of_same_user(line) >= 0) { return true; }
        errno = EPERM;
        return false;
    }
    static void wait_at_most(int line, int seconds) {
        timeval const patience{seconds, 0};
        ::setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
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
            pollfd both[] = {{socket_.get(), POLLIN, 0}, {stopped_.get(), POLLIN, 0}};
            if (::poll(both, 2, -1) < 0 && errno != EINTR) { return; }
            if (both[1].revents != 0) { return; }
            if (both[0].revents == 0) { continue; }
            descriptor const line(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (line.get() < 0) {  // no file is free, perhaps: that does not change at once
                ::poll(both + 1, 1, 10);
                continue;
            }
            wait_at_most(line.get(), 1);
            std::uint64_t wanted = 0;
            if (is_of_this_user(line.get()) &&
                again([&] { return ::recv(line.get(), &wanted, sizeof wanted, 0); }) ==
                    sizeof wanted) {
                std::lock_guard const lock(mutex_);
                auto const found = files_.find(wanted);
                collectives::detail::send_file(line.get(),
                                               found == files_.end() ? -1 : found->second.get());
            }
        }
    }

    std::array<char, 40> name_{};
    descriptor socket_ = new_socket();
    descriptor stop_, stopped_;  // the ends of a pipe: once the first is closed, the thread ends
    std::mutex mutex_;
    std::map<std::uint64_t, descriptor> files_;
    std::uint64_t last_ = 0;
    std::thread thread_;
};

}  // namespace collectives::cuda
