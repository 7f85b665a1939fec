// SPDX-License-Identifier: BSD-3-Clause
// Ranks that meet in kernels: the memory they share for that, and why they may not.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/space/cuda/fused.hpp>
#include <collectives/space/cuda/kernels.hpp>
#include <collectives/transport/cuda/driver.hpp>
#include <collectives/transport/cuda/transport.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace collectives::cuda::detail {

/// What decides whether all grids run at once.
struct rank_device {
    uuid device{};
    std::uint64_t process = 0;
    std::int32_t multiprocessors = 0;
    std::int32_t share = 0;    // percent of them, under MPS
    std::int32_t streams = 0;  // of its process, that never wait for each other
    bool has_kernels = false;
};

/// Blocks of threads, one for a multiprocessor, that each rank may have running beside those of all
/// others, or why there is no such number.
struct residence {
    int blocks = 0;
    int of = 0;  // that this process may have running on the device
    std::string why_not;
};
template <class = void>
residence prove_residence(std::vector<rank_device> const& all, rank_t me) {
    auto const refused = [](auto const&... why) { return residence{0, 0, text_of(why...)}; };
    if (all.size() > static_cast<std::size_t>(most_fused_ranks)) {
        return refused("kernels let ", most_fused_ranks, " ranks meet at most, not ", all.size());
    }
    int blocks = most_fused_blocks, of = 0;
    for (std::size_t r = 0; r < all.size(); ++r) {
        auto const& mine = all[r];
        if (!mine.has_kernels) {
            return refused("rank ", r,
                           "'s program has no kernels: have nvcc compile one source "
                           "file that includes <collectives/cuda.cuh>");
        }
        int here = 0, share = 0;
        bool one_process = true;
        for (auto const& other : all) {
            if (other.device != mine.device) { continue; }
            ++here;
            share += other.share;
            one_process = one_process && other.process == mine.process;
            if (other.share == 0) { share += 1000; }  // it takes all
        }
        if (here > 1 && !one_process && share > 100) {
            return refused("rank ", r,
                           " shares its device with other processes, and kernels of "
                           "several processes take turns there unless they run under MPS, each "
                           "with a CUDA_MPS_ACTIVE_THREAD_PERCENTAGE, at most 100 in all");
        }
        if (here > 1 && one_process && mine.streams < 2 * here) {
            return refused("rank ", r, " is one of ", here,
                           " threads that share a device, and "
                           "streams of a process may wait for each other: set "
                           "CUDA_DEVICE_MAX_CONNECTIONS=32 before CUDA starts");
        }
        auto const own =
            one_process ? mine.multiprocessors : mine.multiprocessors * mine.share / 100;
        blocks = std::min(blocks, one_process ? own / here : own);
        if (static_cast<std::size_t>(me) == r) { of = own; }
    }
    if (blocks < 1) { return refused("there are not enough multiprocessors"); }
    return {blocks, of, {}};
}

/// One rank's side.
template <class Transport>
class team final : public device_driver {
public:
    static constexpr std::size_t slot_bytes = std::size_t{4} << 20;

