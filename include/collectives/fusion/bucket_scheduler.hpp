// SPDX-License-Identifier: BSD-3-Clause
// Starts and moves buckets. If one fails, it finds out which tensor is to blame.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/failure.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/run/waiter.hpp>
#include <collectives/fusion/bucket.hpp>
#include <collectives/fusion/mismatch_report.hpp>
#include <collectives/fusion/options.hpp>
#include <collectives/fusion/ready_agreement.hpp>
#include <collectives/fusion/ready_list.hpp>
#include <collectives/fusion/report_failure.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace collectives::inline v0::detail {

/// The buckets under way on one communicator. Used by one thread at a time.
class bucket_scheduler {
public:
    using bucket = bucket_run;

    /// Collective: makes a communicator for words about a failure, when `comm` is broken.
    bucket_scheduler(communicator& comm, fusion_options const& how)
        : core_(checked(comm, how)), words_(comm.split(0)), how_(how.call()), most_(how.under_way) {
        if (how.priorities) { agreement_.emplace(core_); }
    }
    bucket_scheduler(bucket_scheduler const&) = delete;
    bucket_scheduler& operator=(bucket_scheduler const&) = delete;
    ~bucket_scheduler() { drop(); }

    /// With priorities it may have to wait for its turn. Without, waits for the first one where too
    /// many are under way: each look costs a little for each.
    void start(bucket& b, std::uint64_t content) {
        if (agreement_) {
            ready_.add({&b, content}, b.priority());
            elect();
            return;
        }
        if (under_way_.size() == most_) { wait_for(*under_way_.front()); }
        send(b, content);
    }
    void reserve(std::size_t buckets) {
        under_way_.reserve(buckets);
        ready_.reserve(buckets);
    }

    /// Makes progress once with everything under way on the rank, and finishes what has ended.
    /// Never waits.
    void look() {
        if (!under_way_.empty()) {
            core_->engine().test(under_way_.front()->run());
            finish_ended();
        }
        if (agreement_) { elect(); }
    }
    /// Nothing is under way, or waits for its turn.
    bool is_idle() const { return under_way_.empty() && ready_.empty(); }
    /// Buckets that were finished, so far.
    std::size_t finished() const { return finished_; }
    /// Returns when all buckets are finished.
    void wait() {
        while (!under_way_.empty() || !ready_.empty()) { wait_a_little(); }
    }
    /// Returns when a bucket is finished that had been `times_done` times.
    void wait(bucket& b, std::uint64_t times_done) {
        while (agreement_ && b.times_done() == times_done) { wait_a_little(); }
        if (b.times_done() == times_done) { wait_for(b); }
    }
    /// Returns when all that is ready has been started.
    void wait_for_turns() {
        while (!ready_.empty()) { wait_a_little(); }
    }
    /// Sleeps until a peer may have done something, or `ready()`, or `most` has passed.
    void doze(function_ref<bool()> ready, std::chrono::nanoseconds most) {
        auto& e = core_->engine();
        auto const mine = e.lock();
        e.shared()->doze([&] { return ready() || e.shared()->progress(); }, most);
    }
    /// In a thread that moves all this for the rank.
    void begin_thread() {
        if (auto* const device = core_->engine().space().device()) { device->begin_thread(); }
    }
    waiter patience() const { return core_->engine().patience(); }
    rank_t rank() const { return core_->engine().rank(); }

    /// Reports the exception being handled to the peers, so that they need not wait for this rank.
    /// A usage_error is not reported: all ranks make the same mistake.
    void tell() {
        try {
            throw;
        } catch (usage_error const&) {  // NOLINT: nothing was sent
        } catch (...) {
            report_failure(core_->engine(), failure_being_handled("fused all_reduce", rank()));
        }
    }
    /// Ends what is under way after a failure; it fails too. While one bucket ends, other threads
    /// of the rank may have the lock, and move the others. They know the runs alone: the lists are
    /// this scheduler's, and a run that has ended is in no list of theirs.
    void drop() noexcept {
        auto const mine = core_->engine().lock();
        for (auto* const b : under_way_) {
            try {
                core_->finish(b->run());
            } catch (...) {  // NOLINT: the first failure is known
            }
            b->abandon();
        }
        under_way_.clear();
        for (auto const& t : ready_.take_all()) { t.what->abandon(); }
        if (agreement_) { agreement_->drop(); }
    }

    /// What the exception being handled comes to: a mismatch or a time-out also names the tensors.
    /// Collective among the ranks that were told of a mismatch; the others are not waited for
    /// longer than a second.
    std::exception_ptr explained(tensor_report const& mine) {
        try {
            throw;
        } catch (mismatch_error const& e) {
            auto const why = ask(mine);
            return std::make_exception_ptr(
                mismatch_error(text_of(e.what(), "; ", (why.empty() ? here(mine) : why))));
        } catch (timeout_error const& e) {
            return std::make_exception_ptr(
                timeout_error(text_of(e.what(), "; ", here(mine)), e.missing()));
        } catch (...) { return std::current_exception(); }
    }

private:
    struct turn {
        bucket* what;
        std::uint64_t content;
    };

