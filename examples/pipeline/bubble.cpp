// SPDX-License-Identifier: BSD-3-Clause
#include "bubble.hpp"

#include "../sgd_trainer/studies/figure.hpp"

#include <string>

namespace pipeline {

void draw_bubble(std::string const& file, settings const& s, std::vector<bubble_row> const& rows) {
    using trainer::studies::drawn;
    auto const stages = std::to_string(s.stages);
    trainer::studies::figure f{"bubble",
                               "Idle time of a pipeline, by the size of its micro-batches",
                               "The same batch in each step, by " + s.chosen().front().name + ".",
                               {"split size: samples of a micro-batch", 2},
                               {"% of all stages' time", 0, 0, 100},
                               {{"1/(M + 1)", {}, drawn::dashed},
                                {"2 stages, one clock", {}},
                                {"2 stages, measured", {}, drawn::marks},
                                {"(S - 1)/(M + S - 1), S = " + stages, {}, drawn::dashed},
                                {stages + " stages, one clock", {}}}};
    for (auto const& r : rows) {
        auto const add = [&, x = static_cast<double>(r.split_size)](std::size_t i, double share) {
            f.curves[i].points.push_back({x, 100 * share});
        };
        add(0, bubble(2, r.micro_batches));
        add(1, r.two_replayed.idle_share);
        if (r.two) { add(2, r.two->idle_share); }
        add(3, bubble(s.stages, r.micro_batches));
        add(4, r.replayed.idle_share);
    }
    draw(f).save(file);
}

}  // namespace pipeline
