// SPDX-License-Identifier: BSD-3-Clause
// A gather or scatter without counts: the root alone knows how long the whole vector is.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/run/count_exchange.hpp>
#include <collectives/run/operation.hpp>

#include <chrono>
#include <cstddef>
#include <utility>

namespace collectives::inline v0::detail {

/// Makes the program of such a call.
class program_maker {
public:
    virtual ~program_maker() = default;
    /// For so many elements in all. Throws usage_error if this rank's block does not fit that.
    virtual shared_pointer<program> make(std::size_t count) = 0;
};

/// If the schedule passes blocks on, the root first sends the whole count to the others.
class unsized_operation : public operation {  // not final: a program that makes none needs no code
public:
    void start_counting(engine& e, fingerprint const& what, std::size_t count,
                        owned<program_maker> maker, void const* in, void* out,
                        std::chrono::nanoseconds time) {
        auto const entered = e.calls.enter(what, what.hash());
        reset(e, what, entered, in, out, nullptr, time);
        is_counting_ = true;
        maker_ = std::move(maker);
        guarded([&] {
            auto const tag = message_tag(e.context(), entered.history_hash, -1);
            counting_.start(e.carrier(), e.group(), what.root, tag, count, &e.board().stop_word());
        });
    }
    void cancel() override {
        if (is_counting_) { counting_.cancel(); }
        operation::cancel();
    }

protected:
    bool advance() override {
        if (!is_counting_) { return operation::advance(); }
        if (mismatched || !counting_.progress()) { return false; }
        ++ticks;
        try {
            run(maker_->make(counting_.count()));
            is_counting_ = false;
        } catch (usage_error const& e) { become_mismatched(e.what()); }
        return false;
    }

private:
    bool is_counting_ = false;
    count_exchange counting_;
    owned<program_maker> maker_;
};

}  // namespace collectives::detail
