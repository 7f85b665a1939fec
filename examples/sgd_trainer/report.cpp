// SPDX-License-Identifier: BSD-3-Clause
// Words and numbers; pictures are in page.cpp.
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string_view>

namespace trainer {
namespace {

std::string_view name_of(format f) {
    return f == format::single ? "float" : f == format::half ? "float16" : "bfloat16";
}
std::string_view name_of(method m) {
    return m == method::all_reduce ? "all-reduce" : m == method::server ? "server" : "async";
}

/// What a step was on all ranks, on average.
struct step_summary {
    step_record of_rank_0;
    double loss = 0;
    double seconds = 0;
    spent time;
    std::uint64_t most_sent = 0;
};

}  // namespace

double history::bytes() const {
    return static_cast<double>(parameters) * (how.wire == format::single ? 4 : 2);
}
double history::bound() const { return 2 * bytes() * (ranks - 1) / ranks; }

report::report(settings const& how, data_set const& data, network const& net) : data_(data) {
    all_.how = how;
    all_.data = fmt::format("{}: {} images to learn from, {} to test, {} x {} pixels{}", data.name,
                            data.train.size(), data.test.size(), data.side, data.side,
                            data.channels == 1 ? "" : " in colour");
    all_.network = net.description();
    all_.parameters = net.parameter_count();
}

void report::log(std::string const& line) {
    if (!log_.is_open()) { return; }
    log_ << line << '\n' << std::flush;
    if (!log_) { throw std::runtime_error("cannot write " + all_.how.log.string()); }
}

void report::prepare(int first_step, int ranks, bool adds_to_log) {
    auto const& how = all_.how;
    job const what{how, data_};
    all_.ranks = ranks;
    all_.time.resize(static_cast<std::size_t>(ranks));
    all_.sent.resize(static_cast<std::size_t>(ranks));
    first_ = first_step;
    last_ = what.last_step(first_step);
    steps_per_epoch_ = what.steps_per_epoch();
    bar_.emplace("training", true);
    if (how.log.empty() || log_.is_open()) { return; }
    log_.open(how.log, adds_to_log ? std::ios::app : std::ios::trunc);
    if (!log_) { throw std::runtime_error("cannot write " + how.log.string()); }
}

void report::gone_on(int step, int ranks) {
    bar_.reset();
    fmt::print("{:>14} {} ranks are left and go on after step {}\n", "", ranks, step);
    std::fflush(stdout);
    prepare(step, ranks, true);
    log(fmt::format(R"({{"event":"loss","step":{},"ranks":{}}})", step, ranks));
}

void report::begun(int first_step, int ranks) {
    auto const& how = all_.how;
    prepare(first_step, ranks, first_step > 0);
    fmt::print("{}\n{}, {} parameters\n", all_.data, all_.network, all_.parameters);
    fmt::print("{} ranks, {}{}; steps of {} x {} images, {} in an epoch\n\n", ranks,
               name_of(how.how),
               how.how == method::all_reduce ? fmt::format(" ({})", how.algorithm) : "", how.batch,
               how.accumulate, steps_per_epoch_);
    fmt::print("{:>6}{:>8}{:>9}{:>10}{:>9}{:>9}   {}\n{:>6}{:>8}{:>9}{:>10}{:>9}{:>9}   {}\n", "",
               "", "", "accuracy", "learning", "", "milliseconds of a step, mean of the ranks",
               "epoch", "steps", "loss", "in test", "rate", "seconds",
               "compute  exposed     idle  loading");
    std::fflush(stdout);
    log(fmt::format(
        R"({{"event":"start","data":"{}","model":"{}","hidden":{},"parameters":{},"ranks":{},)"
        R"("method":"{}","algorithm":"{}","batch":{},"accumulate":{},"rate":{},"threshold":{},)"
        R"("compress":"{}","precision":"{}","seed":{},"first_step":{}}})",
        how.data, how.model, how.hidden, all_.parameters, ranks, name_of(how.how), how.algorithm,
        how.batch, how.accumulate, how.rate, how.threshold, name_of(how.wire),
        name_of(how.precision), how.seed, first_step));
}

void report::stepped(int steps_done) {
    if (bar_) {
        bar_->show(steps_done - first_, last_ - first_,
                   all_.accuracies.empty() ? 0 : all_.accuracies.back().value);
    }
}

void report::epoch(std::span<step_record const> steps, std::span<float const> seen) {
    auto const ranks = static_cast<std::size_t>(all_.ranks);
    auto const count = steps.size() / ranks;
    auto const at = [&](std::size_t r, std::size_t k) -> auto& { return steps[r * count + k]; };
    auto const images = static_cast<double>(all_.how.batch) * all_.how.accumulate;
    auto const epoch = (at(0, 0).step) / steps_per_epoch_ + 1;
    spent sum;
    double loss = 0, stale = 0;
    int most_stale = 0, ahead = 0;
    for (std::size_t k = 0; k < count; ++k) {
        step_summary s{at(0, k), 0, seconds_between(at(0, k).begin_ns, at(0, k).end_ns), {}, 0};
        auto latest = s.of_rank_0.computed_ns;
        for (std::size_t r = 0; r < ranks; ++r) { latest = std::max(latest, at(r, k).computed_ns); }
        if (all_.how.how == method::async_server) { latest = 0; }  // nobody waits for others
        for (std::size_t r = 0; r < ranks; ++r) {
            auto const t = time_of(at(r, k), latest);
            auto& mine = all_.time[r];
            for (auto const part :
                 {&spent::compute, &spent::exposed, &spent::idle, &spent::loading}) {
                mine.*part += t.*part;
                s.time.*part += t.*part / static_cast<double>(ranks);
            }
            s.loss += at(r, k).loss / images;
            s.most_sent = std::max(s.most_sent, at(r, k).sent);
            all_.sent[r] += static_cast<double>(at(r, k).sent);
        }
        for (auto const part : {&spent::compute, &spent::exposed, &spent::idle, &spent::loading}) {
            sum.*part += s.time.*part / static_cast<double>(count) * 1e3;
        }
        loss += s.loss / static_cast<double>(count);
        stale += s.of_rank_0.stale / static_cast<double>(count);
        most_stale = std::max(most_stale, s.of_rank_0.most_stale);
        ahead = std::max(ahead, s.of_rank_0.ahead);
        seconds_ += s.seconds;
        ++all_.steps;
        all_.losses.push_back({s.of_rank_0.step + 1, seconds_, s.loss});
        log(fmt::format(
            R"({{"event":"step","step":{},"epoch":{},"seconds":{:.6f},"loss":{:.6g},"rate":{:.6g},)"
            R"("compute":{:.3e},"exposed":{:.3e},"idle":{:.3e},"loading":{:.3e},"sent":{}}})",
            s.of_rank_0.step + 1, epoch, seconds_, s.loss, s.of_rank_0.rate, s.time.compute,
            s.time.exposed, s.time.idle, s.time.loading, s.most_sent));
    }
    if (!std::isfinite(loss)) {
        throw std::runtime_error(fmt::format(
            "the loss of epoch {} is no number: the learning rate is too large", epoch));
    }
    auto const accuracy = accuracy_of(seen);
    all_.accuracies.push_back({at(0, count - 1).step + 1, seconds_, accuracy});
    auto const first = count > 6 ? count / 2 : 0;  // the page draws three steps
    all_.sample.assign(ranks, {});
    for (std::size_t r = 0; r < ranks; ++r) {
        for (auto k = first; k < std::min(count, first + 3); ++k) {
            all_.sample[r].push_back(at(r, k));
        }
    }
    if (bar_) { bar_->clear(); }
    fmt::print("{:>6}{:>8}{:>9.4f}{:>10.4f}{:>9.4f}{:>9.2f}   {:>7.3f}{:>9.3f}{:>9.3f}{:>9.3f}\n",
               epoch, at(0, count - 1).step + 1, loss, accuracy, at(0, count - 1).rate, seconds_,
               sum.compute, sum.exposed, sum.idle, sum.loading);
    std::fflush(stdout);
    auto const workers = std::max(1, all_.ranks - all_.how.servers);
    log(fmt::format(
        R"({{"event":"epoch","epoch":{},"step":{},"seconds":{:.6f},"loss":{:.6g},"accuracy":{:.6f},)"
        R"("stale":{:.4f},"most_stale":{},"ahead":{}}})",
        epoch, at(0, count - 1).step + 1, seconds_, loss, accuracy, stale / workers, most_stale,
        ahead));
}

void report::ended(state const& now, bool ranks_agree) {
    bar_.reset();
    all_.ranks_agree = ranks_agree;
    for (auto& s : all_.sent) { s /= std::max(1, all_.steps); }
    auto const accuracy = all_.accuracies.back().value;
    auto const& most = *std::ranges::max_element(all_.sent);
    fmt::print(
        "\naccuracy {:.4f} after {} steps and {:.2f} s of training; all ranks hold the same "
        "bits: {}\n",
        accuracy, now.step, seconds_, ranks_agree ? "yes" : "NO");
    if (most > 0) {
        fmt::print(
            "the busiest rank sends {:.0f} bytes per step; no all-reduce does with less than "
            "{:.0f} on every rank\n",
            most, all_.bound());
    }
    log(fmt::format(
        R"({{"event":"end","step":{},"seconds":{:.6f},"accuracy":{:.6f},"ranks_agree":{},)"
        R"("loss_scale":{},"most_sent":{:.1f},"bound":{:.1f}}})",
        now.step, seconds_, accuracy, ranks_agree, now.loss_scale, most, all_.bound()));
    if (!all_.how.page.empty()) {
        write_page(all_.how.page, all_);
        fmt::print("the report is {}\n", all_.how.page.string());
    }
    if (!ranks_agree) { throw std::runtime_error("the ranks' parameters differ"); }
}

void classification::epoch(std::span<step_record const> steps, std::span<float const> seen) {
    double images = 0, seconds = 0;
    for (auto const n : seen) { images += static_cast<double>(n); }
    for (auto const& s : steps) {
        seconds = std::max(seconds, seconds_between(s.begin_ns, s.end_ns));
    }
    fmt::print("{} test images over {} ranks: accuracy {:.4f}, {:.0f} images per second\n", images,
               ranks_, accuracy_of(seen), images / seconds);
    fmt::print(
        "all ranks sent {} bytes in {} messages while they classified, and {} bytes in {} "
        "messages to add up what they saw\n\n",
        meanwhile_.bytes, meanwhile_.messages, afterwards_.bytes, afterwards_.messages);
    fmt::print("{:<12} is taken for\n{:<12}", "", "");
    for (auto const name : data_.classes) { fmt::print("{:>11}", name); }
    for (std::size_t c = 0; c < class_count; ++c) {
        fmt::print("\n{:<12}", data_.classes[c]);
        for (std::size_t k = 0; k < class_count; ++k) {
            fmt::print("{:>11.0f}", seen[c * class_count + k]);
        }
    }
    fmt::print("\n");
}

}  // namespace trainer
