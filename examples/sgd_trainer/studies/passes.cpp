// SPDX-License-Identifier: BSD-3-Clause
#include "passes.hpp"

#include "../report.hpp"

#include <algorithm>
#include <stdexcept>

namespace trainer::studies {

timed_pass time_pass(network& net, std::span<float const> parameters, trainer::batch const& images,
                     float scale, std::span<float> gradient, double& loss) {
    timed_pass pass;
    auto const begin = processor_ns();
    auto const since = [&] { return static_cast<double>(processor_ns() - begin) * 1e-9; };
    loss += net.learn(parameters, images, scale, gradient, [&](tensor const& t) {
        pass.ready.push_back({{1, sizeof(float), t.size, 0}, since()});
    });
    pass.seconds = since();
    return pass;
}

timed_pass time_pass(job const& what, int images) {
    auto net = what.make_network();
    auto const parameters = net.initial_parameters(what.how.seed);
    std::vector<float> gradient(parameters.size());
    auto const part =
        gather_images(what.data, what.data.train, {}, 0, static_cast<std::size_t>(images));
    double loss = 0;
    timed_pass quickest;
    for (int i = 0; i < 9; ++i) {
        auto const pass = time_pass(net, parameters, part, 1, gradient, loss);
        if (i == 0 || pass.seconds < quickest.seconds) { quickest = pass; }
    }
    return quickest;
}

mean_step typical_step(training_seen const& seen, std::size_t group) {
    auto const ranks = seen.steps.size();
    auto const groups = seen.steps.front().size() / group;
    if (groups < 2) { throw std::logic_error("there are too few steps to measure"); }
    std::vector<mean_step> means;
    for (std::size_t g = 1; g < groups; ++g) {
        mean_step mean;
        auto const share = 1 / static_cast<double>(group * ranks);
        for (auto k = g * group; k < (g + 1) * group; ++k) {
            std::int64_t latest = 0;
            for (auto const& of_rank : seen.steps) {
                latest = std::max(latest, of_rank[k].computed_ns);
            }
            for (auto const& of_rank : seen.steps) {
                auto const t = time_of(of_rank[k], latest);
                mean.seconds += t.all() * share;
                mean.compute += (t.compute + t.loading) * share;
                mean.exposed += t.exposed * share;
                mean.idle += t.idle * share;
            }
        }
        means.push_back(mean);
    }
    auto const middle = means.begin() + static_cast<std::ptrdiff_t>(means.size() / 2);
    std::ranges::nth_element(means, middle, {}, &mean_step::seconds);
    return *middle;
}

}  // namespace trainer::studies
