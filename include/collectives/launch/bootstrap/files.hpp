// SPDX-License-Identifier: BSD-3-Clause
// Ranks meet in a directory that all of them see, such as one in a cluster's shared file system.
#pragma once

#include <collectives/core/bootstrap.hpp>
#include <collectives/core/growing_nap.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/bootstrap/bytes.hpp>
#include <collectives/launch/bootstrap/lock_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace collectives::inline v0::bootstraps {

/// Models `bootstrap`. Each rank keeps a lock file, and leaves what it gives in a file beside it,
/// which appears as a whole (it is renamed). An all_gather has two parts: all ranks give, then all
/// say that they have taken what was given. A rank that knows that may give again, or leave and
/// remove its files. The lock shows that a rank has died; the file system must support such locks.
/// Files of other users are not read: the permissions of the directory are all the protection there
/// is.
class over_files {
public:
    /// Takes the rank's lock file; makes the directory if its parent exists. Throws usage_error if
    /// the rank is there already, or if the job's name cannot be part of a file's name.
    over_files(std::string const& directory, std::string const& job, int rank, int size)
        : stem_(directory + "/collectives-" + checked(job) + "."),
          rank_(rank),
          size_(size),
          seen_(static_cast<std::size_t>(size)),
          own_file_(made(directory, path_of(rank)), rank, [this] { remove(); }) {}
    over_files(over_files&&) = default;
    over_files& operator=(over_files&&) = delete;
    ~over_files() {
        if (!stem_.empty()) { remove(); }
    }

    int rank() const { return rank_; }
    int size() const { return size_; }

    std::vector<bootstrap_bytes> all_gather(std::span<std::byte const> mine,
                                            steady::time_point until) {
        detail::require_bootstrap_bytes(rank_, mine.size());
        return unless_broken_(rank_, [&] {
            give(mine);
            auto result = take(false, until);
            give({});
            take(true, until);
            return result;
        });
    }

private:
    static constexpr std::uint64_t magic = 0x73656c69666c6c63;  // "cllfiles"
    static constexpr std::uint32_t version = 1;
    static constexpr std::size_t head_bytes = 24;

