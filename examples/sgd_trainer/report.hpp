// SPDX-License-Identifier: BSD-3-Clause
// What a training is told of: a table on standard output, a progress bar, a log, a page.
#pragma once

#include "job.hpp"
#include "progress.hpp"

#include <array>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainer {

/// A point of the curves.
struct moment {
    int step = 0;        ///< steps done
    double seconds = 0;  ///< of training until then
    double value = 0;
};

/// What the page shows.
struct history {
    settings how;
    std::string data, network, algorithm;
    std::size_t parameters = 0;
    int ranks = 0;
    std::vector<moment> losses, accuracies;
    std::vector<spent> time;   ///< of each rank, over all steps
    std::vector<double> sent;  ///< bytes per step of each rank; zeros if not counted
    int steps = 0;             ///< of this run
    std::vector<std::vector<step_record>> sample;  ///< [rank][k]: some steps in a row
    bool ranks_agree = false;

    double bytes() const;  ///< of all gradients, as they travel
    double bound() const;  ///< that some rank must send at least per step of an all-reduce
};

/// Writes the page. Throws std::runtime_error if that fails.
void write_page(std::filesystem::path const& file, history const& all);

/// The observer of a training.
class report : public observer {
public:
    report(settings const& how, data_set const& data, network const& net);

    void begun(int first_step, int ranks) override;
    void gone_on(int step, int ranks) override;
    void stepped(int steps_done) override;
    void epoch(std::span<step_record const> steps, std::span<float const> seen) override;
    void ended(state const& now, bool ranks_agree) override;

private:
    void prepare(int first_step, int ranks, bool adds_to_log);
    void log(std::string const& line);

    data_set const& data_;
    history all_;
    double seconds_ = 0;  // of training
    std::ofstream log_;
    std::optional<progress> bar_;
    int first_ = 0, last_ = 0, steps_per_epoch_ = 1;
};

/// The observer of an inference: accuracy, what was sent, and what was taken for what.
class classification : public observer {
public:
    explicit classification(data_set const& data) : data_(data) {}

    void begun(int /*first_step*/, int ranks) override { ranks_ = ranks; }
    void epoch(std::span<step_record const> steps, std::span<float const> seen) override;
    void ended(state const& /*now*/, bool /*ranks_agree*/) override {}
    void sent(traffic const& meanwhile, traffic const& afterwards) override {
        meanwhile_ = meanwhile;
        afterwards_ = afterwards;
    }

private:
    data_set const& data_;
    int ranks_ = 0;
    traffic meanwhile_, afterwards_;
};

}  // namespace trainer