    /// Takes what it needs of the device; peers find its pad where `shown()` says.
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
            shared_.driven = t.space().make_driven_event();
            shared_.mail = {
                static_cast<fused_mailbox*>(calls_.allocate_host(sizeof(fused_mailbox))),
                host_keeper{calls, device_}};
        } catch (...) {
            release();
            throw;
        }
        view_ = {rank, size, slot_bytes, shared_.mail.get(), {}, {}};
    }
    ~team() override {
        part();
        release();
    }

    /// Where this rank's pad is: to processes a location, to threads what keeps it alive.
    std::uint64_t shown() {
        if constexpr (Transport::one_process) {
            return reinterpret_cast<std::uintptr_t>(&shared_);
        } else {
            return owner_.reach(shared_.memory.get(), pad_bytes + 3 * slot_bytes);
        }
    }
    /// `places`: what all have shown, who all are still there; `ranks`: theirs in the job.
    void meet(std::vector<std::uint64_t> const& places, std::vector<rank_t> const& ranks) {
        auto const here = owner_.space().enter();
        places_ = places;
        for (rank_t r = 0; r < view_.size; ++r) {
            auto const place = places[static_cast<std::size_t>(r)];
            if constexpr (Transport::one_process) {
                auto const& theirs = *reinterpret_cast<shared_with_threads const*>(place);
                peers_.push_back(theirs.memory);
                mails_.push_back(theirs.mail);
                if (r != view_.rank) {
                    owner_.space().set_driven_peer(ranks[static_cast<std::size_t>(r)],
                                                   theirs.driven);
                }
            }
            auto* const at = pad_of(r);
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
            if (pad_of(peer) == reinterpret_cast<std::byte*>(view_.pads[peer])) { continue; }
            throw transport_error(text_of("rank ", peer, " has left"));
        }
        auto const bytes = r.count * r.elem_size;
        auto const parts = r.what == device_request::kind::two_shot ||
                                   r.what == device_request::kind::reduce_scatter ||
                                   r.what == device_request::kind::all_gather
                               ? static_cast<std::size_t>(view_.size)
                               : 1;
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
        auto const in_turn =
            r.what == device_request::kind::one_shot ||  // always through the slots
            r.what == device_request::kind::reduce;
        call_.shows_in = !in_turn && shows(r.in, bytes);
        call_.shows_out = !in_turn && shows(r.out, bytes);
        call_.hash = r.hash;
        call_.allowed = static_cast<std::uint64_t>(std::max<std::int64_t>(r.allowed.count(), 0));
        return &call_;
    }
    void move(void const* described, stream s) override {
        kernels().fused_moves()(*static_cast<fused_call const*>(described), s);
    }
    device_fault fault() const override {
        device_fault result;
        result.is = static_cast<device_fault::kind>(
            std::atomic_ref(shared_.mail->fault).load(std::memory_order_acquire));
        if (result.is == device_fault::kind::none) { return result; }
        for (rank_t r = 0; r < view_.size; ++r) {
            if (read(shared_.mail->late[r]) != 0) { result.peers.push_back(r); }
        }
        return result;
    }
    void abort() override {
        end_kernel(*shared_.mail);
        for (auto const& mail : mails_) { end_kernel(*mail); }
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
            try {
                on_device const here(*calls, device);
                calls->free_host(p);
            } catch (transport_error const&) {  // NOLINT: it is lost with the device
            }
        }
    };
    struct keeper {
        std::shared_ptr<call_table> calls;
        int device;
        Transport* owner;  // of a process: it knows when peers have let go
        void operator()(std::byte* p) const {
            if (owner != nullptr) { return owner->deallocate(p, 0); }
            try {
                on_device const here(*calls, device);
                calls->free(p);
            } catch (transport_error const&) {  // NOLINT: it is lost with the device
            }
        }
    };
    std::byte* pad_of(rank_t r) {
        auto const i = static_cast<std::size_t>(r);
        if constexpr (Transport::one_process) {
            return peers_[i].get();
        } else {
            return r == view_.rank ? shared_.memory.get() : owner_.at(places_[i]);
        }
    }
    /// Threads know each other's addresses.
    bool shows(void const* p, std::size_t bytes) {
        if constexpr (Transport::one_process) {
            return p != nullptr && bytes != 0 && owner_.reach(p, bytes) != 0;
        } else {
            return false;
        }
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
            move(describe(last), owner_.space().queue());
        } catch (transport_error const&) {  // NOLINT: the device has failed
        }
    }
    void release() {
        owner_.space().drain_if_possible();
        shared_.memory.reset();
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
    std::vector<std::uint64_t> places_;
    fused_team* on_device_ = nullptr;
    fused_team view_{};
    fused_call call_;
    bool has_met_ = false;
};

}  // namespace collectives::cuda::detail
