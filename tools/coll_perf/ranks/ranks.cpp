// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.hpp"

#include "calls.hpp"
#include "../sampling.hpp"

#include <collectives/algorithm/all.hpp>

#include <optional>

namespace coll_perf {

void measure_on_rank(coll::communicator& me, board meeting, settings const& how,
                     std::vector<measured_case> const& cases,
                     std::function<void(std::string const&)> const& tell) try {
    // Only now: a communicator looks at its start how many cores it may use.
    if (how.pin && meeting.core_per_rank()) { pin_to_core(me.rank()); }
    note_pinning(meeting);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        auto const& c = cases[i];
        auto const bytes = slots(how, c).bytes();
        std::optional<coll::buffer<std::byte>> reachable;
        std::optional<private_memory> own;
        if (how.allocated) {
            reachable.emplace(me.allocate<std::byte>(bytes));
        } else {
            own.emplace(bytes);
        }
        auto const& op = *find_type(c.type).find(c.op);
        auto const function = op.find(collective_of(c.collective));
        coll::options options;
        options.algorithm = coll::parse_algorithm(c.algorithm);
        auto const call = [&](std::byte* in, std::size_t in_count, std::byte* out,
                              std::size_t out_count) {
            function(me, {in, in_count, out, out_count, c.root, &options});
        };
        sampling one(meeting, me.rank(), how, c, op.check, own ? own->data() : reachable->data(),
                     call);
        auto const result = one.run(i);
        meeting = one.meeting();
        if (me.rank() == 0) { tell(as_text(result)); }
    }
} catch (...) {
    meeting.give_up();
    throw;
}

}  // namespace coll_perf
