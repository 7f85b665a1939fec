// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.hpp"

#include "../overlap.hpp"
#include "../sampling.hpp"
#include "../traces.hpp"
#include "../../launched/mpi_loop.hpp"
#include "bare_loop.hpp"
#include "kernel_loop.hpp"
#include "links.hpp"
#include "message_board.hpp"
#include "our_call.hpp"
#include "recorder.hpp"

#include <collectives/communicator/core.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
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
    std::function<void()> bare;
    void operator()(std::byte* in, std::size_t in_count, std::byte* out,
                    std::size_t out_count) const {
        (*its)(in, in_count, out, out_count);
    }
    void prepare() const { its->prepare(); }
    auto start(std::byte* in, std::size_t in_count, std::byte* out, std::size_t out_count) const {
        return its->start(in, in_count, out, out_count);
    }
    bool has_loop() const { return bare != nullptr; }
    void loop() const { bare(); }
};

/// A rank makes these once, and uses them in each case.
struct instruments {
    explicit instruments(coll::communicator& of) : its_links(of), its_recorder(of) {}
    links its_links;
    recorder its_recorder;
};

using trace_function = std::function<void(std::vector<coll::trace_event> const&)>;

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

/// What the calls of a case send.
std::vector<double> traffic_of(links& its, coll::communicator& me, settings const& how,
                               measured_case const& c, std::function<void()> const& meet,
                               find_call const& find) {
    vectors room(me, how, 2 * links::room_for(c));
    std::fill_n(room.data(), 2 * links::room_for(c), std::byte{1});
    return its.measure(c, room.data(), meet, find);
}

/// What moves a call's messages without the library: the kernel between processes that share
/// memory, else the MPI. Collective.
std::function<void()> bare_loop(coll::communicator& comm,
                                std::vector<launched::loop_message> messages,
                                kernel_loop::case_memory const& of, bool yields) {
    if (core_of(comm)->engine().carrier().memory() == nullptr) {
        return launched::mpi_loop(comm.size(), std::move(messages), yields);
    }
    auto const its = std::make_shared<kernel_loop>(comm, std::move(messages), of, yields);
    return [its] { (*its)(); };
}

/// Whether a sample is one call, whose messages can be recorded.
bool may_record(kind const& what, int ranks) {
    return what.parts == 1 && what.how < form::split && ranks > 1;
}

template <class Meeting>
case_result measure_case(job_rank const& me, Meeting& meeting, instruments& with,
                         settings const& how, measured_case const& c, trace_function const& trace) {
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
    auto const at = shape::of(what, c.count, c.in_place, rank, how.ranks, c.root);
    auto const place = [&](shape::part const& p) {
        return places.vector(memory.data(), 0, p.vector) + p.first * c.element;
    };
    auto const meet = [&] { meeting.meet(); };
    find_call const find = [&](coll::communicator& over) -> std::function<void()> {
        auto const its = std::make_shared<our_call>(over, how, c);
        return [&, its] { (*its)(place(at.in), at.in.count, place(at.out), at.out.count); };
    };
    std::function<void()> bare;
    if (how.loop && may_record(what, how.ranks)) {
        std::fill_n(memory.data(), places.bytes(), std::byte{1});
        auto const all = [&](shape::part const& p) {
            return std::span(place(p), p.count * c.element);
        };
        bare = bare_loop(me.comm, messages_of(with.its_recorder.record(meet, find)),
                         {all(at.in), all(at.out), all(at.own_in), all(at.own_out)},
                         !meeting.core_per_rank());
    }
    auto const& check = find_type(c.type).find(c.op)->check;
    sampling one(meeting, rank, how, c, check, memory.data(), call_of{&call, bare});
    auto result = one.run(0);
    if (how.bound && what.is_sized()) {
        result.traffic = traffic_of(with.its_links, me.comm, how, c, meet, find);
    }
    if (how.trace && may_record(what, how.ranks)) {
        trace(with.its_recorder.gather(with.its_recorder.record(meet, find)));
    }
    if (what.how == form::started) {
        result.overlap = measure_overlap(meeting, rank, how, one, result);
    }
    return result;
}

}  // namespace

template <class Meeting>
void measure_on_rank(job_rank const& me, Meeting& meeting, settings const& how,
                     std::vector<measured_case> const& cases, tell_function const& tell) try {
    // Only now: a communicator looks at its start how many cores it may use.
    bind_rank(how.places, me.comm.rank());
    instruments with(me.comm);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        auto const trace = [&](std::vector<coll::trace_event> const& events) {
            if (me.comm.rank() == 0) { tell(as_text(traced_call{i, events})); }
        };
        auto result = measure_case(me, meeting, with, how, cases[i], trace);
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
