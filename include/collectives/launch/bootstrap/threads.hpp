// SPDX-License-Identifier: BSD-3-Clause
// How threads of one process exchange bytes before they have a transport.
#pragma once

#include <collectives/core/bootstrap.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace collectives::inline v0::bootstraps {

/// The memory in which threads of one process leave their bytes for each other. It outlives its
/// ranks.
class thread_exchange {
public:
    explicit thread_exchange(int size) : participants_(static_cast<std::size_t>(size)) {}
    int size() const { return static_cast<int>(participants_.size()); }

private:
    friend class over_threads;

    /// A rank and the bytes that it gives. Two places suffice: a rank that gives again has
    /// everybody's last bytes, so all have taken the bytes before these.
    struct participant {
        std::uint64_t given = 0;
        bool left = false;
        bootstrap_bytes bytes[2];
    };

    std::mutex guard_;
    std::condition_variable changed_;
    std::vector<participant> participants_;
};

/// A rank of a thread_exchange; models `bootstrap`.
class over_threads {
public:
    over_threads(thread_exchange& shared, int rank) : exchange_(shared), rank_(rank) {}
    over_threads(over_threads const&) = delete;
    over_threads& operator=(over_threads const&) = delete;
    ~over_threads() {
        std::lock_guard const lock(exchange_.guard_);
        mine().left = true;
        exchange_.changed_.notify_all();
    }

    int rank() const { return rank_; }
    int size() const { return exchange_.size(); }

    std::vector<bootstrap_bytes> all_gather(std::span<std::byte const> bytes,
                                            steady::time_point until) {
        detail::require_bootstrap_bytes(rank_, bytes.size());
        return unless_broken_(rank_, [&] { return exchange(bytes, until); });
    }

private:
    std::vector<bootstrap_bytes> exchange(std::span<std::byte const> bytes,
                                          steady::time_point until) {
        std::unique_lock lock(exchange_.guard_);
        auto const call = ++mine().given;
        mine().bytes[call % 2].assign(bytes.begin(), bytes.end());
        exchange_.changed_.notify_all();
        while (!all_gave(call)) {
            if (steady::now() >= until) { throw detail::bootstrap_timeout(rank_, absent(call)); }
            exchange_.changed_.wait_until(lock, until);
        }
        std::vector<bootstrap_bytes> result;
        for (auto const& s : exchange_.participants_) { result.push_back(s.bytes[call % 2]); }
        return result;
    }
    thread_exchange::participant& mine() {
        return exchange_.participants_[static_cast<std::size_t>(rank_)];
    }

    bool all_gave(std::uint64_t call) const {
        auto all = true;
        for (int r = 0; r < size(); ++r) {
            auto const& s = exchange_.participants_[static_cast<std::size_t>(r)];
            if (s.given < call && s.left) { throw detail::bootstrap_loss(rank_, r); }
            all = all && s.given >= call;
        }
        return all;
    }
    std::vector<int> absent(std::uint64_t call) const {
        std::vector<int> ranks;
        for (int r = 0; r < size(); ++r) {
            if (exchange_.participants_[static_cast<std::size_t>(r)].given < call) {
                ranks.push_back(r);
            }
        }
        return ranks;
    }

    thread_exchange& exchange_;
    int rank_;
    detail::until_broken unless_broken_;
};

static_assert(bootstrap<over_threads>);

}  // namespace collectives::bootstraps
