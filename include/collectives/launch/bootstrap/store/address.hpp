// SPDX-License-Identifier: BSD-3-Clause
// The place where the ranks of a job meet, and their secret, from the environment.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/bootstrap/store/secret.hpp>
#include <collectives/launch/environment.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace collectives::inline v0::bootstraps {

/// The places that can be named.
struct store_address {
    enum class kind { local, tcp, directory, inherited };
    kind what = kind::local;
    std::string host, port;  // of tcp
    std::string path;        // of directory
    int descriptor = -1;     // of inherited
    std::string name;        // as it was given
};

/// `tcp://HOST:PORT` (an IPv6 HOST in brackets), `file:///DIRECTORY` or `fd:N`. Throws usage_error
/// for anything else.
inline store_address parse_store_address(std::string const& text) {
    auto const number = [](std::string_view digits, std::uint64_t most) {
        auto const value = take_number(digits);
        return value && *value <= most && digits.empty() ? static_cast<int>(*value) : -1;
    };
    store_address result;
    result.name = text;
    std::string_view rest(text);
    auto const begins = [&](std::string_view how) {
        auto const yes = rest.substr(0, how.size()) == how;
        if (yes) { rest.remove_prefix(how.size()); }
        return yes;
    };
    if (begins("tcp://")) {
        auto const colon = rest.rfind(':');
        auto host = rest.substr(0, colon);
        if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
            host = host.substr(1, host.size() - 2);
        }
        if (colon != std::string_view::npos && !host.empty() &&
            number(rest.substr(colon + 1), 65535) > 0) {
            result.what = store_address::kind::tcp;
            result.host = host;
            result.port = rest.substr(colon + 1);
            return result;
        }
    } else if (begins("file://")) {
        if (!rest.empty() && rest.front() == '/') {
            result.what = store_address::kind::directory;
            result.path = rest;
            return result;
        }
    } else if (begins("fd:")) {
        result.what = store_address::kind::inherited;
        result.descriptor = number(rest, 1 << 30);
        if (result.descriptor >= 0) { return result; }
    }
    throw_error<usage_error>("the store '", text,
                             "' is neither tcp://HOST:PORT, with a port from 1 to 65535, nor "
                             "file:///DIRECTORY nor fd:N");
}

/// What COLLECTIVES_STORE says, else a socket of this machine. Throws usage_error if there is none
/// though the ranks are on several machines.
inline store_address store_from_environment(job_place const& me) {
    if (auto const* const given = std::getenv("COLLECTIVES_STORE")) {
        return parse_store_address(given);
    }
    if (detail::on_several_machines(me)) {
        auto const* const master = std::getenv("MASTER_ADDR");
        throw_error<usage_error>(
            "the ranks are on several machines and cannot find each other: set "
            "COLLECTIVES_STORE=tcp://",
            std::string(master != nullptr ? master : "HOST_OF_RANK_0"),
            ":PORT, and a secret, or COLLECTIVES_STORE=file:///DIRECTORY on a shared file system");
    }
    return {};
}

/// From COLLECTIVES_SECRET_FILE or COLLECTIVES_SECRET_FD; none if neither is set. Throws
/// usage_error if both are, or if what they name is no secret.
inline secret secret_from_environment() {
    auto const* const file = std::getenv("COLLECTIVES_SECRET_FILE");
    auto const fd = detail::environment_number("COLLECTIVES_SECRET_FD");
    if (file != nullptr && fd >= 0) {
        throw_error<usage_error>("COLLECTIVES_SECRET_FILE and COLLECTIVES_SECRET_FD are both set");
    }
    if (file != nullptr) { return secret::from_file(file); }
    return fd >= 0 ? secret::from_descriptor(fd) : secret();
}

}  // namespace collectives::bootstraps
