// SPDX-License-Identifier: BSD-3-Clause
// The state that a fusion_buffer and its handles share: the buckets of a step.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/fusion/background.hpp>
#include <collectives/fusion/bucket_planner.hpp>
#include <collectives/fusion/bucket_scheduler.hpp>
#include <collectives/fusion/counted_state.hpp>
#include <collectives/fusion/element.hpp>
#include <collectives/fusion/options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

namespace collectives::inline v0::detail {

/// The buckets of a step in the order in which they are opened. A bucket of the next step reuses
/// the bucket with its number, with its memory and program.
class fusion_state final : public counted_state {
public:
    fusion_state(communicator& comm, fusion_options const& how)
        : core_(core_of(comm)),
          device_(core_->engine().space().device()),
          how_(how),
          planner_(how.threshold),
          scheduler_(comm, how) {
        if (how.progress_thread) { background_ = make_owned<background_scheduler>(scheduler_); }
    }

    using ticket = fusion_ticket;

    /// The element of this type. Throws usage_error where the operator or the options do not fit
    /// the type; then nothing has changed.
    fused_element const& element(fused_type const& type) {
        if (latest_ == nullptr || latest_->type != type.id) { latest_ = &find_element(type); }
        return *latest_;
    }

    ticket add(fused_element const& of, void* data, std::size_t count, std::string_view name,
               int priority) {
        if (open_ != nullptr && name.empty() && open_->add_again(of, data, count, priority)) {
            ticket const result{open_, open_->times_done()};
            if (!scheduler_.is_idle()) { progress(); }
            return result;
        }
        require_unbroken();
        note_again();
        bucket_tensor const it{static_cast<std::byte*>(data), count, added_};
        if (device_ != nullptr) { require_usable(data, of.size * count); }
        if (open_ != nullptr) { open_->plan(planner_, of, it); }
        auto const p = planner_.add(of.shape(count, name));
        if (p.full_before >= 0) { start(bucket_of(p.full_before), p.content_before); }
        auto& b = p.opens ? open(of, p) : bucket_of(p.bucket);
        b.add(it, name, priority, p.before);
        ++added_;
        open_ = p.full ? nullptr : &b;
        ticket const result{&b, b.times_done()};
        if (p.full) { start(b, p.content); }
        progress();
        return result;
    }
    bool is_done(ticket const& t) {
        if (has_ended(t)) { return true; }
        require_unbroken();
        progress();
        return has_ended(t);
    }
    /// Starts the ticket's bucket if it is still open.
    void wait(ticket const& t) {
        if (has_ended(t)) { return; }
        require_unbroken();
        plan_open();
        if (auto const content = planner_.close(t.in->number())) { start(*t.in, *content); }
        by_scheduler([&](auto& m) { m.wait(*t.in, t.times_done); });
        by_handles_ = true;
    }
    void flush() {
        require_unbroken();
        plan_open();
        auto const buckets = static_cast<std::size_t>(planner_.opened());
        planner_.flush(
            [&](int number, std::uint64_t content) { start(bucket_of(number), content); });
        by_scheduler([](auto& m) { m.wait(); });
        by_scheduler([&](auto& m) { m.reserve(buckets); });  // whatever the next step's timing
        first_ = 0;
        by_handles_ = false;
    }
    void fail(failure const& why) { report_failure(core_->engine(), why); }
    bool broken() const { return failed_ != nullptr; }
    /// Ends all use of the tensors. Handles still say which were done.
    void close() noexcept {
        if (background_) { background_->stop(); }
        if (!failed_) {
            try {
                if (background_) { background_->start_rest(); }
                scheduler_.wait_for_turns();
            } catch (...) { scheduler_.report(); }
        }
        scheduler_.drop();
        if (!failed_) {
            failed_ = std::make_exception_ptr(error("the fusion_buffer of a tensor was destroyed"));
        }
    }

private:
    fused_element const& find_element(fused_type const& type) {
        for (auto const& e : elements_) {
            if (e->type == type.id) { return *e; }
        }
        auto made = make_owned<fused_element>();
        try {
            describe_element(*made, type, how_.op, how_.compress, device_);
        } catch (usage_error const& e) {
            auto const lock = core_->engine().lock();  // the buffer's thread may number calls
            core_->make().refuse(collective::all_reduce, e.what());
        }
        require_unbroken();
        if (background_) {  // its thread uses the core
            by_scheduler([](auto& m) { m.wait(); });
        }
        (void)bucket::make_program(*core_, *made, 1, 0, how_.call());
        core_->make().require(
            device_ == nullptr || made->pack != nullptr, collective::all_reduce,
            "this program has no kernel that packs tensors: the source that brings the kernels in "
            "is not part of it");
        elements_.push_back(std::move(made));
        return *elements_.back();
    }
    /// Throws the usage_errors that the bucket's start would throw. A question to a device about an
    /// address takes longer than all else that `add` does, so the answers are kept.
    void require_usable(void const* data, std::size_t bytes) {
        constexpr std::size_t places = 16'384;
        on_device(core_->engine(), collective::all_reduce, *device_, [&](device_space& space) {
            space.require_followable(how_.stream);
            if (reached_.empty()) { reached_.resize(places); }
            auto& known = reached_[detail::hash_mix(reinterpret_cast<std::uintptr_t>(data), 0) %
                                   reached_.size()];
            if (known.data == data && known.bytes == bytes) { return; }
            space.require_reachable(data, bytes);
            known = {data, bytes};
        });
    }
    bool has_ended(ticket const& t) {
        auto const is = t.in->times_done() != t.times_done;
        by_handles_ = by_handles_ || is;
        return is;
    }
    /// Buckets are kept by their number since the last flush, so that each finds its memory of the
    /// step before. Where a program waits on handles and does not flush, a new bucket takes the
    /// oldest finished one.
    bucket& bucket_of(int number) { return *kept_[static_cast<std::size_t>(number - first_)]; }
    bucket& open(fused_element const& of, bucket_planner::placing const& p) {
        auto const all_taken = [&] {
            return static_cast<std::size_t>(p.bucket - first_) == kept_.size();
        };
        if (by_handles_ && all_taken()) { reuse(); }
        if (all_taken()) { kept_.push_back(make_owned<bucket>(core_)); }
        auto& b = bucket_of(p.bucket);
        b.open(of, p.bucket, p.alone, background_ == nullptr, planner_.content_before(p.bucket));
        return b;
    }
    /// Moves the oldest buckets, as far as they are finished, to the end of the list.
    void reuse() {
        auto const rest = std::find_if(kept_.begin(), kept_.end(),
                                       [](auto const& b) { return !b->is_finished(); });
        first_ += static_cast<int>(rest - kept_.begin());
        std::rotate(kept_.begin(), rest, kept_.end());
    }
    /// Brings the planner up to date. Call it before a question about open buckets.
    void plan_open() {
        note_again();
        if (open_ != nullptr) { std::exchange(open_, nullptr)->plan(planner_); }
    }
    /// Brings the open bucket up to date. Call it before a question to the bucket.
    void note_again() {
        if (open_ != nullptr) { added_ += open_->note_again(added_); }
    }
    void start(bucket& b, std::uint64_t content) {
        ++started_;
        by_scheduler([&](auto& m) { m.start(b, content); });
    }
    void progress() {
        by_scheduler([](auto& m) { m.progress(); });
    }

