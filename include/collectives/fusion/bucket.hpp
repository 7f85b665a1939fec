// SPDX-License-Identifier: BSD-3-Clause
// A bucket under way. Its tensors are packed into memory that peers reach, reduced, and unpacked.
#pragma once

#include <collectives/communicator/core.hpp>
#include <collectives/core/device_space.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/streaming_copy.hpp>
#include <collectives/fusion/bucket_planner.hpp>
#include <collectives/fusion/bucket_tensor.hpp>
#include <collectives/fusion/device_packer.hpp>
#include <collectives/fusion/element.hpp>
#include <collectives/fusion/program_store.hpp>
#include <collectives/fusion/report_failure.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace collectives::inline v0::detail {

/// A bucket is reused from step to step with its memory and program, so a step like the one before
/// allocates nothing. A tensor that travels alone needs no memory here, and is not copied.
///
/// In a device's memory packing, reduction and unpacking are enqueued. Packing comes after what is
/// on the user's stream, and the results are in the tensors when the reduction counts as done.
class bucket {
public:
    explicit bucket(shared_pointer<communicator_core> core)
        : core_(std::move(core)), device_(core_->engine().space().device()) {
        if (device_ != nullptr) {
            run_.end_with([](void* mine) { static_cast<bucket*>(mine)->unpack_on_device(); }, this);
        }
    }
    bucket(bucket const&) = delete;
    bucket& operator=(bucket const&) = delete;
    ~bucket() {
        auto const mine = core_->engine().lock();
        scratch().give_back(memory_);
        packer_.give_back(scratch());
    }

    /// With `at_once` tensors are packed as they are added, while caches hold them, as far as the
    /// memory of the step before has room; else all are packed when the bucket starts. `content` is
    /// that of the bucket of this number in the step before, 0 if there was none.
    void open(fused_element const& of, int number, bool alone, bool at_once,
              std::uint64_t content) {
        auto const is_same = of_ == &of && content != 0 && content == made_for_;
        of_ = &of;
        number_ = number;
        alone_ = alone;
        at_once_ = at_once && device_ == nullptr && !alone && of.encode == nullptr;
        count_ = 0;
        priority_ = std::numeric_limits<int>::min();
        ++times_opened_;
        tensors_.begin(at_once_ && is_same);
        packed_ = packed_bytes_ = 0;
        all_but_last_ = latest_;
        planned_ = 0;
        expected_ = {};
    }
    /// Adds a tensor. `before` is what the bucket holds without it.
    void add(bucket_tensor const& p, std::string_view name, int priority,
             bucket_planner::fill const& before) {
        tensors_.add(p, name);
        planned_ = tensors_.all().size();
        latest_ = before;
        count_ += p.count;
        priority_ = std::max(priority_, priority);
        at_once_ = at_once_ && count_ * of_->wire_size <= memory_.bytes;
        if (!at_once_) { return; }
        pack_next();
        auto const rest = tensors_.rest();
        expected_ = {rest.data(), rest.data(), rest.data() + rest.size(),
                     memory_.data + packed_bytes_};
    }
    /// Adds the tensor if it came at this place in the step before, and only packs it: `note_again`
    /// does the rest later. False if it is another tensor, or the last one, which makes the bucket
    /// full.
    bool add_again(fused_element const& of, void const* data, std::size_t count, int priority) {
        auto& e = expected_;
        if (e.next == e.end || e.next->data != data || e.next->count != count || of_ != &of) {
            return false;
        }
        auto const bytes = count * of.size;
        host::copy(e.to, data, bytes);
        e.to += bytes;
        ++e.next;
        priority_ = std::max(priority_, priority);
        return true;
    }
    /// Notes the tensors that `add_again` has packed, and returns how many. `index` is that of the
    /// first.
    std::size_t note_again(std::uint64_t index) {
        auto const e = std::exchange(expected_, {});
        auto const n = static_cast<std::size_t>(e.next - e.first);
        if (n == 0) { return 0; }
        auto const bytes = static_cast<std::size_t>(e.to - memory_.data) - packed_bytes_;
        tensors_.take_again(n, index);
        packed_ += n;
        packed_bytes_ += bytes;
        count_ += bytes / of_->size;
        return n;
    }
    /// Adds the noted tensors to the planner. Call it before the planner gets `next`.
    void plan(bucket_planner& places, fused_element const& of, bucket_tensor const& next) {
        if (planned_ < tensors_.all().size() && of_ == &of && tensors_.is_last_again(next)) {
            places.add_again(number_, all_but_last_);
        } else {
            plan(places);
        }
    }
    /// The same, before the planner gets anything else.
    void plan(bucket_planner& places) {
        auto const all = tensors_.all();
        for (; planned_ < all.size(); ++planned_) {
            latest_ = places.add(of_->shape(all[planned_].count)).before;
        }
    }

