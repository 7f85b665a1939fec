// SPDX-License-Identifier: BSD-3-Clause
// What the members of a communicator have in common: from arguments to a call that runs.
#pragma once

#include <collectives/communicator/pending.hpp>
#include <collectives/communicator/requests.hpp>
#include <collectives/executor/space.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace collectives {

template <transport Transport>
class communicator_base {
public:
    rank_t rank() const { return core_->engine().rank(); }
    int size() const { return core_->engine().size(); }
    Transport& transport() const { return core_->engine().carrier(); }
    /// For what the library builds on a communicator, such as fusion_buffer.
    std::shared_ptr<communicator_core<Transport>> const& core() const { return core_; }

protected:
    explicit communicator_base(std::shared_ptr<communicator_core<Transport>> core)
        : core_(std::move(core)) {}

    request_maker<Transport> make() const { return request_maker<Transport>(*core_); }

    template <class T, class Op>
    static reducer reducer_of(Op const& op) {
        return reducer_maker<space_type<Transport>>::template make<T>(op);
    }
    /// The operator, kept alive with its reducer for as long as a started call needs them.
    template <class T, class Op>
    static auto keep(Op const& op) {
        auto kept = std::make_shared<std::pair<Op, reducer>>(op, reducer{});
        kept->second = reducer_of<T>(kept->first);
        return kept;
    }
    pending<Transport> started(call_request const& r, std::shared_ptr<void const> kept = {}) {
        auto const turn = core_->turn_to_start();
        if constexpr (driven_transport<Transport>) {
            if (auto a = core_->start_driven(r, true)) {
                return {core_, std::move(a), std::move(kept)};
            }
        }
        auto o = std::make_unique<operation<Transport>>();
        core_->start(*o, r);
        core_->leave_alone(*o);
        return {core_, std::move(o), std::move(kept)};
    }

    std::shared_ptr<communicator_core<Transport>> core_;
};

}  // namespace collectives
