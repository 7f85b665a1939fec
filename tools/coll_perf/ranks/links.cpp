// SPDX-License-Identifier: BSD-3-Clause
#include "links.hpp"

#include <collectives/communicator/core.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <span>

namespace coll_perf {

std::size_t links::room_for(measured_case const& c) {
    return std::max(c.bytes(), std::size_t{1} << 20);
}

std::vector<double> links::measure(measured_case const& c, std::byte* room,
                                   std::function<void()> const& meet, find_call const& find) {
    traffic its;
    auto const what = kind::of(c.collective);
    if (what.parts == 1 && what.how < form::split) {  // else a sample is a part of a call
        if (!counting_) { counting_.emplace(of_.with(counts_)); }
        auto const call = find(*counting_);
        call();  // the first one may plan
        meet();
        counts_.reset();
        call();
        std::array<double, 2> most{static_cast<double>(counts_.sent()),
                                   static_cast<double>(counts_.messages())};
        of_.all_reduce(most, coll::max{});
        its.sent = most[0];
        its.messages = most[1];
    }
    if (of_.size() > 1 && what.is_sized()) { its.link = rate(c, room, meet); }
    its.hosts = hosts();
    return {its.sent, its.messages, its.link, its.hosts};
}

/// Every rank sends to the next one while it receives from the one before, as in a ring.
double links::rate(measured_case const& c, std::byte* room, std::function<void()> const& meet) {
    constexpr int turns = 6;
    constexpr double longest = 2e9;  // nanoseconds; the links may be slow
    auto const bytes = room_for(c);
    std::span const out(room, bytes), in(room + bytes, bytes);
    auto const rank = of_.rank(), size = of_.size();
    std::vector<double> took;
    double total = 0;
    for (int i = 0; i < turns && total < longest; ++i) {
        meet();
        auto const start = std::chrono::steady_clock::now();
        of_.send_recv(out, (rank + 1) % size, in, (rank + size - 1) % size);
        std::chrono::duration<double, std::nano> const time =
            std::chrono::steady_clock::now() - start;
        std::array<double, 1> slowest{time.count()};
        of_.all_reduce(slowest, coll::max{});  // so that all go on, or none
        total += slowest[0];
        if (i > 0 || total >= longest) { took.push_back(slowest[0]); }
    }
    // The best one: other work on the machine only makes them longer.
    return static_cast<double>(bytes) / *std::min_element(took.begin(), took.end());
}

double links::hosts() const {
    auto& engine = core_of(of_)->engine();
    if (engine.carrier().host(engine.carrier().rank()) < 0) { return 0; }
    std::set<int> all;
    for (int r = 0; r < of_.size(); ++r) {
        all.insert(engine.carrier().host(engine.group().job_rank(r)));
    }
    return static_cast<double>(all.size());
}

}  // namespace coll_perf
