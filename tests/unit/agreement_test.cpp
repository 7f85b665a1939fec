// SPDX-License-Identifier: BSD-3-Clause
// How ranks agree by messages on who goes on after a loss: whatever is late or lost and whoever
// dies meanwhile, no two ranks decide differently.
#include <collectives/transport/wire/agreement.hpp>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace coll = collectives;
using coll::wire::agreement;
using coll::wire::agreement_message;
using rank_list = std::vector<coll::rank_t>;

namespace {

/// Ranks whose messages travel in order between any two of them, each pair at its own pace.
class network {
public:
    explicit network(int size) : size_(size), lives_(static_cast<std::size_t>(size), true) {
        for (coll::rank_t r = 0; r < size; ++r) {
            parts_.push_back(std::make_unique<agreement>(
                size, r, [this, r](coll::rank_t to, agreement_message const& m) {
                    if (lives(r)) { way(r, to).push_back(m); }
                }));
        }
        ways_.resize(static_cast<std::size_t>(size * size));
        decided_.resize(static_cast<std::size_t>(size));
    }

    int size() const { return size_; }
    bool lives(coll::rank_t r) const { return lives_[static_cast<std::size_t>(r)]; }
    /// The rank dies. Of what it has sent, `kept` messages per peer still arrive.
    void kill(coll::rank_t r, std::size_t kept) {
        lives_[static_cast<std::size_t>(r)] = false;
        for (coll::rank_t to = 0; to < size_; ++to) {
            auto& w = way(r, to);
            w.resize(std::min(w.size(), kept));
        }
    }
    void deliver(coll::rank_t from, coll::rank_t to) {
        auto& w = way(from, to);
        if (w.empty()) { return; }
        auto const m = w.front();
        w.pop_front();
        if (lives(to)) { part(to).receive(from, m); }
    }
    /// A turn of rank r, for which those above `latest` are late.
    void step(coll::rank_t r, coll::rank_t latest) {
        if (!lives(r)) { return; }
        auto const lost = [&](coll::rank_t peer) { return peer > latest || !lives(peer); };
        auto const now = coll::steady::time_point(std::chrono::hours(1)) + time_;
        auto const found = part(r).step(now, lost);
        if (found && coll::may_go_on(*found, size_)) { decided(r) = *found; }
    }
    void pass(std::chrono::milliseconds time) { time_ += time; }
    rank_list silent_to(coll::rank_t r) { return part(r).silent(); }
    std::optional<rank_list>& decided(coll::rank_t r) {
        return decided_[static_cast<std::size_t>(r)];
    }

private:
    std::deque<agreement_message>& way(coll::rank_t from, coll::rank_t to) {
        return ways_[static_cast<std::size_t>(from * size_ + to)];
    }
    agreement& part(coll::rank_t r) { return *parts_[static_cast<std::size_t>(r)]; }

    int size_;
    std::vector<bool> lives_;
    std::vector<std::unique_ptr<agreement>> parts_;
    std::vector<std::deque<agreement_message>> ways_;
    std::vector<std::optional<rank_list>> decided_;
    std::chrono::milliseconds time_{0};
};

/// Everything that was sent arrives, and each rank has its turns, until the living have decided.
bool settles(network& net) {
    auto const n = net.size();
    for (int turn = 0; turn < 200; ++turn) {
        for (coll::rank_t r = 0; r < n; ++r) { net.step(r, turn > 20 ? -1 : n); }
        for (coll::rank_t i = 0; i < n * n; ++i) {
            for (int k = 0; k < 20; ++k) { net.deliver(i / n, i % n); }
        }
        net.pass(std::chrono::milliseconds(20));
        auto all = true;
        for (coll::rank_t r = 0; r < n; ++r) { all = all && (!net.lives(r) || net.decided(r)); }
        if (all) { return true; }
    }
    return false;
}

}  // namespace

TEST_CASE("all ranks decide on all of them where nobody is lost") {
    for (int n = 1; n <= 9; ++n) {
        network net(n);
        REQUIRE(settles(net));
        for (coll::rank_t r = 0; r < n; ++r) {
            CHECK_EQ(net.decided(r)->size(), static_cast<std::size_t>(n));
        }
    }
}

TEST_CASE("the dead are left out") {
    network net(5);
    net.kill(0, 0);
    net.kill(3, 0);
    REQUIRE(settles(net));
    for (coll::rank_t const r : {1, 2, 4}) { CHECK_EQ(*net.decided(r), rank_list{1, 2, 4}); }
}

TEST_CASE("who came and then answers no more is known") {
    network net(4);
    auto const turns = [&](int n) {
        for (int turn = 0; turn < n; ++turn) {
            for (coll::rank_t r = 0; r < 4; ++r) { net.step(r, 4); }
            for (coll::rank_t i = 0; i < 16; ++i) { net.deliver(i / 4, i % 4); }
            net.pass(std::chrono::milliseconds(20));
        }
    };
    turns(1);  // all have said that they go on
    for (coll::rank_t const r : {1, 2, 3}) { net.kill(r, 0); }
    turns(30);
    CHECK_FALSE(net.decided(0).has_value());
    CHECK_EQ(net.silent_to(0), rank_list{1, 2, 3});
}

namespace {

/// Ranks have their turns and messages arrive in any order while some ranks die; then what is left
/// settles. Throws what rapidcheck throws where ranks decide differently.
void play(int n, std::mt19937& dice) {
    auto const below = [&](int limit) { return std::uniform_int_distribution(0, limit - 1)(dice); };
    network net(n);
    for (int turn = 0, deaths = 0; turn < 600; ++turn) {
        auto const r = below(n);
        switch (below(40)) {
            case 0:
                if (deaths < (n - 1) / 2 && net.lives(r)) {
                    net.kill(r, static_cast<std::size_t>(below(3)));
                    ++deaths;
                }
                break;
            case 1:
            case 2: net.pass(std::chrono::milliseconds(below(100))); break;
            default:
                if (below(3) == 0) {
                    net.step(r, below(4) == 0 ? below(n) : n);
                } else {
                    net.deliver(r, below(n));
                }
        }
    }
    RC_ASSERT(settles(net));
    std::optional<rank_list> first;
    for (coll::rank_t r = 0; r < n; ++r) {
        if (!net.decided(r)) { continue; }
        if (!first) { first = net.decided(r); }
        RC_ASSERT(*net.decided(r) == *first);
        RC_ASSERT(coll::may_go_on(*first, n));
    }
    RC_ASSERT(first.has_value());
}

}  // namespace

TEST_CASE("no two ranks decide differently, whoever dies and in whatever order messages come") {
    CHECK(rc::check([] {
        auto const n = *rc::gen::inRange(2, 8);
        std::mt19937 dice(*rc::gen::arbitrary<unsigned>());
        for (int game = 0; game < 20; ++game) { play(n, dice); }
    }));
}