    /// Packs the tensors and starts the reduction. `content` is the hash of the tensors. Throws as
    /// the start of a call does.
    void start(std::uint64_t content, options const& how, program_store& programs) {
        core_->engine().require_usable(collective::all_reduce);
        if (device_ != nullptr) { follow(how.stream); }
        auto* const at = travels_as_it_is() ? tensors_.all()[0].data : pack();
        if (!program_ || made_for_ != content) {
            auto& kept = programs.of(content);
            if (!kept) { kept = make_program(*core_, *of_, count_, content, how); }
            program_ = kept;
            made_for_ = content;
        }
        run_.start(core_->engine(), program_, at, at, &of_->reduce, how.timeout.span());
        core_->engine().add(run_);
        run_.start_clock(steady::now());
    }
    /// The program that reduces `count` elements. Throws usage_error where the options do not fit.
    static shared_pointer<program> make_program(communicator_core& core, fused_element const& of,
                                                std::size_t count, std::uint64_t content,
                                                options const& how) {
        auto r = core.make().begin(collective::all_reduce,
                                   {of.wire_type, of.wire_name, of.wire_size}, how);
        r.shape.count = count;
        r.shape.in_place = true;
        r.op = &of.reduce;
        require_kernel(core.engine(), r);
        return core.planner().make_program(r, core.planner().choose(r), content);
    }
    bool has_ended() const { return run_.done; }
    activity& run() { return run_; }

    /// Copies the results back into the tensors.
    void finish() {
        core_->forget(run_);
        if (device_ == nullptr && !travels_as_it_is()) { unpack(); }
        tensors_.end();
        times_done_.fetch_add(1, std::memory_order_release);
    }
    /// Gives the bucket up after a failure. Memory that the transport may still use stays.
    void abandon() {
        scratch().abandon(std::exchange(memory_, {}));
        tensors_.forget();
    }

    int number() const { return number_; }
    /// The highest priority of its tensors.
    int priority() const { return priority_; }
    /// Its tensors; none once it is finished.
    auto const& tensors() const { return tensors_; }
    fused_element const& element() const { return *of_; }
    /// How often it has been finished. This tells a waiter of an earlier use from one of a later
    /// use.
    std::uint64_t times_done() const { return times_done_.load(std::memory_order_acquire); }
    /// Neither open nor under way.
    bool is_finished() const { return times_done() == times_opened_; }

private:
    /// The tensors that may come again, in `rest()` of the tensors, and where they are packed.
    struct expectation {
        bucket_tensor const* first = nullptr;
        bucket_tensor const* next = nullptr;
        bucket_tensor const* end = nullptr;
        std::byte* to = nullptr;
    };

    bool travels_as_it_is() const { return alone_ && of_->travels_as_it_is(); }
    scratch_pool& scratch() { return core_->engine().scratch; }

    /// Does `part`. A usage_error that only this rank meets now is reported to the other ranks.
    template <class Part>
    void reporting(Part&& part) {
        try {
            part();
        } catch (usage_error const&) {
            auto& e = core_->engine();
            report_failure(e, failure_being_handled("fused all_reduce", e.rank()));
            throw;
        }
    }
    void convert(fused_element::convert_function by, void* to, void const* from,
                 std::size_t count) {
        reporting([&] { by(to, from, count); });
    }

    void pack_next() {
        auto const& p = tensors_.all()[packed_++];
        if (p.count == 0) { return; }
        auto* const to = memory_.data + packed_bytes_;
        if (of_->encode != nullptr) {
            convert(of_->encode, to, p.data, p.count);
        } else {
            host::copy(to, p.data, p.count * of_->size);
        }
        packed_bytes_ += p.count * of_->wire_size;
    }
    std::byte* pack() {
        auto const bytes = count_ * of_->wire_size;
        if (memory_.bytes < bytes) {
            scratch().give_back(std::exchange(memory_, {}));
            memory_ = scratch().take(bytes);
            packed_ = packed_bytes_ = 0;
        }
        if (device_ != nullptr) {
            pack_on_device();
        } else {
            while (packed_ < tensors_.all().size()) { pack_next(); }
        }
        return memory_.data;
    }
    void unpack() {
        auto const* from = memory_.data;
        for (auto const& p : tensors_.all()) {
            if (p.count == 0) { continue; }
            if (of_->decode != nullptr) {
                convert(of_->decode, p.data, from, p.count);
            } else {
                host::copy(p.data, from, p.count * of_->size);
            }
            from += p.count * of_->wire_size;
        }
    }

    void follow(void* stream) {
        reporting([&] { follow_stream(core_->engine(), collective::all_reduce, stream, {}, {}); });
    }
    void pack_on_device() {
        device_scope const here(device_);
        try {
            packer_.pack(scratch(), *device_, *of_, tensors_.all(), memory_.data);
        } catch (...) {  // the tensors are the caller's again
            device_->drain_if_possible();
            throw;
        }
    }
    void unpack_on_device() {
        if (!travels_as_it_is()) { packer_.unpack(*device_, *of_, tensors_.all(), memory_.data); }
    }

    shared_pointer<communicator_core> core_;
    device_space* device_;  // null: in the host's memory
    fused_element const* of_ = nullptr;
    int number_ = 0;
    bool alone_ = false;
    bool at_once_ = false;
    std::size_t count_ = 0;
    std::size_t packed_ = 0, packed_bytes_ = 0;  // tensors that lie in memory_, and their bytes
    int priority_ = 0;
    tensor_list tensors_;
    expectation expected_;
    std::size_t planned_ = 0;            // tensors that the planner knows
    bucket_planner::fill latest_;        // before the latest of those
    bucket_planner::fill all_but_last_;  // before the last tensor of the step before
    scratch_pool::buffer memory_{};
    device_packer packer_;
    shared_pointer<program> program_;
    std::uint64_t made_for_ = 0;
    operation run_;
    std::uint64_t times_opened_ = 0;
    std::atomic<std::uint64_t> times_done_{0};
};

}  // namespace collectives::detail
