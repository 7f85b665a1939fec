// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.hpp"

#include "../overlap.hpp"
#include "../sampling.hpp"
#include "links.hpp"
#include "message_board.hpp"
#include "our_call.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace coll_perf {
namespace {

/// The vectors of one case on one rank.
class vectors {
public:
    vectors(coll::communicator& me, settings const& how, std::size_t bytes) {
        if (how.allocated) {
            reachable_.emplace(me.allocate<std::byte>(bytes));
        } else {
            own_.emplace(bytes);
        }
    }
    std::byte* data() { return own_ ? own_->data() : reachable_->data(); }

private:
    std::optional<coll::buffer<std::byte>> reachable_;
    std::optional<private_memory> own_;
};

struct call_of {
    our_call* its;
    void operator()(std::byte* in, std::size_t in_count, std::byte* out,
                    std::size_t out_count) const {
        (*its)(in, in_count, out, out_count);
    }
    void prepare() const { its->prepare(); }
};

/// The one sample that a job has of its own beginning.
template <class Meeting>
case_result creation_of(job_rank const& me, Meeting& meeting) {
    auto const rank = me.comm.rank();
    meeting.time(figure::sample, rank, 0) = me.seconds;
    meeting.collect();
    case_result r;
    if (rank == 0) {
        r.samples = {slowest(meeting, figure::sample, 0) * 1e9};
        for (int other = 0; other < me.comm.size(); ++other) {
            r.ranks.push_back(mean(meeting, figure::sample, other, 1) * 1e9);
        }
    }
    r.pinned = static_cast<int>(meeting.sum(rank, on_one_core() ? 1 : 0));
    return r;
}

/// What the calls of a case send, over their vectors at `places` in `memory`.
template <class Meeting>
std::vector<double> traffic_of(links& its, coll::communicator& me, Meeting& meeting,
                               settings const& how, measured_case const& c, shape const& at,
                               std::function<std::byte*(shape::part const&)> const& place) {
    vectors room(me, how, 2 * links::room_for(c));
    std::fill_n(room.data(), 2 * links::room_for(c), std::byte{1});
    return its.measure(
        c, room.data(), [&] { meeting.meet(); },
        [&](coll::communicator& over) -> std::function<void()> {
            auto const call = std::make_shared<our_call>(over, how, c);
            return [&, call] { (*call)(place(at.in), at.in.count, place(at.out), at.out.count); };
        });
}

template <class Meeting>
case_result measure_case(job_rank const& me, Meeting& meeting, links& its, settings const& how,
                         measured_case const& c) {
    auto const what = kind::of(c.collective);
    if (what.how == form::creation) { return creation_of(me, meeting); }
    auto const rank = me.comm.rank();
    slots const places(how, c);
    vectors memory(me.comm, how, places.bytes());
    our_call call(me.comm, how, c);
    if (auto why = call.missing(); !why.empty()) {
        case_result none;
        none.missing = std::move(why);
        return none;
    }
    auto const& check = find_type(c.type).find(c.op)->check;
    sampling one(meeting, rank, how, c, check, memory.data(), call_of{&call});
    auto result = one.run(0);
    auto const at = shape::of(what, c.count, c.in_place, rank, how.ranks, c.root);
    auto const place = [&](shape::part const& p) {
        return places.vector(memory.data(), 0, p.vector) + p.first * c.element;
    };
    if (how.bound && what.is_sized()) {
        result.traffic = traffic_of(its, me.comm, meeting, how, c, at, place);
    }
    if (what.how != form::started) { return result; }
    double pure = 0;
    for (auto const t : result.ranks) { pure += t / how.ranks; }
    result.overlap = measure_overlap(
        meeting, rank, how.ranks, one.iterations(), pure, how.tests,
        [&] { return call.start(place(at.in), at.in.count, place(at.out), at.out.count); });
    return result;
}

}  // namespace

template <class Meeting>
void measure_on_rank(job_rank const& me, Meeting& meeting, settings const& how,
                     std::vector<measured_case> const& cases, tell_function const& tell) try {
    // Only now: a communicator looks at its start how many cores it may use.
    bind_rank(how.places, me.comm.rank());
    links its(me.comm);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        auto result = measure_case(me, meeting, its, how, cases[i]);
        result.index = i;
        if (me.comm.rank() == 0) { tell(as_text(result)); }
    }
} catch (...) {
    meeting.give_up();
    throw;
}

template void measure_on_rank(job_rank const&, board&, settings const&,
                              std::vector<measured_case> const&, tell_function const&);
template void measure_on_rank(job_rank const&, message_board&, settings const&,
                              std::vector<measured_case> const&, tell_function const&);

}  // namespace coll_perf
