// SPDX-License-Identifier: BSD-3-Clause
// What ranks and store say to each other is understood as it was meant, and random bytes do no
// harm: nothing is read past its end, and nothing is made larger than what came.
#include <collectives/launch/bootstrap/store/client_connection.hpp>

#include <rapidcheck.h>

#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace bootstraps = collectives::bootstraps;
using bytes = collectives::bootstrap_bytes;

namespace {

bytes of(std::vector<std::uint8_t> const& from) {
    bytes result;
    for (auto const b : from) { result.push_back(static_cast<std::byte>(b)); }
    return result;
}
bootstraps::block digest(std::uint64_t seed) {
    bootstraps::block result{};
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = static_cast<std::byte>(seed >> (i % 8 * 8) & 0xff);
    }
    return result;
}

bool what_is_written_is_read() {
    auto ok =
        rc::check("hello and answer", [](std::uint32_t rank, std::uint32_t size, std::uint32_t time,
                                         std::uint64_t a, std::uint64_t b) {
            bootstraps::hello const said{rank, size, time, digest(a), digest(b)};
            auto const text = said.write();
            RC_ASSERT(text.size() == bootstraps::hello::bytes);
            RC_ASSERT(bootstraps::prefix::version(text) == bootstraps::protocol_version);
            auto const heard = bootstraps::hello::read(text);
            RC_ASSERT(heard.rank == rank && heard.size == size && heard.patience == time);
            RC_ASSERT(heard.job == said.job && heard.nonce == said.nonce);
            auto const reply = bootstraps::answer{digest(b), digest(a)}.write();
            RC_ASSERT(reply.size() == bootstraps::answer::bytes);
            RC_ASSERT(bootstraps::answer::read(reply).nonce == digest(b));
            RC_ASSERT(bootstraps::answer::read(reply).proof == digest(a));
        });
    ok &= rc::check("frames", [](std::uint32_t number, std::vector<std::uint8_t> const& body) {
        auto const text = bootstraps::frame(bootstraps::word::gather, number, of(body));
        auto const head =
            bootstraps::head::read(std::span(text).first(bootstraps::head::bytes), body.size());
        RC_ASSERT(head && head->what == bootstraps::word::gather && head->number == number);
        RC_ASSERT(head->length == body.size());
        RC_ASSERT(text.size() == bootstraps::head::bytes + body.size());
        RC_ASSERT(body.empty() || !bootstraps::head::read(text, body.size() - 1));
    });
    ok &= rc::check("everybody's bytes", [](std::vector<std::vector<std::uint8_t>> const& from) {
        std::vector<bytes> parts;
        for (auto const& f : from) { parts.push_back(of(f)); }
        auto const text = bootstraps::joined(parts);
        auto const size = static_cast<int>(parts.size());
        auto const heard = bootstraps::split(text, size);
        RC_ASSERT(heard && *heard == parts);
        RC_ASSERT(!bootstraps::split(text, size + 1));
        RC_ASSERT(text.empty() || !bootstraps::split(std::span(text).first(text.size() - 1), size));
    });
    return ok;
}

bool random_bytes_do_no_harm() {
    auto ok =
        rc::check("random words", [](std::vector<std::uint8_t> const& from, std::uint8_t ranks) {
            auto const text = of(from);
            RC_ASSERT(!bootstraps::prefix::version(text));
            if (auto const head = bootstraps::head::read(text, 100)) {
                RC_ASSERT(head->length <= 100U);
            }
            if (auto const parts = bootstraps::split(text, ranks)) {
                std::size_t total = 0;
                for (auto const& p : *parts) { total += p.size() + 8; }
                RC_ASSERT(total == text.size());
            }
            for (auto const r : bootstraps::ranks_in(text, ranks)) {
                RC_ASSERT(r >= 0 && r < ranks);
            }
        });
    // A guest says anything, in any pieces, after as much of a true greeting as it likes.
    ok &= rc::check("random guests", [](std::uint8_t true_bytes,
                                        std::vector<std::vector<std::uint8_t>> const& pieces) {
        int ends[2] = {-1, -1};
        RC_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
        collectives::descriptor const its(ends[1]);
        bootstraps::client_connection guest{collectives::descriptor(ends[0])};
        bootstraps::member const host{0, 2, "job", {}};
        auto said = bootstraps::hello{1, 2, 3, {}, {}}.write();
        said.resize(std::min<std::size_t>(said.size(), true_bytes));
        auto stays = true;
        std::size_t total = said.size();
        auto const say = [&](bytes const& more) {
            RC_ASSERT(::send(its.get(), more.data(), more.size(), MSG_NOSIGNAL) >= -1);
            for (int stage = 0; stage < 3; ++stage) { stays = stays && guest.move(POLLIN, host); }
            // It never keeps more than one greeting.
            RC_ASSERT(guest.connection().received().size() <= bootstraps::hello::bytes);
        };
        say(said);
        for (auto const& p : pieces) {
            total += p.size();
            say(of(p));
        }
        RC_ASSERT(!guest.said());
        // Whoever has said all that can be said is gone.
        if (total >= bootstraps::hello::bytes + sizeof(bootstraps::block)) { RC_ASSERT(!stays); }
    });
    return ok;
}

}  // namespace

int main() {
    if (auto const* const cases = std::getenv("COLLECTIVES_TEST_CASES")) {
        ::setenv("RC_PARAMS", ("max_success=" + std::string(cases)).c_str(), 0);
    }
    auto const read = what_is_written_is_read();
    return random_bytes_do_no_harm() && read ? EXIT_SUCCESS : EXIT_FAILURE;
}