    void require_unbroken() const {
        if (failed_) { std::rethrow_exception(failed_); }
    }
    /// Calls `part` with the scheduler, or with the thread that works for it.
    template <class Part>
    void by_scheduler(Part&& part) {
        try {
            if (background_) {
                part(*background_);
            } else {
                part(scheduler_);
            }
        } catch (...) {
            if (background_) { background_->stop(); }
            scheduler_.report();
            note_again();
            open_ = nullptr;
            auto const mine = report_tensors();  // before they are dropped
            failed_ = std::current_exception();
            scheduler_.drop();
            failed_ = scheduler_.explain(mine);
            std::rethrow_exception(failed_);
        }
    }
    /// All tensors that are not done, by index.
    tensor_report report_tensors() const {
        tensor_report mine;
        for (auto const& b : kept_) {
            auto const tensors = b->tensors().all();
            for (std::size_t i = 0; i < tensors.size(); ++i) {
                mine.tensors.push_back({tensors[i].index, tensors[0].index, tensors[i].count,
                                        b->element().type, b->tensors().name(i),
                                        b->element().type_name});
            }
        }
        std::sort(mine.tensors.begin(), mine.tensors.end(),
                  [](auto const& a, auto const& b) { return a.index < b.index; });
        auto const* const shorter = how_.compress.wire;
        auto const wire = shorter == nullptr ? 0 : shorter->id;
        mine.of = {added_, mine.tensors.size(), started_, how_.threshold, wire, how_.op.name()};
        return mine;
    }

    shared_pointer<communicator_core> core_;
    device_space* device_;  // null: in the host's memory
    fusion_options how_;
    lean_vector<owned<fused_element>> elements_;
    fused_element const* latest_ = nullptr;  // the last answer of `element`
    bucket_planner planner_;
    lean_vector<owned<bucket>> kept_;
    bucket* open_ = nullptr;   // the latest one that a tensor went to; none if it is closed
    int first_ = 0;            // the number of kept_[0]
    bool by_handles_ = false;  // a handle has said since the last flush that a tensor was done
    std::uint64_t added_ = 0, started_ = 0;
    // A hash table of buffers that the device reaches, by their address.
    lean_vector<memory_span> reached_;
    std::exception_ptr failed_;
    bucket_scheduler scheduler_;  // goes before the buckets
    owned<background_scheduler> background_;
};

}  // namespace collectives::detail
