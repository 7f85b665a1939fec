// SPDX-License-Identifier: BSD-3-Clause
// Which bucket starts next where more are ready than may travel: the same on all ranks.
#pragma once

#include <collectives/executor/space.hpp>
#include <collectives/fusion/bucket.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace collectives {

/// Things that became ready in the same order on all ranks, but not at the same time. Pure.
template <class Thing>
class ready_list {
public:
    void add(Thing const& what, int priority) { waiting_.push_back({what, priority, ready_++}); }
    void reserve(std::size_t n) { waiting_.reserve(n); }
    bool empty() const { return waiting_.empty(); }
    /// How many were ever added.
    std::uint64_t ready() const { return ready_; }
    /// Takes the one of the highest priority of the first `on_all` that were ever added, which are
    /// ready on all ranks; of equals the first. One of them must be left.
    Thing take(std::uint64_t on_all) {
        auto const end = std::find_if(waiting_.begin(), waiting_.end(),
                                      [&](auto const& w) { return w.number >= on_all; });
        auto const first = std::max_element(
            waiting_.begin(), end, [](auto& a, auto& b) { return a.priority < b.priority; });
        auto const result = first->what;
        waiting_.erase(first);
        return result;
    }
    std::vector<Thing> take_all() {
        std::vector<Thing> all;
        for (auto const& w : waiting_) { all.push_back(w.what); }
        waiting_.clear();
        return all;
    }

private:
    struct entry {
        Thing what;
        int priority;
        std::uint64_t number;
    };
    std::vector<entry> waiting_;  // in the order in which they became ready
    std::uint64_t ready_ = 0;
};

/// Ranks tell each other how many are ready on all: an all_reduce of 8 bytes, which allocates as
/// little as a bucket. Used by one thread at a time.
template <transport Transport>
class ballot {
public:
    explicit ballot(std::shared_ptr<communicator_core<Transport>> core)
        : core_(std::move(core)), run_(core_) {
        words_.type = words_.wire_type = type_id<std::uint64_t>();
        words_.type_name = words_.wire_name = type_name<std::uint64_t>();
        words_.size = words_.wire_size = sizeof ready_;
        words_.reduce =
            reducer_maker<space_type<Transport>>::template make<std::uint64_t>(detail::the_op<min>);
        if constexpr (device_transport<Transport>) {
            call_request r;
            r.as = collective::all_reduce;
            r.op = &words_.reduce;
            r.type_name = words_.type_name;
            require_kernel(*core_, r);
        }
    }
    ballot(ballot const&) = delete;
    ballot& operator=(ballot const&) = delete;

    bool is_open() const { return open_; }
    /// Throws what a call throws that is started.
    void open(std::uint64_t ready, options const& how, program_store& programs) {
        ready_ = ready;
        auto const alone = !device_transport<Transport>;  // this word is in the host's memory
        run_.open(words_, 0, alone, false, 0);
        run_.add({reinterpret_cast<std::byte*>(&ready_), 1, 0}, {}, 0, {});
        run_.start(detail::hash_text("ballot"), how, programs);
        open_ = true;
    }
    /// How many are ready on all ranks, once all have opened it; closes it. Never waits.
    std::optional<std::uint64_t> test() {
        core_->engine().test(run_.run());
        if (!run_.has_ended()) { return std::nullopt; }
        open_ = false;
        run_.finish();
        return ready_;
    }
    /// Until `test` has an answer.
    void wait() { core_->engine().wait(run_.run()); }
    /// After a failure.
    void drop() noexcept {
        if (!open_) { return; }
        open_ = false;
        try {
            core_->finish(run_.run());
        } catch (...) {  // NOLINT: the first failure is known
        }
        run_.abandon();
    }

private:
    std::shared_ptr<communicator_core<Transport>> core_;
    fused_element words_;
    std::uint64_t ready_ = 0;
    bucket_run<Transport> run_;
    bool open_ = false;
};

}  // namespace collectives