    static std::string const& checked(std::string const& job) {
        auto const allowed = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '-' || c == '_' || c == '.';
        };
        if (!std::all_of(job.begin(), job.end(), allowed)) {
            throw_error<usage_error>("the job's name '", job,
                                     "' is not of letters, digits, '-', '_' and '.', as the files "
                                     "in which its ranks meet need it");
        }
        return job;
    }
    static std::string made(std::string const& directory, std::string path) {
        if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
            lock_file::fail(directory, "mkdir");
        }
        return path;
    }
    std::string path_of(int rank) const { return stem_ + std::to_string(rank); }
    /// A rank writes to two files in turn, so it overwrites one only when all have read it.
    std::string path_of(int rank, std::uint64_t call) const {
        return path_of(rank) + (call % 2 == 0 ? ".even" : ".odd");
    }
    void remove() const {
        for (auto const call : {0U, 1U}) { ::unlink(path_of(rank_, call).c_str()); }
        ::unlink((path_of(rank_) + ".new").c_str());
    }

    void give(bytes_view mine) {
        ++call_;
        auto const fresh = path_of(rank_) + ".new";
        writer text;
        text.put(magic).put(version).put(static_cast<std::uint32_t>(size_)).put(call_).put(mine);
        descriptor file(
            ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (file.get() < 0) { lock_file::fail(fresh, "open"); }
        for (bytes_view rest = text.bytes(); !rest.empty();) {
            auto const n = ::write(file.get(), rest.data(), rest.size());
            if (n < 0 && errno != EINTR) { lock_file::fail(fresh, "write"); }
            rest = rest.subspan(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
        }
        file.reset();  // other machines may see the content from now on
        auto const final_path = path_of(rank_, call_);
        if (std::rename(fresh.c_str(), final_path.c_str()) != 0) {
            lock_file::fail(fresh, "rename");
        }
    }

    /// Waits for what all ranks give. With `leaving`, a rank that has left counts as done: it had
    /// taken what it needed.
    std::vector<bootstrap_bytes> take(bool leaving, steady::time_point until) {
        std::vector<std::optional<bootstrap_bytes>> came(static_cast<std::size_t>(size_));
        detail::growing_nap nap(std::chrono::milliseconds(1), longest_nap);
        for (;;) {
            auto const missing = read_arrived(came, leaving);
            if (missing.empty()) { break; }
            if (steady::now() >= until) { throw detail::bootstrap_timeout(rank_, missing); }
            std::this_thread::sleep_until(std::min(until, steady::now() + nap.next()));
        }
        std::vector<bootstrap_bytes> result;
        for (auto& c : came) { result.push_back(std::move(*c)); }
        return result;
    }
    std::vector<int> read_arrived(std::vector<std::optional<bootstrap_bytes>>& came, bool leaving) {
        std::vector<int> missing;
        auto left = -1;
        for (int r = 0; r < size_; ++r) {
            auto const i = static_cast<std::size_t>(r);
            auto const state = lock_file::state_of(path_of(r));
            if (seen_[i] && state == lock_file::state::free) {
                throw detail::bootstrap_loss(rank_, r);
            }
            if (came[i]) { continue; }
            if (seen_[i] && state == lock_file::state::given_up) {
                if (leaving) {
                    came[i].emplace();
                    continue;
                }
                left = r;
            }
            if (state == lock_file::state::taken) {
                seen_[i] = true;
                came[i] = read(r);
            }
            if (!came[i]) { missing.push_back(r); }
        }
        // A rank that has left while others had not come has run out of time. So will this rank,
        // which then throws a timeout_error with the missing ranks.
        auto const all_seen = std::find(seen_.begin(), seen_.end(), false) == seen_.end();
        if (left >= 0 && all_seen) { throw detail::bootstrap_loss(rank_, left); }
        return missing;
    }
    /// What rank r has given to this call, if it has given anything.
    std::optional<bootstrap_bytes> read(int r) const {
        descriptor const file(
            ::open(path_of(r, call_).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        struct stat is {};
        if (file.get() < 0 || ::fstat(file.get(), &is) != 0 || is.st_uid != ::geteuid() ||
            static_cast<std::uint64_t>(is.st_size) > head_bytes + most_bootstrap_bytes) {
            return {};
        }
        bootstrap_bytes all(static_cast<std::size_t>(is.st_size));
        for (std::size_t got = 0; got < all.size();) {
            auto const n = ::read(file.get(), all.data() + got, all.size() - got);
            if (n == 0 || (n < 0 && errno != EINTR)) { return {}; }
            got += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
        }
        reader text(all);
        auto const is_ours = text.number<std::uint64_t>() == magic;
        auto const its_version = text.number<std::uint32_t>();
        auto const its_size = text.number<std::uint32_t>();
        auto const its_call = text.number<std::uint64_t>();
        if (text.failed() || !is_ours) { return {}; }
        if (its_version != version || its_size != static_cast<std::uint32_t>(size_)) {
            std::this_thread::sleep_for(3 * longest_nap);  // so that rank r can see it too
            throw_error<usage_error>("rank ", rank_, ", meeting: rank ", r, " counts ", its_size,
                                     " ranks (files of version ", its_version, "), this one ",
                                     size_, " (version ", version, ")");
        }
        if (its_call != call_) { return {}; }
        return bootstrap_bytes(text.rest().begin(), text.rest().end());
    }

    static constexpr std::chrono::milliseconds longest_nap{20};

    std::string stem_;
    int rank_;
    int size_;
    std::vector<bool> seen_;
    std::uint64_t call_ = 0;
    detail::until_broken unless_broken_;
    lock_file own_file_;
};

static_assert(bootstrap<over_files>);

}  // namespace collectives::bootstraps
