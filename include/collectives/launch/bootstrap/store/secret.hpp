// SPDX-License-Identifier: BSD-3-Clause
// The secret of a job, and proofs that a rank knows the secret, which do not reveal it.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/bootstrap/bytes.hpp>
#include <collectives/core/descriptor.hpp>

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace collectives::inline v0::bootstraps {

/// Throws transport_error unless libsodium can be used.
inline void require_sodium() {
    static int const status = ::sodium_init();
    if (status < 0) { throw_error<transport_error>("libsodium cannot be used here"); }
}

inline unsigned char const* octets(bytes_view from) {
    return reinterpret_cast<unsigned char const*>(from.data());
}
inline unsigned char* octets(block& to) { return reinterpret_cast<unsigned char*>(to.data()); }

/// A random number that is used once.
inline block fresh_nonce() {
    require_sodium();
    block result{};
    ::randombytes_buf(result.data(), result.size());
    return result;
}

/// The hash by which names are compared.
inline block digest_of(std::string_view name) {
    require_sodium();
    block result{};
    ::crypto_generichash(octets(result), result.size(),
                         reinterpret_cast<unsigned char const*>(name.data()), name.size(), nullptr,
                         0);
    return result;
}

/// 32 bytes, or none: then a proof shows only that the other side has no secret either.
class secret {
public:
    secret() = default;
    secret(secret const&) = default;
    secret& operator=(secret const&) = default;
    ~secret() { ::sodium_memzero(key_.data(), key_.size()); }

    /// Throws usage_error unless there are 32 bytes in a file that only this user may read.
    static secret from_file(std::string const& path) {
        descriptor const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        struct stat is {};
        if (file.get() < 0 || ::fstat(file.get(), &is) != 0) {
            throw_error<usage_error>("the secret ", path, ": ", std::strerror(errno));
        }
        if (!S_ISREG(is.st_mode) || is.st_uid != ::geteuid() || (is.st_mode & 077U) != 0) {
            throw_error<usage_error>("the secret ", path,
                                     " must be a file of yours that nobody else may touch: "
                                     "chmod 600");
        }
        return secret(file.get(), path);
    }
    /// From an inherited descriptor, which stays open, but is not inherited on.
    static secret from_descriptor(int fd) {
        auto const name = text_of("of descriptor ", fd);
        if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
            throw_error<usage_error>("the secret ", name, ": ", std::strerror(errno));
        }
        return secret(fd, name);
    }

    bool given() const { return !std::all_of(key_.begin(), key_.end(), is_zero); }

    /// The proof for these bytes, which needs the secret. `role` is the role of the one that
    /// proves: the other side cannot send a proof back as its own.
    block prove(std::string_view role, bytes_view said, block const& nonce) const {
        require_sodium();
        writer all;
        all.put(std::as_bytes(std::span(role))).put(said).put(nonce);
        block result{};
        ::crypto_auth(octets(result), octets(all.bytes()), all.bytes().size(), octets(key_));
        return result;
    }
    bool proves(bytes_view proof, std::string_view role, bytes_view said,
                block const& nonce) const {
        auto const expected = prove(role, said, nonce);
        return proof.size() == expected.size() &&
               ::sodium_memcmp(proof.data(), expected.data(), expected.size()) == 0;
    }

private:
    static_assert(std::tuple_size_v<block> == crypto_auth_KEYBYTES &&
                  std::tuple_size_v<block> == crypto_auth_BYTES);

    secret(int fd, std::string const& name) {
        std::size_t got = 0;
        for (bool ended = false; !ended && got < key_.size();) {
            got += read(fd, key_.data() + got, key_.size() - got, got, ended);
        }
        if (got != key_.size() || !given()) {
            throw_error<usage_error>("the secret ", name,
                                     " is not 32 bytes of which some differ from 0: make one with "
                                     "head -c 32 /dev/urandom");
        }
    }
    /// Reads at a position, since ranks may share the position of the descriptor; a pipe has none.
    static std::size_t read(int fd, std::byte* to, std::size_t n, std::size_t at, bool& ended) {
        auto got = ::pread(fd, to, n, static_cast<off_t>(at));
        if (got < 0 && errno == ESPIPE) { got = ::read(fd, to, n); }
        ended = got == 0 || (got < 0 && errno != EINTR);
        return static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
    static bool is_zero(std::byte b) { return b == std::byte{0}; }

    block key_{};
};

}  // namespace collectives::bootstraps