    static std::shared_ptr<communicator_core> checked(communicator& comm,
                                                      fusion_options const& how) {
        auto const require = [&](bool fine, std::string_view why) {
            comm.core()->make().require(fine, collective::all_reduce, why);
        };
        auto& e = comm.core()->engine();
        require(how.stream == nullptr || e.space().device() != nullptr,
                "a stream is for communicators of devices alone");
        require(how.under_way > 0, "a fusion_buffer without a bucket under way moves nothing");
        require(!how.progress_thread || e.carrier().any_thread(),
                "a progress_thread calls MPI too: initialise it with MPI_THREAD_SERIALIZED");
        return comm.core();
    }
    void send(bucket& b, std::uint64_t content) {
        auto const mine = core_->engine().lock();
        b.start(content, how_, programs_);
        under_way_.push_back(&b);
    }
    /// Begins and ends ballots; each has one winner. A rank takes part in one as soon as a bucket
    /// is ready there and may travel, so that a ready_agreement ends when that is so on all ranks.
    void elect() {
        auto const mine = core_->engine().lock();
        while (agreement_) {
            if (agreement_->is_open()) {
                auto const on_all = agreement_->test();
                if (!on_all) { return; }
                auto const next = ready_.take(*on_all);
                send(*next.what, next.content);
            }
            if (ready_.empty() || under_way_.size() >= most_) { return; }
            agreement_->open(ready_.ready(), how_, programs_);
        }
    }
    /// Until a ready_agreement is over, or a bucket is through.
    void wait_a_little() {
        if (agreement_ && agreement_->is_open()) {
            agreement_->wait();
        } else if (!under_way_.empty()) {
            wait_for(*under_way_.front());
        }
        finish_ended();
        elect();
    }
    void wait_for(bucket& b) {
        core_->engine().wait(b.run());
        finish_ended();
    }
    void finish_ended() {
        auto const mine = core_->engine().lock();
        finished_ += under_way_.erase_if([](bucket* b) {
            if (!b->has_ended()) { return false; }
            b->finish();
            return true;
        });
    }

    /// In the host's memory on any transport, as the library's own words are.
    template <class T>
    void gather_words(std::span<T const> in, lean_vector<T>& out,
                      lean_vector<std::size_t> const& counts) {
        options const soon{.timeout = std::chrono::seconds(1)};
        auto& core = *words_.core();
        auto r = core.make().to_whole(collective::all_gather, element_type_of<T>(), memory_of(in),
                                      writable_memory_of(out), counts, 0, soon);
        r.as = collective::split;
        core.run(r);
    }
    std::string here(tensor_report const& mine) const {
        if (mine.tensors.empty()) { return text_of("rank ", rank(), " has no tensor under way"); }
        auto const& first = mine.tensors.front();
        auto const& last = mine.tensors.back();
        auto text = text_of("rank ", rank(), " was at tensor ", first.index, " ",
                            detail::text_of_tensor(first));
        if (last.index != first.index) {
            text += text_of(" to tensor ", last.index, " ", detail::text_of_tensor(last));
        }
        return text;
    }
    /// Gathers what the other ranks have added. Empty if not all answer, or nothing differs.
    std::string ask(tensor_report const& mine) {
        try {
            auto const n = static_cast<std::size_t>(words_.size());
            lean_vector<fusion_note> of(n);
            gather_words<fusion_note>({&mine.of, 1}, of, {});
            lean_vector<std::size_t> counts;
            for (auto const& o : of) { counts.push_back(static_cast<std::size_t>(o.open)); }
            lean_vector<tensor_note> notes(number_of_notes(counts));
            gather_words<tensor_note>(mine.tensors, notes, counts);
            lean_vector<tensor_report> all(n);
            auto at = notes.begin();
            for (std::size_t r = 0; r < n; ++r) {
                auto const end = at + static_cast<std::ptrdiff_t>(counts[r]);
                all[r] = {of[r], {at, end}};
                at = end;
            }
            return difference_of(all);
        } catch (std::exception const&) { return {}; }
    }

    std::shared_ptr<communicator_core> core_;
    communicator words_;
    options how_;
    std::size_t most_;  // under way
    std::optional<ready_agreement> agreement_;
    ready_list<turn> ready_;  // for the ready_agreement
    program_store programs_;
    std::size_t finished_ = 0;
    lean_vector<bucket*> under_way_;  // in the order in which they were started
};

}  // namespace collectives::detail
