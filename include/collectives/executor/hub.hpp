// SPDX-License-Identifier: BSD-3-Clause
// What one rank has under way, over all its communicators, and what moves it.
#pragma once

#include <collectives/core/isa.hpp>
#include <collectives/core/processors.hpp>
#include <collectives/core/turns.hpp>
#include <collectives/executor/activity.hpp>
#include <collectives/transport/concepts.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace collectives {

/// Something to look at in the hope that it moves: a transport.
struct polled {
    virtual bool poll() = 0;

protected:
    ~polled() = default;
};

/// All that one rank has under way, over all its communicators and transports.
struct rank_work {
    std::vector<polled*> carriers;
    std::vector<activity*> active;
    std::shared_ptr<collectives::turns> turns = std::make_shared<collectives::turns>();
};

/// Processors for this rank and those beside it, as far as it knows.
template <transport Transport>
int processors_for(Transport const& t) {
    if constexpr (requires { t.processors(); }) {
        return t.processors();
    } else {
        return usable_processors();
    }
}

/// What the communicators of one rank on one transport share. Whoever waits moves all of the rank's
/// work, also that on transports adapted from this one, or that this one was adapted from.
template <transport Transport>
struct hub final : polled {
    explicit hub(std::shared_ptr<Transport> t,
                 std::shared_ptr<rank_work> all = std::make_shared<rank_work>())
        : carrier(std::move(t)),
          work(std::move(all)),
          core_per_rank(carrier->size() <= processors_for(*carrier)) {
        static_cast<void>(host::current_isa());  // throws where COLLECTIVES_ISA is wrong
        auto const turn = work->turns->take();
        work->carriers.push_back(this);
        if constexpr (requires { carrier->take_turns_by(work->turns); }) {
            carrier->take_turns_by(work->turns);
        }
    }
    hub(hub const&) = delete;
    hub& operator=(hub const&) = delete;
    ~hub() {
        auto const turn = work->turns->take();
        std::erase(work->carriers, this);
    }

    bool poll() override { return carrier->poll(); }

    /// One look at everything, in the rank's turn; true if anything moved.
    bool progress() { return progress(work->active); }
    /// The same, of these activities alone.
    bool progress(std::vector<activity*> const& those) {
        bool moved = false;
        for (auto* const c : work->carriers) { moved = c->poll() || moved; }
        for (std::size_t i = 0; i < those.size(); ++i) {
            auto& a = *those[i];
            if (a.done || a.thrown) { continue; }
            auto const before = a.ticks;
            a.done = a.progress();
            moved = moved || a.done || a.ticks != before;
        }
        return moved;
    }

    std::shared_ptr<Transport> carrier;
    std::shared_ptr<rank_work> work;
    bool core_per_rank;
};

}  // namespace collectives
