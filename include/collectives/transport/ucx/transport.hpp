// SPDX-License-Identifier: BSD-3-Clause
// Ranks that reach each other by UCX.
#pragma once

#include <collectives/core/bootstrap.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/progress_lock.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/without_cancellation.hpp>
#include <collectives/transport/ucx/link.hpp>
#include <collectives/transport/wire/survivor_bootstrap.hpp>
#include <collectives/transport/wire/processors.hpp>
#include <collectives/transport/wire/transport.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <iterator>

namespace collectives::inline v0::ucx {

namespace detail {

/// What a rank tells all others before they can reach it. Its addresses follow, first that for
/// data.
struct introduction {
    wire::rank_processors processors = wire::rank_processors::of_this_process();
    std::uint64_t process_space = detail::process_space();
    std::uint64_t sysv_space = may_share_by_sysv() ? name_space("/proc/self/ns/ipc") : 0;
    std::size_t data_address = 0;  // its bytes
};

/// Throws transport_error, on all ranks, where two share System V's memory and do not see each
/// other's process.
inline void require_processes_in_sight(std::span<introduction const> all) {
    for (auto const& a : all) {
        for (auto const& b : all) {
            if (a.processors.machine == b.processors.machine && a.sysv_space != 0 &&
                a.sysv_space == b.sysv_space && a.process_space != b.process_space) {
                throw_error<transport_error>(
                    "rank ", &a - all.data(), " and rank ", &b - all.data(),
                    " are in different process name spaces (containers) and share that of "
                    "System V IPC, where UCX crashes: set UCX_TLS to ways without sysv, "
                    "such as tcp,self");
            }
        }
    }
}

}  // namespace detail

class transport : public wire::transport<link> {
public:
    /// How the survivors of a loss connect: a rank for which `lost(r)` holds is not waited for, and
    /// other threads may have the lock meanwhile.
    struct after_loss {
        function_ref<bool(rank_t)> lost;
        progress_lock& lock;
    };

    /// Collective over the ranks of `exchange`, which is not needed afterwards. Its
    /// `all_gather(bytes, until)` gives each rank's bytes in the order of the ranks. Throws what
    /// that throws, and transport_error for what UCX refuses. After a loss: a rank that
    /// dies meanwhile is not waited for.
    template <bootstrap Bootstrap>
    transport(Bootstrap& exchange, steady::time_point until, std::optional<after_loss> after = {})
        : wire::transport<link>(std::make_unique<link>(exchange.rank(), exchange.size())) {
        detail::introduction me;
        auto const [data, control] = way().addresses();
        me.data_address = data.size();
        lean_vector<std::byte> mine(sizeof me + data.size() + control.size());
        std::memcpy(mine.data(), &me, sizeof me);
        std::copy(data.begin(), data.end(), mine.begin() + sizeof me);
        std::copy(control.begin(), control.end(), mine.end() - std::ssize(control));
        auto const all = exchange.all_gather(std::span<std::byte const>(mine), until);
        lean_vector<std::size_t> data_addresses;
        lean_vector<detail::introduction> introductions;
        lean_vector<wire::rank_processors> processors;
        for (std::size_t r = 0; r < all.size(); ++r) {
            auto const n = all[r].size();
            auto const is_lost = n == 0 && after && after->lost(static_cast<rank_t>(r));
            if (is_lost) { way().lose(static_cast<rank_t>(r)); }
            auto its = me;
            if (n > sizeof me) { std::memcpy(&its, all[r].data(), sizeof me); }
            if (!is_lost && (n <= sizeof me || n - sizeof me <= its.data_address)) {
                throw_error<transport_error>("rank ", r, " sent no address of UCX");
            }
            data_addresses.push_back(its.data_address);
            introductions.push_back(its);
            processors.push_back(its.processors);
        }
        detail::require_processes_in_sight(introductions);
        way().use_processors(wire::shared_processors(processors));
        for (rank_t r = 0; r < size(); ++r) {
            if (r != rank() && way().can_reach(r)) { way().expect(r); }
        }
        // Two that connect to each other at once confuse UCX's TCP: the lower rank does so first.
        auto const connect = [&](rank_t first, rank_t last) {
            for (auto r = first; r < last; ++r) {
                if (!way().can_reach(r)) { continue; }
                auto const n = data_addresses[static_cast<std::size_t>(r)];
                auto const its = std::span(all[static_cast<std::size_t>(r)]).subspan(sizeof me);
                way().connect(r, its.first(n), its.subspan(n));
            }
        };
        connect(rank(), size());
        wait_for(rank(), until, after, [&](rank_t r) { return way().is_greeted_by(r); });
        connect(0, rank());
        wait_for(size(), until, after,
                 [&](rank_t r) { return way().knows(r); });  // no one goes before
    }

    /// Models memory_registering. One thread at a time may be in UCX, and memory comes and goes
    /// beside what the lock guards.
    void register_memory(void* p, std::size_t bytes) {
        auto const mine = lock().take();
        way().register_memory(p, bytes);
    }
    void deregister_memory(void* p) {
        auto const mine = lock().take();
        way().deregister_memory(p);
    }

    /// Models renewing: the survivors exchange new addresses by control messages over this
    /// transport.
    shared_pointer<transport> renew(board& broken, loss const& of) {
        auto const lost = [&](rank_t r) {
            receive_control();  // also while the new transport connects: others wait for control
                                // messages
            auto const how = gone(r);
            return steady::now() >= of.until || (how && !how->lives);
        };
        auto const turn = [&](rank_t r) {
            nap(of.lock, std::chrono::microseconds(50));
            return !lost(r);
        };
        wire::survivor_bootstrap met{*broken.state(), of.survivors, rank(), turn};
        auto const lost_survivor = [&](rank_t r) {
            return lost(of.survivors[static_cast<std::size_t>(r)]);
        };
        return make_shared_object<transport>(met, steady::time_point::max(),
                                             after_loss{lost_survivor, of.lock});
    }

private:
    /// Returns once `ready(r)` holds for all other ranks below. Throws timeout_error.
    template <class Ready>
    void wait_for(rank_t below, steady::time_point until, std::optional<after_loss> after,
                  Ready const& ready) {
        for (rank_t r = 0; r < below; ++r) {
            while (r != rank() && !ready(r)) {
                if (after && (!way().can_reach(r) || after->lost(r))) {
                    way().lose(r);
                    break;
                }
                if (way().progress() || way().progress_control()) { continue; }
                if (steady::now() >= until) {
                    throw timeout_error(
                        text_of("rank ", rank(), ", connecting: time ran out; rank ", r,
                                " has not come, or reaches this rank by no way that UCX_TLS allows "
                                "there ",
                                detail::about_containers),
                        {});
                }
                nap(after ? after->lock : lock(), std::chrono::microseconds(20));
            }
        }
    }
    /// Other threads of the rank may have the lock meanwhile.
    static void nap(progress_lock& lock, std::chrono::nanoseconds time) {
        progress_lock::unlocked pause(lock);
        pause.begin();
        collectives::detail::sleep_in_call(time);
    }
};

}  // namespace collectives::ucx
