// SPDX-License-Identifier: BSD-3-Clause
// A link between threads, for the transport over a message-passing library without such a library.
// It is as unkind as a link may be: a long message stays in its sender's memory until the receive
// is there, and agreed messages go in many fragments.
#pragma once

#include <collectives/transport/wire/transport.hpp>

#include <conformance/delays.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace conformance {

/// What is under way between all ranks.
struct thread_post {
    /// A send or a receive that has not met the other.
    struct parcel {
        int from = -1, to = -1;
        std::uint64_t tag = 0;
        bool is_word = false;
        std::byte const* data = nullptr;
        std::byte* room = nullptr;
        std::size_t bytes = 0;
        std::vector<std::byte> kept;  // a short message, so that its sender may go on
        coll::wire::arrival came;
        std::atomic<bool> done{false};  // looked at without the guard: then `came` is there
    };
    using item = std::shared_ptr<parcel>;

    explicit thread_post(int size) : closed(static_cast<std::size_t>(size)) {}

    static bool fit(parcel const& sent, parcel const& awaited) {
        return sent.is_word == awaited.is_word && sent.to == awaited.to &&
               sent.tag == awaited.tag && (awaited.from < 0 || sent.from == awaited.from);
    }
    static void deliver(parcel& sent, parcel& awaited) {
        auto const n = std::min(sent.bytes, awaited.bytes);
        auto const* const from = sent.kept.empty() ? sent.data : sent.kept.data();
        if (n != 0) { std::memcpy(awaited.room, from, n); }
        awaited.came = {n, sent.bytes > awaited.bytes};
        sent.done.store(true, std::memory_order_release);
        awaited.done.store(true, std::memory_order_release);
    }
    void send(item p) {
        std::lock_guard const lock(guard);
        auto const found = std::find_if(awaited.begin(), awaited.end(),
                                        [&](auto const& a) { return fit(*p, *a); });
        if (found != awaited.end()) {
            deliver(*p, **found);
            awaited.erase(found);
            return;
        }
        constexpr std::size_t short_bytes = 1000;
        if (p->bytes <= short_bytes || p->is_word) {
            p->kept.assign(p->data, p->data + p->bytes);
            p->done = true;
        }
        sent.push_back(std::move(p));
    }
    bool waits(int from, int to, std::uint64_t tag) {
        std::lock_guard const lock(guard);
        return std::any_of(sent.begin(), sent.end(), [&](auto const& s) {
            return !s->is_word && s->from == from && s->to == to && s->tag == tag;
        });
    }
    void receive(item p) {
        std::lock_guard const lock(guard);
        auto const found =
            std::find_if(sent.begin(), sent.end(), [&](auto const& s) { return fit(*s, *p); });
        if (found == sent.end()) {
            awaited.push_back(std::move(p));
            return;
        }
        deliver(**found, *p);
        sent.erase(found);
    }

    std::mutex guard;
    std::list<item> sent, awaited;
    std::vector<std::atomic<bool>> closed;
};

/// Models wire::link.
class thread_link {
public:
    using handle = thread_post::item;

    thread_link(std::shared_ptr<thread_post> post, int rank)
        : post_(std::move(post)), size_(static_cast<int>(post_->closed.size())), rank_(rank) {}

    coll::rank_t rank() const { return rank_; }
    int size() const { return size_; }
    int processors() const { return 2; }
    std::uint64_t job() const { return 7; }
    std::size_t largest_fragment(std::size_t bytes, bool agreed) const {
        return agreed && bytes < 20'000 ? 3'001 : 70'001;
    }

    handle send(std::byte const* data, std::size_t bytes, coll::rank_t to, std::uint64_t tag) {
        delays::moment(64);
        return post_send(data, bytes, to, tag, false);
    }
    handle receive(std::byte* data, std::size_t bytes, coll::rank_t from, std::uint64_t tag) {
        delays::moment(64);
        return post_receive(data, bytes, from, tag, false);
    }
    bool waits(coll::rank_t from, std::uint64_t tag) { return post_->waits(from, rank_, tag); }
    handle send_control(std::byte const* data, std::size_t bytes, coll::rank_t to) {
        return post_send(data, bytes, to, 0, true);
    }
    handle receive_control(std::byte* data, std::size_t bytes) {
        return post_receive(data, bytes, -1, 0, true);
    }
    bool test(handle& h, coll::wire::arrival& in) {
        if (!h) { return true; }
        if (!h->done.load(std::memory_order_acquire)) { return false; }
        in = h->came;
        h.reset();
        return true;
    }
    bool take_back(handle& h, coll::wire::grace const&) {
        if (h) {
            take_out([&](auto const& p) { return p == h; });
        }
        h.reset();
        return true;
    }

    bool progress() { return false; }
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        if (ready()) { return; }
        std::this_thread::sleep_for(
            std::min<std::chrono::nanoseconds>(time, std::chrono::microseconds(50)));
    }
    std::optional<coll::peer_exit> gone(coll::rank_t r) const {
        return post_->closed[static_cast<std::size_t>(r)] ? std::optional(coll::peer_exit{})
                                                          : std::nullopt;
    }
    bool usable() const { return true; }
    bool can_reach(coll::rank_t r) const { return !gone(r); }
    bool notices_deaths() const { return true; }
    bool progress_control() { return false; }
    bool drop_data() {
        take_out([&](auto const& p) { return !p->is_word && is_own(*p); });
        return true;
    }
    bool close(bool) {
        take_out([&](auto const& p) { return !p->is_word && is_own(*p); });
        std::lock_guard const lock(post_->guard);
        post_->closed[static_cast<std::size_t>(rank_)] = true;
        return true;
    }

private:
    bool is_own(thread_post::parcel const& p) const {
        return p.room == nullptr ? p.from == rank_ && !p.done : p.to == rank_;
    }
    template <class Which>
    void take_out(Which&& which) {
        std::lock_guard const lock(post_->guard);
        std::erase_if(post_->sent, which);
        std::erase_if(post_->awaited, which);
    }
    handle post_send(std::byte const* data, std::size_t bytes, int to, std::uint64_t tag,
                     bool is_word) {
        auto p = std::make_shared<thread_post::parcel>();
        p->from = rank_;
        p->to = to;
        p->tag = tag;
        p->is_word = is_word;
        p->data = data;
        p->bytes = bytes;
        post_->send(p);
        return p;
    }
    handle post_receive(std::byte* data, std::size_t bytes, int from, std::uint64_t tag,
                        bool is_word) {
        auto p = std::make_shared<thread_post::parcel>();
        p->from = from;
        p->to = rank_;
        p->tag = tag;
        p->is_word = is_word;
        p->room = data;
        p->bytes = bytes;
        post_->receive(p);
        return p;
    }

    std::shared_ptr<thread_post> post_;
    int size_, rank_;
};

struct over_thread_link {
    using transport = coll::wire::transport<thread_link>;
    template <class F>
    static void run(int size, F const& f) {
        auto const post = std::make_shared<thread_post>(size);
        run_late(
            size,
            [&](int r) {
                return std::make_shared<transport>(std::make_unique<thread_link>(post, r));
            },
            [&](std::shared_ptr<transport> t) {
                coll::communicator comm(coll::erase(std::move(t)));
                f(comm);
            });
    }
};

}  // namespace conformance
