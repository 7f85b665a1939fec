// SPDX-License-Identifier: BSD-3-Clause
// Ranks that meet in kernels: the memory they share for that.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/types.hpp>
#include <collectives/launch/cuda_residence.hpp>
#include <collectives/launch/cuda_windows.hpp>
#include <collectives/space/cuda/body.hpp>
#include <collectives/space/cuda/fused.hpp>
#include <collectives/space/cuda/kernels.hpp>
#include <collectives/transport/cuda/driver.hpp>
#include <collectives/transport/cuda/transport.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace collectives::cuda::detail {

/// One rank's side.
template <class Transport>
class team final : public device_driver {
public:
    static constexpr std::size_t slot_bytes = std::size_t{4} << 20;

    /// Takes what it needs of the device; peers find its pad where `show()` says.
    team(Transport& t, std::shared_ptr<call_table> const& calls, rank_t rank, int size,
         residence const& proof)
        : owner_(t), calls_(*calls), device_(t.space().device()) {
        auto const here = t.space().enter();
        if (!calls_.take_multiprocessors(device_, proof.blocks, proof.of)) {
            throw transport_error(text_of("device ", device_,
                                          "'s multiprocessors are taken by "
                                          "another device-driven communicator of this process"));
        }
        blocks_ = proof.blocks;
        try {
            kernels().load();
            auto* const p = static_cast<std::byte*>(t.allocate(pad_bytes + 3 * slot_bytes));
            shared_.memory = {p, keeper{calls, device_, Transport::one_process ? nullptr : &t}};
            on_device_ = static_cast<fused_team*>(t.space().allocate(sizeof(fused_team)));
            if (shares_event()) { windows_.emplace(t, rank, size); }
            if (!Transport::one_process) { side_.reset(calls_.make_stream()); }
            shared_.driven = t.space().make_driven_event(shares_event());
            shared_.mail = {
                static_cast<fused_mailbox*>(calls_.allocate_host(sizeof(fused_mailbox))),
                host_keeper{calls, device_}};
        } catch (...) {
            release();
            throw;
        }
        view_ = {rank, size, slot_bytes, shared_.mail.get(), {}, {}, nullptr};
        if (windows_) { view_.windows = windows_->table(); }
    }
    ~team() override {
        part();
        release();
    }

    /// What a rank shows the others.
    struct shown {
        std::uint64_t pad = 0;  // to processes a location, to threads what keeps it alive
        handle driven{};        // of processes: the event behind its kernels
    };
    shown show() {
        shown mine;
        if constexpr (Transport::one_process) {
            mine.pad = reinterpret_cast<std::uintptr_t>(&shared_);
        } else {
            mine.pad = owner_.reach(shared_.memory.get(), pad_bytes + 3 * slot_bytes);
            if (mine.pad != 0) { owner_.hold(mine.pad); }
            if (shares_event()) { mine.driven = calls_.share_event(shared_.driven); }
        }
        return mine;
    }
    /// `all`: what they have shown, who all are still there; `ranks`: theirs in the job.
    void meet(std::vector<shown> const& all, std::vector<rank_t> const& ranks) {
        auto const here = owner_.space().enter();
        ranks_ = ranks;
        for (rank_t r = 0; r < view_.size; ++r) {
            auto const i = static_cast<std::size_t>(r);
            pads_.push_back(all[i].pad);
            if constexpr (Transport::one_process) {
                auto const& theirs = *reinterpret_cast<shared_with_threads const*>(all[i].pad);
                peers_.push_back(theirs.memory);
                mails_.push_back(theirs.mail);
                if (r != view_.rank) {
                    owner_.space().set_driven_peer(ranks[i], theirs.driven, false);
                }
            } else if (shares_event() && r != view_.rank) {
                auto const its = calls_.open_event(all[i].driven);
                owner_.space().set_driven_peer(ranks[i], its, true);
            }
            auto* const at = pad_of(r);
            if constexpr (!Transport::one_process) {
                if (r != view_.rank) { owner_.keep(pads_[i]); }
            }
            view_.pads[r] = reinterpret_cast<fused_pad*>(at);
            view_.slots[r] = at + pad_bytes;
        }
        auto const queue = owner_.space().queue();
        calls_.copy(on_device_, &view_, sizeof view_, queue);
        calls_.synchronize(queue);
        has_met_ = true;
    }

