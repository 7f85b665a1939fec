// SPDX-License-Identifier: BSD-3-Clause
// Places where ranks can meet, each fresh, and ranks that meet there.
#pragma once

#include <collectives/launch/meet.hpp>

#include <faults/forked.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace meetings {

namespace coll = collectives;
using faults::end_of;
using faults::forked;
using faults::outcome;
using faults::start;
using faults::statuses;
using namespace std::chrono_literals;

inline std::string fresh_directory() {
    auto name = (std::filesystem::temp_directory_path() / "collectives-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) { std::abort(); }
    return name;
}

/// The values of COLLECTIVES_STORE for a new job: of rank 0, and of the others.
class place {
public:
    explicit place(std::string_view kind) : kind_(kind) {
        if (kind_ == "file") {
            directory_ = fresh_directory();
            of_host_ = of_guests_ = "file://" + directory_;
        } else if (kind_ != "local") {
            door_ =
                coll::bootstraps::listen_at(coll::bootstraps::tcp_endpoints("127.0.0.1", "0"), "0");
            auto const at = coll::bootstraps::endpoint_of(door_.get());
            sockaddr_in v4{};
            std::memcpy(&v4, &at.address, sizeof v4);
            port_ = ntohs(v4.sin_port);
            of_host_ = of_guests_ = "tcp://127.0.0.1:" + std::to_string(port_);
            if (kind_ == "fd") {
                of_host_ = "fd:" + std::to_string(door_.get());
            } else {
                door_.reset();
            }
        }
    }
    place(place const&) = delete;
    place& operator=(place const&) = delete;
    ~place() {
        if (!directory_.empty()) { std::filesystem::remove_all(directory_); }
    }

    std::uint16_t port() const { return port_; }
    std::string const& directory() const { return directory_; }
    auto files() const {
        return std::distance(std::filesystem::directory_iterator(directory_), {});
    }

    /// In a process of its own: says that the rank meets here.
    void enter(int rank) {
        ::setenv("COLLECTIVES_JOB", ("test-" + std::to_string(::getppid())).c_str(), 1);
        if (rank != 0) { door_.reset(); }
        auto const& store = rank == 0 ? of_host_ : of_guests_;
        if (store.empty()) {
            ::unsetenv("COLLECTIVES_STORE");
        } else {
            ::setenv("COLLECTIVES_STORE", store.c_str(), 1);
        }
        static_cast<void>(door_.release());  // the job's, from now on
    }
    /// Starts a rank that does f(until) here.
    template <class F>
    forked start(int rank, int size, F const& f, std::chrono::milliseconds time = 10s) {
        return faults::start(rank, size, [&] {
            enter(rank);
            return f(coll::steady::now() + time);
        });
    }
    /// No process of this test listens here any more.
    void leave() { door_.reset(); }

private:
    std::string kind_, directory_, of_host_, of_guests_;
    coll::descriptor door_;
    std::uint16_t port_ = 0;
};

inline coll::bootstraps::any_bootstrap meet(coll::steady::time_point until) {
    return coll::meet(coll::place_from_environment(), until);
}

/// What rank r gives to its n-th call: none, some, or many bytes.
inline coll::bootstrap_bytes gift(int r, int n) {
    constexpr std::array<std::size_t, 4> sizes{0, 1, 1000, 200'000};
    return coll::bootstrap_bytes(sizes[static_cast<std::size_t>(r + n) % sizes.size()],
                                 static_cast<std::byte>(16 * n + r));
}

/// 0 if every rank got what all gave, some times in a row.
template <coll::bootstrap B>
int exchange(B& ranks, coll::steady::time_point until) {
    for (int n = 0; n < 6; ++n) {
        auto const came = ranks.all_gather(gift(ranks.rank(), n), until);
        if (came.size() != static_cast<std::size_t>(ranks.size())) { return 1; }
        for (int r = 0; r < ranks.size(); ++r) {
            if (came[static_cast<std::size_t>(r)] != gift(r, n)) { return 2; }
        }
    }
    return 0;
}

inline int work(coll::steady::time_point until) {
    auto ranks = meet(until);
    return exchange(ranks, until);
}

}  // namespace meetings
