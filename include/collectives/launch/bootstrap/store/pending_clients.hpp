// SPDX-License-Identifier: BSD-3-Clause
// Accepts connections to the store, and keeps them until they have proved that they belong there.
#pragma once

#include <collectives/core/text.hpp>
#include <collectives/launch/bootstrap/store/endpoint.hpp>
#include <collectives/launch/bootstrap/store/client_connection.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <list>
#include <utility>
#include <vector>

namespace collectives::inline v0::bootstraps {

/// The listener, and the connections that have not yet proved that they belong here. Many strangers
/// cost bounded memory and descriptors, and keep no rank waiting: the oldest ones are dropped.
class pending_clients {
public:
    static constexpr std::size_t most_unproved = 512;

    /// Throws usage_error if the socket does not listen, or is open to other machines while there
    /// is no secret.
    pending_clients(descriptor listener, bool with_secret) : listener_(std::move(listener)) {
        auto const place = endpoint_of(listener_.get());
        if (!place.is_local() && !with_secret) {
            throw_error<usage_error>(
                "rank 0 would listen to other machines without a secret: set "
                "COLLECTIVES_SECRET_FILE or COLLECTIVES_SECRET_FD on all ranks, or meet at "
                "tcp://127.0.0.1:PORT");
        }
        same_user_ = place.family() == AF_UNIX;
        ::fcntl(listener_.get(), F_SETFL, O_NONBLOCK);
    }

    void watch(std::vector<pollfd>& to) {
        to.push_back({listener_.get(), POLLIN, 0});
        for (auto& s : unproved_) {
            to.push_back({s.connection().get(), s.connection().events(), 0});
        }
    }
    steady::time_point next_limit() const {
        return unproved_.empty() ? steady::time_point::max() : unproved_.front().limit();
    }
    /// The connections that have now proved that they belong here. `events` are those of `watch`.
    std::list<client_connection> receive(pollfd const* events, member const& host) {
        std::list<client_connection> known;
        auto const at_door = (events++)->revents;
        for (auto one = unproved_.begin(); one != unproved_.end(); ++events) {
            auto const next = std::next(one);
            if ((events->revents != 0 && !one->move(events->revents, host)) ||
                one->limit() <= steady::now()) {
                unproved_.erase(one);
            } else if (one->said()) {
                known.splice(known.end(), unproved_, one);
            }
            one = next;
        }
        if (at_door != 0) { let_in(); }
        return known;
    }

private:
    void let_in() {
        constexpr int at_once = 64;  // then the connections that are there come first
        for (int i = 0; i < at_once; ++i) {
            descriptor who(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (who.get() < 0) {
                auto const full =
                    errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
                if (!full) { return; }
                if (unproved_.empty()) {
                    cannot_meet(text_of("rank 0, accept: ", std::strerror(errno)));
                }
                unproved_.pop_front();
                continue;
            }
            if (same_user_ && detail::peer_of_same_user(who.get()) < 0) { continue; }
            if (unproved_.size() == most_unproved) { unproved_.pop_front(); }
            unproved_.emplace_back(std::move(who));
        }
    }

    descriptor listener_;
    bool same_user_ = false;
    std::list<client_connection> unproved_;  // the oldest first
};

}  // namespace collectives::bootstraps