    void const* describe(device_request const& r) override {
        for (rank_t peer = 0; peer < view_.size; ++peer) {
            if (!is_there(peer)) { throw transport_error(text_of("rank ", peer, " has left")); }
        }
        if constexpr (!Transport::one_process) {
            if (windows_ && !r.captured) { windows_->open(ranks_, side_.get()); }
        }
        auto const bytes = r.count * r.elem_size;
        using enum device_request::kind;  // one_shot and reduce always go through the slots
        auto const from_all = r.what == two_shot || r.what == reduce_scatter;
        auto const to_all = r.what == two_shot || r.what == all_gather || r.what == broadcast;
        auto const in_parts = from_all || r.what == all_gather;
        auto const parts = in_parts ? static_cast<std::size_t>(view_.size) : 1;
        constexpr std::size_t of_a_block = 512 * pack_bytes;
        auto const useful = (bytes / parts + of_a_block - 1) / of_a_block;
        call_.with = on_device_;
        call_.with_size = view_.size;
        call_.kind = static_cast<fused_kind>(r.what);
        call_.root = r.root;
        call_.blocks =
            static_cast<int>(std::clamp<std::size_t>(useful, 1, static_cast<std::size_t>(blocks_)));
        call_.count = r.count;
        call_.elem_size = r.elem_size;
        call_.in = static_cast<std::byte const*>(r.in);
        call_.out = static_cast<std::byte*>(r.out);
        call_.where_in = from_all ? place_of(r.in, bytes, !r.captured) : 0;
        call_.where_out = to_all ? place_of(r.out, bytes, !r.captured) : 0;
        call_.hash = r.hash;
        call_.allowed = static_cast<std::uint64_t>(std::max<std::int64_t>(r.allowed.count(), 0));
        return &call_;
    }
    void move(void const* described, stream s) override {
        kernels().fused_moves()(*static_cast<fused_call const*>(described), s);
    }
    device_fault fault() const override {
        auto const said =
            fused_fault::of(std::atomic_ref(shared_.mail->fault).load(std::memory_order_acquire));
        device_fault result{static_cast<device_fault::kind>(said.is), said.by, {}};
        for (rank_t r = 0; r < view_.size; ++r) {
            if ((said.peers >> r & 1U) != 0) { result.peers.push_back(r); }
        }
        return result;
    }
    void abort() override {
        end_kernel(*shared_.mail);
        for (auto const& mail : mails_) { end_kernel(*mail); }
    }
    std::uint64_t end() override {
        abort();
        if (!has_met_) { return 0; }
        if (!Transport::one_process && !std::exchange(has_told_peers_, true)) { tell_peers(); }
        owner_.space().drain_if_possible();
        std::uint64_t inside = 0;
        for (auto& word : shared_.mail->inside) { inside |= read(word); }
        return inside;
    }
    std::size_t most_element_bytes() const override {
        return slot_bytes / static_cast<std::size_t>(view_.size) - 4 * pack_bytes;
    }

private:
    static constexpr std::size_t pack_bytes = detail::pack_bytes;
    static constexpr std::size_t pad_bytes = (sizeof(fused_pad) + 4095) / 4096 * 4096;

