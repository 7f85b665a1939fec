// SPDX-License-Identifier: BSD-3-Clause
// A gather or scatter without counts: the root alone knows how long the whole vector is, and a
// schedule that passes blocks on needs it.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/run/group.hpp>
#include <collectives/run/operation.hpp>
#include <collectives/transport/any_transport.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace collectives::inline v0::detail {

/// Sends the length of the vector from the root to all ranks: one message of 8 bytes to each.
class count_exchange {
public:
    void start(any_transport& t, rank_group const& group, rank_t root, std::uint64_t tag,
               std::uint64_t count, std::atomic<std::uint32_t> const* stop) {
        transport_ = &t;
        count_ = make_shared_object<std::uint64_t>(count);
        used_ = 0;
        auto const at_root = group.rank() == root;
        auto const n = at_root ? static_cast<std::size_t>(group.size()) : 1;
        while (requests_.size() < n) { requests_.push_back(t.make_request()); }
        auto* const bytes = reinterpret_cast<std::byte*>(count_.get());
        if (!at_root) {
            incoming in;
            in.from = group.job_rank(root);
            in.tag = tag;
            in.data = bytes;
            in.bytes = sizeof *count_;
            in.stop = stop;
            transport_->irecv(in, *requests_[used_++]);
            return;
        }
        for (rank_t r = 0; r < group.size(); ++r) {
            if (r == root) { continue; }
            transport_->isend({group.job_rank(r), tag, 0, bytes, sizeof *count_, 1, {}},
                              *requests_[used_++]);
        }
    }
    bool progress() {
        for (std::size_t i = 0; i < used_; ++i) {
            if (!transport_->test(*requests_[i])) { return false; }
        }
        return true;
    }
    std::uint64_t count() const { return *count_; }
    void cancel() {
        for (std::size_t i = 0; i < used_; ++i) { transport_->cancel(*requests_[i]); }
        used_ = 0;
        transport_->keep(count_);
    }

private:
    any_transport* transport_ = nullptr;
    shared_pointer<std::uint64_t> count_;
    lean_vector<owned<any_request>> requests_;
    std::size_t used_ = 0;
};

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
