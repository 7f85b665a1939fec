// SPDX-License-Identifier: BSD-3-Clause
// Ranks that reach each other by UCX.
#pragma once

#include <collectives/core/bootstrap.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/progress_lock.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/transport/ucx/link.hpp>
#include <collectives/transport/wire/transport.hpp>

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <iterator>
#include <thread>
#include <utility>
#include <vector>

namespace collectives::inline v0::ucx {

namespace detail {

/// What a rank tells all others before they can reach it. Its addresses follow, first that for
/// data.
struct introduction {
    std::array<char, 40> machine{};  // the same for ranks that share processors
    std::size_t data_address = 0;    // its bytes
    cpu_set_t processors;            // that this rank may run on

    static introduction of_mine() {
        introduction me;
        CPU_ZERO(&me.processors);
        if (::sched_getaffinity(0, sizeof me.processors, &me.processors) != 0) {
            CPU_SET(0, &me.processors);
        }
        std::ifstream("/proc/sys/kernel/random/boot_id")
            .read(me.machine.data(), static_cast<std::streamsize>(me.machine.size() - 1));
        return me;
    }
};

/// See wire::transport::processors.
inline int shared_processors(std::vector<introduction> const& all) {
    auto least = 0.0;
    for (auto const& one : all) {
        cpu_set_t together;
        CPU_ZERO(&together);
        auto ranks = 0;
        for (auto const& other : all) {
            if (other.machine != one.machine) { continue; }
            CPU_OR(&together, &together, &other.processors);
            ++ranks;
        }
        auto const per_rank = static_cast<double>(CPU_COUNT(&together)) / ranks;
        least = least == 0 ? per_rank : std::min(least, per_rank);
    }
    return std::max(static_cast<int>(least * static_cast<double>(all.size())), 1);
}

}  // namespace detail

class transport : public wire::transport<link> {
public:
    /// Collective over the ranks of `meeting`, which is not needed afterwards. Its
    /// `all_gather(bytes, until)` gives each rank's bytes in the order of the ranks. Throws what
    /// that throws, and transport_error for what UCX refuses.
    template <bootstrap Bootstrap>
    transport(Bootstrap& meeting, steady::time_point until)
        : wire::transport<link>(std::make_unique<link>(meeting.rank(), meeting.size())) {
        auto me = detail::introduction::of_mine();
        auto const [data, words] = way().addresses();
        me.data_address = data.size();
        std::vector<std::byte> mine(sizeof me + data.size() + words.size());
        std::memcpy(mine.data(), &me, sizeof me);
        std::copy(data.begin(), data.end(), mine.begin() + sizeof me);
        std::copy(words.begin(), words.end(), mine.end() - std::ssize(words));
        auto const all = meeting.all_gather(std::span<std::byte const>(mine), until);
        std::vector<detail::introduction> ranks(all.size());
        for (std::size_t r = 0; r < all.size(); ++r) {
            auto const n = all[r].size();
            if (n > sizeof me) { std::memcpy(&ranks[r], all[r].data(), sizeof me); }
            if (n <= sizeof me || n - sizeof me <= ranks[r].data_address) {
                throw transport_error(text_of("rank ", r, " sent no address of UCX"));
            }
        }
        way().use_processors(detail::shared_processors(ranks));
        for (rank_t r = 0; r < size(); ++r) {
            if (r != rank()) { way().expect(r); }
        }
        // Two that connect to each other at once confuse UCX's TCP: the lower rank does so first.
        auto const connect = [&](rank_t first, rank_t last) {
            for (auto r = first; r < last; ++r) {
                auto const n = ranks[static_cast<std::size_t>(r)].data_address;
                auto const its = std::span(all[static_cast<std::size_t>(r)]).subspan(sizeof me);
                way().connect(r, its.first(n), its.subspan(n));
            }
        };
        connect(rank(), size());
        wait_for(rank(), until, [&](rank_t r) { return way().is_greeted_by(r); });
        connect(0, rank());
        wait_for(size(), until, [&](rank_t r) { return way().knows(r); });  // no one goes before
    }

    /// Models memory_registering. One thread at a time may be in UCX, and memory comes and goes
    /// beside what the lock guards.
    void register_memory(void* p, std::size_t bytes) {
        auto const mine = progress_lock_->take();
        way().register_memory(p, bytes);
    }
    void deregister_memory(void* p) {
        auto const mine = progress_lock_->take();
        way().deregister_memory(p);
    }
    /// Models uses_progress_lock.
    void use_lock(std::shared_ptr<progress_lock> of) { progress_lock_ = std::move(of); }

private:
    /// Returns once `ready(r)` holds for all other ranks below. Throws timeout_error.
    template <class Ready>
    void wait_for(rank_t below, steady::time_point until, Ready const& ready) {
        for (rank_t r = 0; r < below; ++r) {
            while (r != rank() && !ready(r)) {
                if (way().progress() || way().progress_control()) { continue; }
                if (steady::now() >= until) {
                    throw timeout_error(
                        text_of("rank ", rank(), ", connecting: time ran out; rank ", r,
                                " has not come"),
                        {});
                }
                std::this_thread::sleep_for(std::chrono::microseconds(20));
            }
        }
    }

    std::shared_ptr<progress_lock> progress_lock_ = std::make_shared<progress_lock>();
};

}  // namespace collectives::ucx
