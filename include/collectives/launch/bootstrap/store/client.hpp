// SPDX-License-Identifier: BSD-3-Clause
// A rank other than 0, which connects to the store of rank 0.
#pragma once

#include <collectives/core/text.hpp>
#include <collectives/launch/bootstrap/store/byte_stream.hpp>
#include <collectives/launch/bootstrap/store/endpoint.hpp>
#include <collectives/launch/bootstrap/store/member.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace collectives::inline v0::bootstraps {

/// Models `bootstrap`. The store says who is missing at the earliest of all deadlines, so this rank
/// waits a little longer than its own for the store's word.
class store_client {
public:
    /// Connects to the store, at any of these places, once it is there, and waits for the other
    /// ranks. Throws like all_gather; usage_error where the store refuses this rank.
    store_client(member me, std::vector<endpoint> places, steady::time_point until)
        : me_(std::move(me)), places_(std::move(places)) {
        while (!greet(until)) { nap(until); }
        static_cast<void>(hear(word::met, until));
    }

    int rank() const { return me_.rank; }
    int size() const { return me_.size; }

    std::vector<bootstrap_bytes> all_gather(std::span<std::byte const> mine,
                                            steady::time_point until) {
        detail::require_bootstrap_bytes(rank(), mine.size());
        return unless_broken_(rank(), [&] {
            stream_->say(frame(word::gather, patience_until(until), mine));
            auto parts = split(hear(word::gathered, until), size());
            if (!parts) { break_off("a word that makes no sense"); }
            return std::move(*parts);
        });
    }

private:
    static constexpr std::chrono::milliseconds grace{250};

    enum class outcome { came, ended, late };

    /// Sends what is queued, and waits for n bytes; with `more` they follow those that came.
    outcome fetch(std::size_t n, steady::time_point until, bool more = false) {
        more ? stream_->expect_more(n) : stream_->expect(n);
        while (stream_->expects()) {
            pollfd p{stream_->get(), stream_->events(), 0};
            if (detail::poll_once(&p, 1, until) && !stream_->move(p.revents)) {
                return outcome::ended;
            }
            if (stream_->expects() && steady::now() >= until) { return outcome::late; }
        }
        return outcome::came;
    }

    /// Performs the handshake. True once the store has admitted this rank; false if the connection
    /// ended before, as it does where the store is not there yet, or has too many connections.
    bool greet(steady::time_point until) {
        if (!connect(until)) { return false; }
        hello const said{static_cast<std::uint32_t>(rank()), static_cast<std::uint32_t>(size()),
                         patience_until(until), digest_of(me_.job), fresh_nonce()};
        auto const greeting = said.write();
        stream_->say(greeting);
        if (!came(fetch(prefix::bytes, until))) { return false; }
        auto const version = prefix::version(stream_->received());
        if (!version) { break_off("it is no store"); }
        if (*version != protocol_version) {
            refuse(text_of("rank 0 speaks version ", *version,
                           " of the protocol, this rank version ", protocol_version));
        }
        if (!came(fetch(answer::bytes - prefix::bytes, until, true))) { return false; }
        auto const reply = answer::read(stream_->received());
        if (!me_.secret.proves(reply.proof, role_of_store, greeting, reply.nonce)) {
            refuse("the secret of rank 0 is not this rank's");
        }
        stream_->say(me_.secret.prove(role_of_rank, greeting, reply.nonce));
        if (!came(fetch(head::bytes, until))) { return false; }
        static_cast<void>(understand(word::admitted, until));
        return true;
    }
    bool came(outcome o) const {
        if (o == outcome::late) { throw detail::bootstrap_timeout(rank(), {0}); }
        return o == outcome::came;
    }
    bool connect(steady::time_point until) {
        for (auto const& place : places_) {
            stream_.emplace(begin_to_connect(place));
            if (stream_->get() < 0) { continue; }
            if (!detail::wait_for(stream_->get(), POLLOUT, until)) { return false; }
            int fault = 0;
            socklen_t n = sizeof fault;
            if (::getsockopt(stream_->get(), SOL_SOCKET, SO_ERROR, &fault, &n) != 0 || fault != 0) {
                continue;
            }
            if (place.family() == AF_UNIX && detail::peer_of_same_user(stream_->get()) < 0) {
                refuse("another user's process waits where rank 0 should");
            }
            return true;
        }
        return false;
    }
    void nap(steady::time_point until) const {
        constexpr std::chrono::milliseconds most{5};
        if (steady::now() >= until) { throw detail::bootstrap_timeout(rank(), {0}); }
        std::this_thread::sleep_until(std::min(until, steady::now() + most));
    }

    /// The bytes of the next frame, which must be of this kind.
    bootstrap_bytes hear(word expected, steady::time_point until) {
        auto const late = steady::time_point::max() - until > grace ? until + grace : until;
        need(fetch(head::bytes, late));
        return understand(expected, late);
    }
    bootstrap_bytes understand(word expected, steady::time_point until) {
        auto const first = head::read(stream_->received(), most_gathered(size()));
        if (!first) { break_off("a word that makes no sense"); }
        need(fetch(first->length, until));
        auto const& body = stream_->received();
        if (first->what == expected) { return body; }
        switch (first->what) {
            case word::refused: refuse(reason(*first, body));
            case word::missing: throw detail::bootstrap_timeout(rank(), ranks_in(body, size()));
            case word::lost:
                if (first->number >= static_cast<std::uint32_t>(size())) { break; }
                throw detail::bootstrap_loss(rank(), static_cast<int>(first->number));
            default: break_off("a word at the wrong time");
        }
        break_off("it names a lost rank that does not exist");
    }
    void need(outcome o) const {
        if (!came(o)) { throw detail::bootstrap_loss(rank(), 0); }
    }
    std::string reason(head const& first, bytes_view body) const {
        switch (static_cast<refusal>(first.number)) {
            case refusal::secret: return "the secret of rank 0 is not this rank's";
            case refusal::job: return text_of("rank 0 belongs to another job than '", me_.job, "'");
            case refusal::size: {
                auto const its = reader(body).number<std::uint32_t>();
                return text_of("rank 0 counts ", its, " ranks, this one ", size());
            }
            case refusal::rank: return text_of("there is no such rank of ", size());
            case refusal::taken: return text_of("rank ", rank(), " is there already");
        }
        return "it was turned away";
    }
    [[noreturn]] void refuse(std::string const& why) const {
        throw_error<usage_error>("rank ", rank(), ", meeting: ", why);
    }
    [[noreturn]] void break_off(char const* why) const {
        throw_error<transport_error>("rank ", rank(),
                                     ", meeting: what was heard from rank 0: ", why);
    }

    member me_;
    std::vector<endpoint> places_;
    std::optional<byte_stream> stream_;
    detail::until_broken unless_broken_;
};

static_assert(bootstrap<store_client>);

}  // namespace collectives::bootstraps
