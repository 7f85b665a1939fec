// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks, and the barrier that says who does not come.
#pragma once

#include "moves.hpp"

#include <collectives/run/pair_message.hpp>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace collectives_torch {

inline void require_peer(group const& g, int peer) {
    TORCH_CHECK(peer >= 0 && peer < g.size(), "collectives: rank ", peer, " is none of ", g.size());
}

inline c10::intrusive_ptr<c10d::Work> send_to(group& g, at::Tensor const& t, int to, int tag) {
    require_peer(g, to);
    return g.call({c10d::OpType::SEND, "send"}, t, {}, true, [&](call_parts& parts) {
        flat memory(t, flat::use::read);
        parts.under_way.push_back(g.start_pair(collective::send, memory.span(), to, tag));
        keep(parts, std::move(memory));
    });
}

inline c10::intrusive_ptr<c10d::Work> receive_from(group& g, at::Tensor const& t, int from,
                                                   int tag) {
    require_peer(g, from);
    return g.call({c10d::OpType::RECV, "recv"}, t, t, true, [&](call_parts& parts) {
        flat memory(t, flat::use::write);
        parts.under_way.push_back(g.start_pair(collective::recv, memory.span(), from, tag));
        parts.of->set_source(from);
        put_back_after(parts, std::move(memory));
    });
}

/// The rank of which a message under this tag waits here; -1: none does.
inline int next_sender(group& g, int tag) {
    auto& engine = g.core().engine();
    auto const held = engine.lock();
    engine.require_usable(collective::recv);
    engine.shared()->progress();
    auto const its_tag = coll::detail::pair_tag(engine.context(), tag);
    for (int r = 0; r < g.size(); ++r) {
        if (engine.carrier().probe(engine.group().job_rank(r), its_tag)) { return r; }
    }
    return -1;
}

/// Throws where nobody is left who could send. Looks at the other processes now and then.
class lookout {
public:
    explicit lookout(group& g) : of_(&g), until_(coll::steady::now() + g.time()) {}

    void look(int tag) {
        auto const now = coll::steady::now();
        if (now < next_) { return; }
        next_ = now + std::chrono::milliseconds(20);
        auto const what = coll::text_of("rank ", of_->rank(), ", recvAnySource, tag ", tag, ": ");
        if (now >= until_) {
            throw coll::timeout_error(
                coll::text_of(what, "no rank sent anything in ", of_->time().count(), " ms"), {});
        }
        auto& engine = of_->core().engine();
        auto const held = engine.lock();
        int gone = 0, last = -1;
        for (int r = 0; r < of_->size(); ++r) {
            if (r == of_->rank() || !engine.carrier().gone(engine.group().job_rank(r))) {
                continue;
            }
            ++gone;
            last = r;
        }
        if (gone != 0 && gone == of_->size() - 1) {
            throw coll::peer_lost_error(
                coll::text_of(what, "all other ranks have gone, rank ", last, " too"), last);
        }
    }

private:
    group* of_;
    coll::steady::time_point until_, next_{};
};

/// Waits, as every call, with the group's time; then it is the caller's that fails, not the group.
inline c10::intrusive_ptr<c10d::Work> receive_from_anybody(group& g, at::Tensor const& t, int tag) {
    constexpr call_name name{c10d::OpType::RECVANYSOURCE, "recvAnySource"};
    return g.call(name, t, t, true, [&](call_parts& parts) {
        auto const memory = std::make_shared<flat>(t, flat::use::write);
        parts.before = [&g, &w = *parts.of, memory, tag, guard = lookout(g)]() mutable {
            auto const from = next_sender(g, tag);
            if (from < 0) { return guard.look(tag), false; }
            w.set_source(from);
            w.go_on_with(g.start_pair(collective::recv, memory->span(), from, tag));
            return true;
        };
        parts.kept.push_back(memory);
        if (memory->is_copy()) {
            add_after(parts, [memory] { memory->put_back(); });
        }
    });
}

/// Waits in the store until a key is there. Returns whether it came in time.
inline bool comes_in_time(c10d::Store& store, std::string const& key,
                          coll::steady::time_point until) {
    for (;;) {
        if (store.check({key})) { return true; }
        if (coll::steady::now() >= until) { return false; }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

/// Ranks report to rank 0 through the store, which then lets them pass, or says who did not come.
/// The group stays usable. Its words are those by which programs know Gloo's.
inline void wait_at_monitored_barrier(group& g, c10d::Store& store, std::uint64_t number,
                                      std::chrono::milliseconds time, bool wait_all_ranks) {
    auto const until = coll::steady::now() + time;
    auto const key = [&](std::string const& of) {
        return coll::text_of("monitored barrier ", number, ", ", of);
    };
    auto const of_rank = [&](int r) { return key(coll::text_of("rank ", r)); };
    auto const refuse = [&](std::string const& text) {
        C10_THROW_ERROR(DistBackendError, "collectives, group " + g.name() + ": " + text);
    };
    if (g.rank() != 0) {
        store.set(of_rank(g.rank()), std::vector<std::uint8_t>{1});
        auto const came = comes_in_time(store, key("verdict"), until);
        if (came && store.get(key("verdict")).front() == 1) { return; }
        refuse(coll::text_of("Rank ", g.rank(),
                             " successfully reached monitoredBarrier, but received "
                             "errors while waiting for send/recv from rank 0: ",
                             came ? "a rank did not come" : "it did not answer in time"));
    }
    std::vector<int> missing;
    for (int r = 1; r < g.size(); ++r) {
        if (comes_in_time(store, of_rank(r), until)) { continue; }
        missing.push_back(r);
        if (!wait_all_ranks) { break; }
    }
    auto const passes = missing.empty() ? std::uint8_t{1} : std::uint8_t{2};
    store.set(key("verdict"), std::vector<std::uint8_t>{passes});
    if (missing.empty()) { return; }
    std::string ranks;
    for (auto const r : missing) { ranks += coll::text_of(ranks.empty() ? "" : ", ", r); }
    if (time == std::chrono::milliseconds(0)) {
        refuse(coll::text_of("Rank 0 timed out in monitoredBarrier after 0 ms; missing ", ranks));
    }
    refuse(coll::text_of(missing.size() == 1 ? "Rank " : "Ranks ", ranks,
                         " failed to pass monitoredBarrier in ", time.count(), " ms"));
}

}  // namespace collectives_torch
