// SPDX-License-Identifier: BSD-3-Clause
// Starts and moves buckets. If one fails, it finds out which tensor is to blame.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/failure.hpp>
#include <collectives/core/function_ref.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/fusion/bucket.hpp>
#include <collectives/fusion/mismatch_report.hpp>
#include <collectives/fusion/options.hpp>
#include <collectives/fusion/ready_agreement.hpp>
#include <collectives/fusion/ready_list.hpp>
#include <collectives/fusion/report_failure.hpp>
#include <collectives/run/waiter.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace collectives::inline v0::detail {

/// The buckets under way on one communicator. Used by one thread at a time.
class bucket_scheduler {
public:
    /// Collective. It makes a communicator for reports of a failure, since `comm` is broken then.
    bucket_scheduler(communicator& comm, fusion_options const& how)
        : core_(checked(comm, how)),
          reports_(comm.split(0)),
          how_(how.call()),
          most_(how.under_way) {
        if (how.priorities) { agreement_ = make_owned<ready_agreement>(core_); }
    }
    bucket_scheduler(bucket_scheduler const&) = delete;
    bucket_scheduler& operator=(bucket_scheduler const&) = delete;
    ~bucket_scheduler() { drop(); }

    /// With priorities the bucket may start later. Without, this waits for the oldest bucket where
    /// as many as may be are under way, since each call of `progress` tests all of them.
    void start(bucket& b, std::uint64_t content) {
        if (agreement_) {
            ready_.add({&b, content}, b.priority());
            agree();
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
    void progress() {
        if (!under_way_.empty()) {
            core_->engine().test(under_way_.front()->run());
            finish_ended();
        }
        if (agreement_) { agree(); }
    }
    /// Whether no bucket is under way or waits to start.
    bool is_idle() const { return under_way_.empty() && ready_.empty(); }
    /// How many buckets were finished so far.
    std::size_t finished() const { return finished_; }
    /// Returns when all buckets are finished.
    void wait() {
        while (!under_way_.empty() || !ready_.empty()) { wait_a_little(); }
    }
    /// Returns when the bucket has been finished more than `times_done` times.
    void wait(bucket& b, std::uint64_t times_done) {
        while (agreement_ && b.times_done() == times_done) { wait_a_little(); }
        if (b.times_done() == times_done) { wait_for(b); }
    }
    /// Returns when all buckets that are ready have been started.
    void wait_for_turns() {
        while (!ready_.empty()) { wait_a_little(); }
    }
    /// Sleeps until a peer may have done something, or `ready()`, or `most` has passed.
    void doze(function_ref<bool()> ready, std::chrono::nanoseconds most) {
        auto& e = core_->engine();
        auto const mine = e.lock();
        e.shared()->doze([&] { return ready() || e.shared()->progress(); }, most);
    }
    /// A thread that moves the buckets for the rank calls this first.
    void begin_thread() {
        if (auto* const device = core_->engine().space().device()) { device->begin_thread(); }
    }
    waiter patience() const { return core_->engine().patience(); }
    rank_t rank() const { return core_->engine().rank(); }

    /// Reports the exception being handled to the peers, so that they need not wait for this rank.
    /// A usage_error is not reported: all ranks make the same mistake.
    void report() {
        try {
            throw;
        } catch (usage_error const&) {  // NOLINT: nothing was sent
        } catch (...) {
            report_failure(core_->engine(), failure_being_handled("fused all_reduce", rank()));
        }
    }
    /// Ends all buckets after a failure; they fail too. While one bucket ends, another thread of
    /// the rank may hold the lock and move the others. That thread knows the runs alone: it never
    /// touches this scheduler's lists, and does not keep a run that has ended.
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

    /// The exception being handled; a mismatch or a time-out also names the tensors. After a
    /// mismatch this is collective, and waits at most a second for ranks that do not take part.
    std::exception_ptr explain(tensor_report const& mine) {
        try {
            throw;
        } catch (mismatch_error const& e) {
            auto const why = gather_difference(mine);
            return std::make_exception_ptr(
                mismatch_error(text_of(e.what(), "; ", (why.empty() ? here(mine) : why))));
        } catch (timeout_error const& e) {
            return std::make_exception_ptr(
                timeout_error(text_of(e.what(), "; ", here(mine)), e.missing()));
        } catch (...) { return std::current_exception(); }
    }

private:
    struct queued_bucket {
        bucket* what;
        std::uint64_t content;
    };

    static shared_pointer<communicator_core> checked(communicator& comm,
                                                     fusion_options const& how) {
        auto const require = [&](bool fine, std::string_view why) {
            core_of(comm)->make().require(fine, collective::all_reduce, why);
        };
        auto& e = core_of(comm)->engine();
        require(how.stream == nullptr || e.space().device() != nullptr,
                "a stream is for communicators of devices alone");
        require(how.under_way > 0, "a fusion_buffer without a bucket under way moves nothing");
        require(!how.progress_thread || e.carrier().any_thread(),
                "a progress_thread calls MPI too: initialise it with MPI_THREAD_SERIALIZED");
        return core_of(comm);
    }
    void send(bucket& b, std::uint64_t content) {
        auto const mine = core_->engine().lock();
        b.start(content, how_, programs_);
        under_way_.push_back(&b);
    }
    /// Opens and closes agreements; each starts one bucket. A rank opens one as soon as a bucket is
    /// ready and may travel, so the agreement ends when that is so on all ranks.
    void agree() {
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
    /// Returns when an agreement has ended or a bucket is finished.
    void wait_a_little() {
        if (agreement_ && agreement_->is_open()) {
            agreement_->wait();
        } else if (!under_way_.empty()) {
            wait_for(*under_way_.front());
        }
        finish_ended();
        agree();
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

    /// An all_gather in the host's memory, also where the transport's buffers are on a device.
    template <class T>
    void gather_reports(memory_span in, lean_vector<T>& out,
                        lean_vector<std::size_t> const& counts) {
        options const soon{.timeout = std::chrono::seconds(1)};
        auto& core = *core_of(reports_);
        auto r = core.make().to_whole(collective::all_gather, element_type_of<T>(), in,
                                      {out.data(), out.size() * sizeof(T)}, counts, 0, soon);
        r.reported_as = collective::split;
        core.run(r);
    }
    std::string here(tensor_report const& mine) const {
        if (mine.tensors.empty()) { return text_of("rank ", rank(), " has no tensor under way"); }
        auto const& first = mine.tensors.front();
        auto const& last = mine.tensors.back();
        auto text = text_of("rank ", rank(), " was at tensor ", first.index, " ",
                            detail::text_of_tensor(first));
        if (last.index != first.index) {
            add_text(text, " to tensor ", last.index, " ", detail::text_of_tensor(last));
        }
        return text;
    }
    /// Gathers what the other ranks have added. Empty if not all answer, or nothing differs.
    std::string gather_difference(tensor_report const& mine) {
        try {
            auto const n = static_cast<std::size_t>(reports_.size());
            lean_vector<fusion_note> of(n);
            gather_reports({&mine.of, sizeof mine.of}, of, {});
            lean_vector<std::size_t> counts;
            for (auto const& o : of) { counts.push_back(static_cast<std::size_t>(o.open)); }
            lean_vector<tensor_note> notes(number_of_notes(counts));
            gather_reports({mine.tensors.data(), mine.tensors.size() * sizeof(tensor_note)}, notes,
                           counts);
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

    shared_pointer<communicator_core> core_;
    communicator reports_;
    options how_;
    std::size_t most_;  // under way
    owned<ready_agreement> agreement_;
    ready_list<queued_bucket> ready_;  // for the ready_agreement
    program_store programs_;
    std::size_t finished_ = 0;
    lean_vector<bucket*> under_way_;  // in the order in which they were started
};

}  // namespace collectives::detail
