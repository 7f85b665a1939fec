// SPDX-License-Identifier: BSD-3-Clause
// Lets ranks that a launcher started meet and exchange their addresses, wherever they are. Programs
// that include this link libsodium.
#pragma once

#include <collectives/core/bootstrap.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/bootstrap/files.hpp>
#include <collectives/launch/bootstrap/store/address.hpp>
#include <collectives/launch/bootstrap/store/client.hpp>
#include <collectives/launch/bootstrap/store/server.hpp>
#include <collectives/launch/environment.hpp>
#include <collectives/launch/job_name.hpp>

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace collectives::inline v0 {

/// How ranks that a launcher started find each other.
namespace bootstraps {

/// Ranks that have met, in one of the ways there are; models `bootstrap`.
class any_bootstrap {
public:
    /// The ways there are.
    using model = std::variant<store_server, store_client, over_files>;

    /// Ranks that have met in one of them.
    explicit any_bootstrap(model one) : one_(std::move(one)) {}

    /// This rank's number: 0 .. size() - 1.
    int rank() const {
        return std::visit([](auto const& b) { return b.rank(); }, one_);
    }
    /// How many ranks have met.
    int size() const {
        return std::visit([](auto const& b) { return b.size(); }, one_);
    }
    /// What each rank gave, by rank. Collective; every rank must have called it by `until`.
    std::vector<bootstrap_bytes> all_gather(std::span<std::byte const> mine,
                                            steady::time_point until) {
        return std::visit([&](auto& b) { return b.all_gather(mine, until); }, one_);
    }

private:
    model one_;
};

static_assert(bootstrap<any_bootstrap>);

/// The socket that listens and was inherited. It is taken once, since it is closed when all have
/// met, and its number may then be another file's.
inline descriptor inherited_listener(int fd) {
    static std::atomic<bool> taken = false;
    if (taken.exchange(true)) {
        throw_error<usage_error>("the socket of COLLECTIVES_STORE=fd:", fd,
                                 " was used before: the ranks of such a job meet once");
    }
    static_cast<void>(endpoint_of(fd));
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    return descriptor(fd);
}

/// Meets at a place; `meet` says which places there are, and what is thrown.
inline any_bootstrap meet_at(store_address const& place, member me, steady::time_point until) {
    using kind = store_address::kind;
    if (place.what == kind::directory) {
        return any_bootstrap(over_files(place.path, me.job, me.rank, me.size));
    }
    if (me.size == 1) { return any_bootstrap(store_server(std::move(me), descriptor(), until)); }
    if (place.what == kind::inherited) {
        if (me.rank == 0) {
            return any_bootstrap(
                store_server(std::move(me), inherited_listener(place.descriptor), until));
        }
        throw_error<usage_error>("COLLECTIVES_STORE=", place.name, " is for rank 0; rank ", me.rank,
                                 " needs the address: tcp://HOST:PORT");
    }
    auto const where = place.what == kind::tcp ? tcp_endpoints(place.host, place.port)
                                               : std::vector{local_endpoint(me.job + "-store")};
    if (!me.secret.given() &&
        !std::all_of(where.begin(), where.end(), [](auto const& e) { return e.is_local(); })) {
        throw_error<usage_error>("to meet at ", place.name,
                                 " the ranks need a secret, since other machines can come there: "
                                 "set COLLECTIVES_SECRET_FILE or COLLECTIVES_SECRET_FD");
    }
    auto const name = place.what == kind::tcp ? place.name : "the socket of job " + me.job;
    auto const job = me.job;
    try {
        if (me.rank != 0) { return any_bootstrap(store_client(std::move(me), where, until)); }
        return any_bootstrap(store_server(std::move(me), listen_at(where, name), until));
    } catch (timeout_error const& e) {
        if (place.what == kind::tcp) { throw; }
        throw timeout_error(
            text_of(e.what(), detail::socket_hint(job + "-store"),
                    "; ranks in several network name spaces need COLLECTIVES_STORE"),
            e.missing());
    }
}

}  // namespace bootstraps

/// Meets the other ranks of a job, each of which calls this once. Where: COLLECTIVES_STORE, which
/// is `tcp://HOST:PORT` (rank 0 listens there), `file:///DIRECTORY` (which all ranks see) or `fd:N`
/// (a socket that listens, for rank 0); without it, a socket of this machine that turns other users
/// away. Jobs are told apart by COLLECTIVES_JOB or what the launcher calls them. If
/// COLLECTIVES_SECRET_FILE or COLLECTIVES_SECRET_FD gives a secret, ranks and store prove to each
/// other that they know it; only places that other machines cannot reach do without.
///
/// Throws usage_error where the environment makes no sense and where this rank does not fit the
/// others, timeout_error with the missing ranks at the earliest deadline of all, peer_lost_error
/// for a rank that has come and died, transport_error for what the system refuses.
inline bootstraps::any_bootstrap meet(job_place const& me, steady::time_point until) {
    auto const place = bootstraps::store_from_environment(me);
    auto const local = place.what == bootstraps::store_address::kind::local;
    return bootstraps::meet_at(
        place,
        {me.rank, me.size, local ? detail::local_job_name() : detail::job_name(),
         bootstraps::secret_from_environment()},
        until);
}

/// The same, where the launcher's variables say which rank this is (place_from_environment).
inline bootstraps::any_bootstrap meet(timeout time = {}) {
    return meet(place_from_environment(), time.deadline(steady::now()));
}

}  // namespace collectives