    static std::uint64_t read(std::uint64_t& word) {
        return std::atomic_ref(word).load(std::memory_order_relaxed);
    }
    static void end_kernel(fused_mailbox& of) {
        std::atomic_ref(of.abort).store(1, std::memory_order_release);
    }
    struct host_keeper {
        std::shared_ptr<call_table> calls;
        int device;
        void operator()(fused_mailbox* p) const {
            give_back(*calls, device, [&] { calls->free_host(p); });
        }
    };
    struct keeper {
        std::shared_ptr<call_table> calls;
        int device;
        Transport* owner;  // of a process: it knows when peers have let go
        void operator()(std::byte* p) const {
            if (owner != nullptr) { return owner->deallocate(p, 0); }
            give_back(*calls, device, [&] { calls->free(p); });
        }
    };
    struct stream_keeper {
        call_table* calls;
        int device;
        using pointer = stream;
        void operator()(stream s) const {
            give_back(*calls, device, [&] { calls->destroy_stream(s); });
        }
    };
    std::byte* pad_of(rank_t r) {
        auto const i = static_cast<std::size_t>(r);
        if constexpr (Transport::one_process) {
            return peers_[i].get();
        } else {
            return r == view_.rank ? shared_.memory.get() : owner_.at(pads_[i]);
        }
    }
    bool is_there(rank_t r) { return pad_of(r) == reinterpret_cast<std::byte*>(view_.pads[r]); }

    /// Between processes: whether peers can see when this rank's kernels are through. Else none may
    /// work in its buffers, and there are no windows.
    bool shares_event() const {
        return !Transport::one_process && owner_.space().ordered_by() == ordering::events;
    }
    /// What this rank's kernel tells of a buffer.
    std::uint64_t place_of(void const* p, std::size_t bytes, bool may_ask) {
        if (p == nullptr || bytes == 0) { return 0; }
        if constexpr (Transport::one_process) {
            return owner_.reach(p, bytes) != 0 ? reinterpret_cast<std::uintptr_t>(p) : 0;
        } else {
            return windows_ ? windows_->place_of(p, bytes, may_ask) : 0;
        }
    }
    /// That this rank has failed: their kernels, if they wait, end.
    void tell_peers() {
        auto const why = fused_fault{fused_fault::aborted, view_.rank, 0}.packed();
        for (rank_t r = 0; r < view_.size; ++r) {
            try {
                auto const here = owner_.space().enter();
                if (r == view_.rank || !is_there(r)) { continue; }
                calls_.copy(&view_.pads[r]->ended, &why, sizeof why, side_.get());
            } catch (transport_error const&) {  // NOLINT: that one has left, or nothing works here
            }
        }
        give_back(calls_, device_, [&] { calls_.synchronize(side_.get()); });
    }
    /// Between processes, a last meeting: afterwards nobody reads this rank's slots any more. Who
    /// does not come soon has nothing left to read.
    void part() {
        if (Transport::one_process || !has_met_ || read(shared_.mail->abort) != 0 ||
            read(shared_.mail->fault) != 0) {
            return;
        }
        try {
            auto const here = owner_.space().enter();
            owner_.space().drain();
            device_request last;
            last.what = device_request::kind::broadcast;
            last.hash = ~std::uint64_t{0};
            last.allowed = std::chrono::seconds(1);
            last.captured = true;  // opens nothing any more
            describe(last);
            call_.quiet = true;
            move(&call_, owner_.space().queue());
        } catch (transport_error const&) {  // NOLINT: the device has failed
        }
    }
    void release() {
        owner_.space().drain_if_possible();
        shared_.memory.reset();
        windows_.reset();
        if (on_device_ != nullptr) { owner_.space().deallocate(on_device_, 0); }
        shared_.mail.reset();
        calls_.give_back_multiprocessors(device_, blocks_);
    }

    Transport& owner_;
    call_table& calls_;
    int device_;
    int blocks_ = 0;
    struct shared_with_threads {
        std::shared_ptr<std::byte> memory;  // the pad, then the slots
        event driven = nullptr;
        std::shared_ptr<fused_mailbox> mail;
    } shared_;
    std::vector<std::shared_ptr<std::byte>> peers_;
    std::vector<std::shared_ptr<fused_mailbox>> mails_;  // of threads
    std::vector<std::uint64_t> pads_;                    // as they are shown
    std::vector<rank_t> ranks_;                          // in the job
    fused_team* on_device_ = nullptr;
    std::optional<windows<Transport>> windows_;
    std::unique_ptr<void, stream_keeper> side_{nullptr,
                                               {&calls_, device_}};  // on which nothing waits
    fused_team view_{};
    fused_call call_;
    bool has_met_ = false;
    bool has_told_peers_ = false;
};

}  // namespace collectives::cuda::detail
