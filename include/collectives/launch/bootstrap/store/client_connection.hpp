// SPDX-License-Identifier: BSD-3-Clause
// A connection to the store. It is a rank's once it has proved that it knows the secret.
#pragma once

#include <collectives/launch/bootstrap/store/byte_stream.hpp>
#include <collectives/launch/bootstrap/store/member.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace collectives::inline v0::bootstraps {

/// Performs the handshake step by step, as bytes come. It reads less than 150 bytes until the
/// proof.
class client_connection {
public:
    /// A connection that has not proved that it belongs here by then is dropped. A rank needs less
    /// than a millisecond for that, and connects again if it was dropped.
    static constexpr std::chrono::seconds patience{2};

    explicit client_connection(descriptor socket)
        : stream_(std::move(socket)), until_(steady::now() + patience) {
        stream_.expect(prefix::bytes);
    }

    byte_stream& connection() { return stream_; }
    /// The time by which it must have proved itself.
    steady::time_point limit() const {
        return stage_ == stage::known ? steady::time_point::max() : until_;
    }

    /// Reads and answers what has come. False if the connection is to be dropped. `said` has a
    /// value once the connection has proved that it knows the secret.
    bool move(int events, member const& host) {
        if (!stream_.move(events)) { return false; }
        while (stage_ != stage::known && !stream_.expects()) {
            if (!read(host)) { return false; }
        }
        return stream_.speak();
    }
    std::optional<hello> said() const {
        return stage_ == stage::known ? std::optional(said_) : std::nullopt;
    }

private:
    enum class stage { begins, greets, proves, known };

    bool read(member const& host) {
        auto const& heard = stream_.received();
        switch (stage_) {
            case stage::begins: {
                auto const version = prefix::version(heard);
                if (version && *version != protocol_version) {
                    writer ours;
                    prefix::put(ours);
                    stream_.say(ours.bytes());
                    stream_.speak();
                }
                if (version != protocol_version) { return false; }
                stream_.expect_more(hello::bytes - prefix::bytes);
                stage_ = stage::greets;
                return true;
            }
            case stage::greets:
                greeting_ = heard;
                said_ = hello::read(heard);
                nonce_ = fresh_nonce();
                stream_.say(
                    answer{nonce_, host.secret.prove(role_of_store, greeting_, nonce_)}.write());
                stream_.expect(nonce_.size());
                stage_ = stage::proves;
                return true;
            case stage::proves:
                if (!host.secret.proves(heard, role_of_rank, greeting_, nonce_)) {
                    stream_.say(frame(word::refused, static_cast<std::uint32_t>(refusal::secret)));
                    stream_.speak();
                    return false;
                }
                stream_.expect(0);
                stage_ = stage::known;
                return true;
            case stage::known: break;
        }
        return true;
    }

    byte_stream stream_;
    steady::time_point until_;
    stage stage_ = stage::begins;
    bootstrap_bytes greeting_;
    hello said_;
    block nonce_{};
};

}  // namespace collectives::bootstraps
