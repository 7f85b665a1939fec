// SPDX-License-Identifier: BSD-3-Clause
#include "losses.hpp"

#include "../compare/mailbox.hpp"
#include "../ranks.hpp"
#include "../report.hpp"

#include <collectives/collectives.hpp>

namespace trainer::studies {
namespace {

/// The end is posted by whoever is rank 0 by then.
class survivor : public observer {
public:
    explicit survivor(mailbox& to) : to_(to) {}

    void gone_on(int step, int ranks) override {
        seen_.resumed_at = step;
        seen_.ranks = ranks;
    }
    void epoch(std::span<step_record const> /*steps*/, std::span<float const> seen) override {
        seen_.accuracy = accuracy_of(seen);
    }
    void ended(state const& /*now*/, bool ranks_agree) override {
        seen_.ended = ranks_agree;
        to_.post(std::vector{seen_});
    }

private:
    mailbox& to_;
    survived seen_;
};

}  // namespace

survived train_through_a_loss(settings how, data_set const& data) {
    how.where = transport::processes;
    job const what{how, data};
    state start;
    start.parameters = what.make_network().initial_parameters(how.seed);
    start.velocity.resize(start.parameters.size());
    mailbox results;
    survivor book(results);
    try {
        trainer::run({task::train, how, data, start, book});
    } catch (collectives::run_error const&) {
        return {};  // it ended with the loss
    }
    results.open();
    return results.take<survived>().front();
}

}  // namespace trainer::studies
