// SPDX-License-Identifier: BSD-3-Clause
// Where processes of one machine that were started separately meet: rank 0 hands its memory file
// to the others over a socket that has no name in the file system and goes with its process.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/local_socket.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/launch/poll.hpp>

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

namespace collectives::inline v0::shm {

/// A rank sends this when it connects.
struct greeting {
    static constexpr std::uint64_t expected_magic = 0x636f6c6c73686d34;  // "collshm4"
    std::uint64_t magic = expected_magic;
    std::uint64_t layout = 0;  // differs where the job's memory is laid out in another way
    std::int32_t rank = 0;
    std::int32_t size = 0;
    std::int32_t sees_host = 0;  // whether its process name space shows the process of rank 0
};

/// Why rank 0 refuses a rank. The rank receives this byte.
enum class refusal : char { unexpected, not_visible, other_version };

/// A rank that has connected to rank 0.
struct newcomer {
    descriptor connection;
    pid_t process = 0;  // 0 where rank 0's process name space does not show it
    greeting said;

    /// Whether it and rank 0 see each other's process, so that their name spaces are the same.
    bool is_seen() const { return process != 0 && said.sees_host != 0; }
};

/// The end of a message about ranks that cannot share memory.
inline constexpr char const* apart_from_rank_0 =
    " and rank 0 do not see each other's process: they are in different process name spaces "
    "(containers); start them in one, or join over ucx";

/// The end of a message about ranks that would read the job's memory in different ways.
inline constexpr char const* unlike_rank_0 = " and rank 0 are of different versions of the library";

/// The socket at which the ranks of a job meet.
class memory_handover {
public:
    /// `name` is the job's. Rank 0 refuses processes of other users.
    explicit memory_handover(std::string_view name) : address_(name) {
        socket_ = descriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (socket_.get() < 0) { fail("socket"); }
    }

    /// Rank 0 listens.
    void open() {
        if (::bind(socket_.get(), address_.get(), address_.bytes) != 0) { fail("bind"); }
        if (::listen(socket_.get(), 128) != 0) { fail("listen"); }
    }
    /// Rank 0 listens no longer, and refuses the ranks that have connected too late.
    void close() {
        ::shutdown(socket_.get(), SHUT_RDWR);
        for (descriptor late(accept()); late.get() >= 0; late = descriptor(accept())) {
            refuse(late);
        }
        socket_.reset();
    }
    /// Waits for the next process that connects and sends a greeting. If none does in time, the
    /// newcomer has no connection. The caller checks rank and size.
    newcomer admit(steady::time_point until) {
        for (;;) {
            if (!collectives::detail::wait_for(socket_.get(), POLLIN, until)) {
                return {descriptor(), 0, {}};
            }
            descriptor who_came(accept());
            auto const process = collectives::detail::peer_of_same_user(who_came.get());
            if (steady::now() >= until) { return {descriptor(), 0, {}}; }
            if (who_came.get() < 0) {  // no descriptor is left, or the newcomer has gone
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                continue;
            }
            if (process < 0) { continue; }
            greeting said{};
            auto const patience = std::min(until, steady::now() + std::chrono::seconds(1));
            if (collectives::detail::wait_for(who_came.get(), POLLIN, patience) &&
                ::recv(who_came.get(), &said, sizeof said, MSG_TRUNC) == sizeof said &&
                said.magic == greeting::expected_magic) {
                return {std::move(who_came), process, said};
            }
        }
    }
    /// Tells a newcomer that it is refused.
    static void refuse(descriptor const& connection, refusal why = refusal::unexpected) {
        greeting unread;  // what is left unread when the connection ends would end it as an error
        static_cast<void>(::recv(connection.get(), &unread, sizeof unread, MSG_DONTWAIT));
        static_cast<void>(::send(connection.get(), &why, 1, MSG_NOSIGNAL));
    }

    /// Connects once rank 0 listens, and receives its file; no descriptor if that takes too long.
    /// Throws usage_error if rank 0 refuses the rank, or if another user's process listens there;
    /// peer_lost_error if rank 0 has gone.
    descriptor receive_file(greeting hello, steady::time_point until) {
        while (::connect(socket_.get(), address_.get(), address_.bytes) != 0) {
            if (errno != ECONNREFUSED && errno != EINTR && errno != EAGAIN) { fail("connect"); }
            if (steady::now() >= until) { return descriptor(); }
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        auto const host = collectives::detail::peer_of_same_user(socket_.get());
        if (host < 0) {
            throw_error<usage_error>("rank ", hello.rank, " of ", hello.size,
                                     ": another user's process waits where rank 0 should");
        }
        hello.sees_host = host != 0;
        auto const sent = ::send(socket_.get(), &hello, sizeof hello, MSG_NOSIGNAL);
        if (sent == sizeof hello && !collectives::detail::wait_for(socket_.get(), POLLIN, until)) {
            return descriptor();
        }
        collectives::detail::file_message m;
        auto const got =
            sent == sizeof hello ? ::recvmsg(socket_.get(), &m.head, MSG_CMSG_CLOEXEC) : -1;
        auto file = m.take_file();  // first, so that none stays behind
        if (got != 1) { lose_rank_0(hello.rank, hello.size); }
        if (m.is_cut()) {
            errno = EMFILE;
            fail("recvmsg");
        }
        if (file.get() < 0) {
            auto const why = static_cast<refusal>(m.byte);
            if (why != refusal::unexpected) {
                throw_error<usage_error>(
                    "rank ", hello.rank, " of ", hello.size,
                    why == refusal::other_version ? unlike_rank_0 : apart_from_rank_0);
            }
            throw_error<usage_error>("rank 0 of the job expects no rank ", hello.rank, " of ",
                                     hello.size,
                                     ": that rank is there already, or the sizes differ");
        }
        return file;
    }

    [[noreturn]] static void lose_rank_0(int rank, int size) {
        throw peer_lost_error(
            text_of("rank ", rank, " of ", size, ": rank 0 left while the ranks of the job met"),
            0);
    }

private:
    int accept() const { return ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC); }
    [[noreturn]] static void fail(char const* call) {
        throw_error<transport_error>("the ranks of the job cannot meet: ", call, ": ",
                                     std::strerror(errno));
    }
    collectives::detail::local_address address_;
    descriptor socket_;
};

}  // namespace collectives::shm
