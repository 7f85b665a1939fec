// SPDX-License-Identifier: BSD-3-Clause
#include "compression.hpp"

#include "../data_parallel.hpp"
#include "../report.hpp"
#include "codecs.hpp"
#include "report.hpp"
#include "training.hpp"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>

namespace trainer::studies {
namespace {

constexpr double link = 25e6;  // bytes per second: 200 Mbit/s

using make_codec = std::function<std::unique_ptr<codec>(coll::communicator&, network const&)>;

struct way {
    std::string name;
    make_codec make;
};

std::vector<way> ways() {
    auto const element = [](coll::compression how) -> make_codec {
        return [how](coll::communicator& comm, network const&) {
            return std::make_unique<by_element>(comm, how);
        };
    };
    auto const largest = [](double part, bool feedback) -> make_codec {
        return [=](coll::communicator& comm, network const& net) {
            return std::make_unique<top_k>(comm, net.parameter_count(), part, feedback);
        };
    };
    return {{"float", element({})},
            {"float16", element(coll::compress<float, coll::float16>())},
            {"bfloat16", element(coll::compress<float, coll::bfloat16>())},
            {"float8_e5m2", element(coll::compress<float, coll::float8_e5m2>())},
            {"top 10 %", largest(0.1, true)},
            {"top 1 %", largest(0.01, true)},
            {"top 1 % without feedback", largest(0.01, false)},
            {"rank 1", [](coll::communicator& comm, network const& net) {
                 return std::make_unique<rank_one>(comm, net.tensors());
             }}};
}

/// As a training in data_parallel.hpp, with a codec in place of the fusion buffer.
struct seen {
    std::vector<double> accuracies;  // after each epoch
    double sent = 0;                 // bytes per step, rank 0's
    bool ranks_agree = true;
};

seen learn_by(way const& w, settings const& how, data_set const& data) {
    job const what{how, data};
    seen result;
    coll::threads::run(how.ranks, [&](coll::communicator& base) {
        coll::counted counts;
        auto comm = base.with(counts);
        auto net = what.make_network();
        auto const code = w.make(comm, net);
        state now;
        now.parameters = net.initial_parameters(how.seed);
        now.velocity.resize(now.parameters.size());
        auto const mine = coll::block(std::size_t(how.batch), comm.size(), comm.rank());
        loader images(data, what.part(mine.first, mine.size), 0, what.read());
        std::vector<float> gradient(net.parameter_count());
        auto const scale = static_cast<float>(comm.size()) / static_cast<float>(how.batch);
        auto const steps = what.steps_per_epoch();
        for (now.step = 0; now.step < what.last_step(0);) {
            std::ranges::fill(gradient, 0.0F);
            net.learn(now.parameters, images.next(), scale, gradient, {});
            code->average(gradient);
            now.descend(gradient, rate_at(how, now.step, steps), how.momentum);
            if (++now.step % steps != 0) { continue; }
            auto const accuracy = accuracy_of(classify_test(base, what, net, now.parameters));
            if (base.rank() == 0) { result.accuracies.push_back(accuracy); }
        }
        auto least = now.parameters, most = now.parameters;
        base.all_reduce(least, coll::min{});
        base.all_reduce(most, coll::max{});
        if (base.rank() == 0) {
            result.sent = double(counts.sent()) / now.step;
            result.ranks_agree = least == most;
        }
    });
    return result;
}

}  // namespace

void compression(study_report& report) {
    auto const data = first_images(report.data(), 12288, 4000);
    settings how;
    how.ranks = 4;
    how.hidden = report.quick() ? 64 : 128;
    how.batch = 128;
    how.rate = 0.05;
    how.epochs = report.quick() ? 15 : 10;
    how.falls = decay::cosine;
    auto const net = job{how, data}.make_network();
    table t{
        "codecs",
        fmt::format("Four ranks learn {} images of {}: {}, {} parameters, {} epochs of batches of "
                    "{}. Rank 0 counts the bytes that it sends per step. The time of these bytes "
                    "on a link of {:.0f} Mbit/s is computed from them.",
                    data.train.size(), data.name, net.description(), net.parameter_count(),
                    how.epochs, how.batch, link * 8e-6),
        {"codec", "bytes sent", "times fewer", "ms on the link", "accuracy", "ranks agree"},
        {}};
    figure by_epoch{"epochs", "Accuracy after each epoch", "", {"epoch"}, {"accuracy in test"}, {}};
    figure by_bytes{"bytes",
                    "Accuracy against the bytes that a rank has sent",
                    "A point per epoch.",
                    {"bytes sent so far", 10},
                    {"accuracy in test"},
                    {}};
    double of_float = 0;
    auto const all = ways();
    for (std::size_t i = 0; i < all.size(); ++i) {
        report.at(static_cast<int>(i), static_cast<int>(all.size()), all[i].name);
        auto const one = learn_by(all[i], how, data);
        if (i == 0) { of_float = one.sent; }
        t.rows.push_back({all[i].name, fmt::format("{:.0f}", one.sent),
                          fmt::format("{:.1f}", of_float / one.sent),
                          fmt::format("{:.3f}", one.sent / link * 1e3),
                          fmt::format("{:.4f}", one.accuracies.back()),
                          one.ranks_agree ? "yes" : "no"});
        by_epoch.curves.push_back({all[i].name, {}});
        by_bytes.curves.push_back({all[i].name, {}});
        auto const steps = job{how, data}.steps_per_epoch();
        for (std::size_t e = 0; e < one.accuracies.size(); ++e) {
            auto const epoch = double(e + 1);
            by_epoch.curves.back().points.push_back({epoch, one.accuracies[e]});
            by_bytes.curves.back().points.push_back({one.sent * steps * epoch, one.accuracies[e]});
        }
    }
    report.add(t);
    report.add(by_epoch);
    report.add(by_bytes);
}

}  // namespace trainer::studies
