// SPDX-License-Identifier: BSD-3-Clause
// A connection that is read and written as far as that needs no waiting.
#pragma once

#include <collectives/launch/bootstrap/bytes.hpp>
#include <collectives/launch/poll.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

namespace collectives::inline v0::bootstraps {

class byte_stream {
public:
    explicit byte_stream(descriptor socket) : socket_(std::move(socket)) {
        int const yes = 1;  // refused by sockets that are not of TCP, which need none of it
        ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    int get() const { return socket_.get(); }

    /// Expects the next n bytes, and reads not one more. Memory grows with the bytes that come, not
    /// with n.
    void expect(std::size_t n) {
        in_.clear();
        got_ = 0;
        expected_ = n;
    }
    /// Expects n more bytes after those that have come.
    void expect_more(std::size_t n) { expected_ += n; }
    bool expects() const { return got_ < expected_; }
    /// All that was expected, once it has come.
    bootstrap_bytes const& received() const { return in_; }

    void say(bytes_view more) { out_.insert(out_.end(), more.begin(), more.end()); }
    bool has_more_to_say() const { return said_ < out_.size(); }

    /// The events that poll should wait for. The end of a silent connection is one, too.
    short events() const {
        return static_cast<short>((expects() ? POLLIN : POLLRDHUP) |
                                  (has_more_to_say() ? POLLOUT : 0));
    }
    /// Sends and reads what it can without waiting; false once nothing more can come.
    bool move(int events) {
        static_cast<void>(speak());  // a peer that has gone may have said why
        if (expects()) { return listen(); }
        return (events & (POLLRDHUP | POLLHUP | POLLERR)) == 0;
    }
    /// Sends what it can without waiting; false where the other side has gone.
    bool speak() {
        while (has_more_to_say()) {
            auto const n = ::send(socket_.get(), out_.data() + said_, out_.size() - said_,
                                  MSG_DONTWAIT | MSG_NOSIGNAL);
            if (n < 0 && errno == EINTR) { continue; }
            if (n < 0) { return errno == EAGAIN; }
            said_ += static_cast<std::size_t>(n);
        }
        out_.clear();
        said_ = 0;
        return true;
    }

private:
    /// Reads once, so that the caller looks at the clock however fast more comes.
    bool listen() {
        constexpr std::size_t least = std::size_t{1} << 16;
        in_.resize(std::min(expected_, 2 * got_ + least));
        auto const n = ::recv(socket_.get(), in_.data() + got_, in_.size() - got_, MSG_DONTWAIT);
        if (n <= 0) { return n < 0 && (errno == EAGAIN || errno == EINTR); }
        got_ += static_cast<std::size_t>(n);
        return true;
    }

    descriptor socket_;
    bootstrap_bytes in_, out_;
    std::size_t expected_ = 0, got_ = 0, said_ = 0;
};

}  // namespace collectives::bootstraps
