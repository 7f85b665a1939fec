// SPDX-License-Identifier: BSD-3-Clause
// Ranks that come late, and that stop for a moment in the middle of a call. So a wait that is
// missing shows as a wrong result, and not once in a thousand runs.
#pragma once

#include <collectives/transport/adapted.hpp>
#include <collectives/transport/model.hpp>
#include <collectives/transport/shared/heap_memory.hpp>
#include <collectives/transport/threads.hpp>

#include <conformance/world.hpp>

#include <chrono>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace conformance {

/// Stops the calling thread for a moment, now and then: each thread has its own sequence.
class delays {
public:
    static void seed(std::uint64_t number) { state() = scramble(number); }
    /// Has the calling thread stop for so long where it calls `stop` next.
    static void make_next(std::chrono::milliseconds time) { next() = time; }
    static void stop() {
        if (next() != std::chrono::milliseconds(0)) {
            std::this_thread::sleep_for(std::exchange(next(), std::chrono::milliseconds(0)));
        }
    }
    /// In the middle of a call: one time in `rare` for up to 0.2 ms.
    static void moment(std::uint64_t rare = 8) {
        auto const x = state() = scramble(state());
        if (x % rare == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(x / rare % 200));
        } else if (x % 3 == 0) {
            std::this_thread::yield();
        }
    }

private:
    static std::uint64_t& state() {
        thread_local std::uint64_t x = 1;
        return x;
    }
    static std::chrono::milliseconds& next() {
        thread_local std::chrono::milliseconds time{0};
        return time;
    }
};

/// The memory of threads, of which peers reach no more than what was allocated from it: as between
/// processes. So private vectors of threads are staged, or streamed through slots. As there, memory
/// that was given back stays mapped, but what was in it is lost at once.
class partly_reachable : public coll::shared::heap_memory {
public:
    static constexpr bool always_reachable = false;

    /// A rank lends its private memory every other time, whatever its peers measure. Peers copy it
    /// then, as the kernel does between processes.
    class unreached {
    public:
        unreached(coll::shared::state, coll::rank_t me) : me_(me) {}
        static constexpr bool is_open() { return true; }
        static constexpr bool lends(void const*, std::size_t) { return true; }
        bool prefers_lent(coll::rank_t reader, coll::lending_case) const {
            last_asked = reader;
            return ++asked_ % 2 == 0;
        }
        void note_reading(coll::lending_case, coll::reading how, std::chrono::nanoseconds) const {
            noted[static_cast<std::size_t>(me_)][static_cast<std::size_t>(how)] += 1;
        }
        /// How often each rank has noted a reading of each kind, and whom this thread asked last.
        static inline std::array<std::array<std::atomic<int>, 3>, 16> noted{};
        static inline thread_local coll::rank_t last_asked = -1;

        bool copy(coll::rank_t, std::uint64_t address, std::byte* to, std::size_t bytes) const {
            std::memcpy(to, reinterpret_cast<void const*>(address), bytes);
            return true;
        }
        bool fetch(coll::rank_t from, std::uint64_t address, std::byte* to,
                   std::size_t bytes) const {
            return copy(from, address, to, bytes);
        }
        bool put(coll::rank_t, std::uint64_t address, std::byte const* from,
                 std::size_t bytes) const {
            std::memcpy(reinterpret_cast<void*>(address), from, bytes);
            ++puts;
            return true;
        }
        static inline std::atomic<int> puts{0};  ///< how often a rank has written to a peer

    private:
        coll::rank_t me_;
        mutable unsigned asked_ = 0;
    };

    partly_reachable(coll::shared::heap_memory) {}  // NOLINT: a job makes it from that
    void* allocate(std::size_t bytes) {
        std::lock_guard const lock(all().guard);
        auto const kept = all().free.lower_bound(bytes);
        if (kept == all().free.end() || kept->first > 2 * bytes) {
            auto* const p = static_cast<std::byte*>(heap_memory::allocate(bytes));
            all().used[p] = bytes;
            return p;
        }
        auto* const p = kept->second;
        all().used[p] = kept->first;
        all().free.erase(kept);
        std::memset(p, 0, bytes);
        return p;
    }
    void deallocate(void* what, std::size_t) {
        std::lock_guard const lock(all().guard);
        auto const found = all().used.find(static_cast<std::byte*>(what));
        auto const [p, bytes] = *found;
        std::memset(p, 0xdd, bytes);
        all().free.emplace(bytes, p);
        all().used.erase(found);
    }
    std::uint64_t reach(void const* what, std::size_t bytes) const {
        auto* const first = static_cast<std::byte*>(const_cast<void*>(what));
        std::lock_guard const lock(all().guard);
        auto after = all().used.upper_bound(first);
        auto const is_known = after != all().used.begin() &&
                              first + bytes <= std::prev(after)->first + std::prev(after)->second;
        return is_known || reaches_all ? heap_memory::reach(what, bytes) : 0;
    }

    /// Whether peers reach the calling thread's private memory too.
    static inline thread_local bool reaches_all = false;

private:
    struct stretches {
        std::mutex guard;
        std::map<std::byte*, std::size_t> used;
        std::multimap<std::size_t, std::byte*> free;
    };
    static stretches& all() {
        static auto& known = *new stretches;  // for ever
        return known;
    }
};

/// A transport whose ranks stop for a moment before they read or write a peer's memory.
class late_transport : public coll::shared::shared_transport<partly_reachable> {
public:
    using shared_transport::shared_transport;
    void enter_memory() {
        delays::moment();
        delays::stop();
        shared_transport::enter_memory();
    }
};

/// An adaptor whose ranks stop for a moment before they send, or look for what has come.
class late_messages final : public coll::adapted {
public:
    using adapted::adapted;

    void isend(coll::outgoing const& out, coll::any_request& r) override {
        delays::moment(16);
        base().isend(out, r);
    }
    void irecv(coll::incoming const& in, coll::any_request& r) override {
        delays::moment(16);
        base().irecv(in, r);
        delays::stop();
    }
};
struct late {
    std::shared_ptr<coll::any_transport> operator()(
        std::shared_ptr<coll::any_transport> base) const {
        return std::make_shared<late_messages>(std::move(base));
    }
};

/// Calls f(transport) for each rank, on a thread of its own; throws what the first of them threw.
template <class MakeTransport, class F>
void run_late(int size, MakeTransport&& make, F const& f) {
    std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(size));
    std::vector<std::thread> ranks;
    std::mutex guard;
    std::exception_ptr first;
    for (int r = 0; r < size; ++r) {
        ranks.emplace_back([&, r] {
            delays::seed(static_cast<std::uint64_t>(r));
            try {
                f(make(r));
            } catch (...) {
                std::lock_guard const lock(guard);
                if (!first) { first = std::current_exception(); }
            }
        });
    }
    for (auto& t : ranks) { t.join(); }
    if (first) { std::rethrow_exception(first); }
}

struct over_late_threads {
    template <class F>
    static void run(int size, F const& f) {
        coll::threads::job const job(size);
        run_late(
            size, [&](int r) { return job.rank<late_transport>(r); },
            [&](std::shared_ptr<late_transport> t) {
                auto const me = t->rank();
                try {
                    coll::communicator comm(coll::erase(std::move(t)));
                    f(comm);
                } catch (...) {
                    job.state().note_failure(me);
                    job.state().depart(me, coll::shared::life::left, 0);
                    throw;
                }
                job.state().depart(me, coll::shared::life::left, 0);
            });
    }
};

}  // namespace conformance
