// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose buffers lie in devices' memory. They tell each other what they do in host memory,
// over a transport that shares that; their devices reach each other's memory.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/progress_lock.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/transport/adapted.hpp>
#include <collectives/transport/any_transport.hpp>
#include <collectives/transport/cuda/exports.hpp>
#include <collectives/transport/cuda/imports.hpp>
#include <collectives/transport/cuda/space.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace collectives::inline v0::cuda {

/// `control` shares host memory between the ranks: threads of one process, which use each other's
/// pointers, or processes, which open each other's allocations. Its boards, with what is told
/// there, are these ranks' boards.
///
/// Messages take the way through the host's memory.
class device_memory_transport final : public adapted, private peer_memory {
public:
    device_memory_transport(shared_pointer<any_transport> control, std::unique_ptr<cuda::space> s,
                            std::shared_ptr<mappings> all, bool one_device)
        : adapted(std::move(control)),
          host_(*base().memory()),
          one_process_(host_.always_reachable()),
          space_(std::move(s)),
          one_device_(one_device),
          imports_(std::move(all), space_->device()) {
        space_->look_by([this] {
            for (rank_t r = 0; r < size(); ++r) {
                if (r != rank()) { (void)gone(r); }
            }
        });
    }
    bool can_renew() const override { return false; }
    ~device_memory_transport() override {
        auto const mine = progress_lock_->take();
        space_->drain_if_possible();
        for (auto const& one : left_behind_) { space_->deallocate(one.memory, 0); }
        imports_.close();
        space_->order_by(ordering::host);  // no device knows of shared host memory any more
        if (table_ != nullptr) {
            host_.free_when_closed(*life_, table_, table_bytes_);
            base().close_board(*life_);
        }
    }

    /// Ranks make progress in the background: so memory comes and goes in turns, too.
    void use_lock(shared_pointer<collectives::progress_lock> of) override {
        progress_lock_ = std::move(of);
    }

    peer_memory* memory() override { return this; }
    device_space* device() override { return space_.get(); }

    /// For ranks of the job that the communicator of devices has.
    int shared_device(rank_t r) const override {
        auto const i = static_cast<std::size_t>(r);
        return i < shared_devices_.size() && shared_devices_[i] >= 0 ? shared_devices_[i] : -1 - r;
    }
    void share_devices(lean_vector<int> devices) { shared_devices_ = std::move(devices); }

    /// Between processes: `table` is host memory of so many bytes, in which this rank shows its
    /// device memory until all ranks have closed `life`.
    void show(void* table, std::size_t bytes, owned<any_board> life) {
        table_ = table;
        table_bytes_ = bytes;
        life_ = std::move(life);
        exports_.emplace(space_->calls(), table, rank());
    }
    /// Rank r of the job, in another process, shows its own at `table`.
    void add_peer(rank_t r, std::uint64_t process, void* table) {
        imports_.add(r, process, static_cast<export_table*>(table));
    }

    /// A rank that has died writes no word, so none is waited for.
    std::optional<peer_exit> gone(rank_t r) const override {
        auto const how = base().gone(r);
        if (how && how->died) { space_->release(r); }
        return how;
    }
    bool accesses_memory(rank_t r) const override {
        return base().accesses_memory(r) || space_->has_pending_work(r);
    }

    bool poll() override {
        auto const moved = imports_.poll([this] { space_->drain(); });
        return base().poll() || moved;
    }
    /// A device wakes nobody.
    void doze(condition ready, std::chrono::nanoseconds time) override {
        base().doze(ready, space_->is_awaited() ? std::min(time, nap) : time);
    }

    owned<any_request> make_request() override {
        return make_owned<request>(base().make_request());
    }
    bool can_consume() const override { return false; }
    void isend(outgoing const& out, any_request& r) override {
        auto& mine = begin(r);
        auto sent = out;
        if (out.bytes != 0 && is_on_device(out.data)) {
            mine.host_copy = std::make_unique_for_overwrite<std::byte[]>(out.bytes);
            move(mine.host_copy.get(), out.data, out.bytes);
            sent.data = mine.host_copy.get();
        }
        base().isend(sent, mine.below());
    }
    void irecv(incoming const& in, any_request& r) override {
        auto& mine = begin(r);
        auto awaited = in;
        if (in.bytes != 0 && is_on_device(in.data)) {
            mine.host_copy = std::make_unique_for_overwrite<std::byte[]>(in.bytes);
            mine.target = std::exchange(awaited.data, mine.host_copy.get());
            mine.bytes = in.bytes;
        }
        base().irecv(awaited, mine.below());
    }
    bool test(any_request& r) override {
        auto& mine = static_cast<request&>(r);
        if (!base().test(mine.below())) { return false; }
        if (auto* const to = std::exchange(mine.target, nullptr); to != nullptr && !r.wrong()) {
            move(to, mine.host_copy.get(), mine.bytes);
        }
        return true;
    }
    void cancel(any_request& r) override { base().cancel(static_cast<request&>(r).below()); }

private:
    // ---- peer_memory

    std::uint64_t reach(void const* p, std::size_t bytes) override {
        on_device const here(space_->calls(), space_->device());
        if (one_process_) {
            auto const is = space_->calls().allocation_of(p).is;
            auto const may = is == allocation::kind::shareable ||
                             (is == allocation::kind::private_ && one_device_);
            return may ? reinterpret_cast<std::uintptr_t>(p) : 0;
        }
        return exports_->reach(p, bytes);
    }
    std::byte* at(std::uint64_t packed, std::size_t bytes) override {
        if (one_process_) {
            return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(packed));
        }
        return imports_.at(location::of(packed), bytes, [this] { space_->drain(); });
    }
    bool always_reachable() const override { return false; }
    /// Zeroed memory that peers reach. Throws transport_error if there is none.
    void* allocate(std::size_t bytes) override {
        auto const mine = progress_lock_->take();
        sweep();
        auto const granule = one_process_ ? least_bytes : least_shared_bytes;
        auto const whole = std::max<std::size_t>((bytes + granule - 1) / granule, 1) * granule;
        if (whole < bytes) { throw transport_error("no device has so much memory"); }
        auto* const p = space_->allocate(whole);
        try {
            space_->zero(p, bytes);
        } catch (...) {
            space_->deallocate(p, whole);
            throw;
        }
        return p;
    }
    /// Frees it once no peer has it open any more. Kernels may still use it: this rank's, or those
    /// of peers that this rank's stream waits for. Does not throw where the device has failed.
    void deallocate(void* p, std::size_t bytes) override {
        auto const mine = progress_lock_->take();
        if (!one_process_) {
            auto const entry = exports_->retire(p);
            if (entry && exports_->in_use(*entry)) {
                left_behind_.push_back({p, *entry});
                return;
            }
        }
        space_->drain_if_possible();
        space_->deallocate(p, bytes);
    }

    /// This rank's kernels work in peers' memory from the moment they are enqueued.
    void enter_memory() override { host_.enter_memory(); }
    void leave_memory() override {  // also where something has been thrown
        try {
            space_->note_soon();
        } catch (std::exception const&) {  // else the next note throws, before a peer is told
            space_->drain_if_possible();
        }
        host_.leave_memory();
    }
    void free_when_closed(any_board&, void* p, std::size_t bytes) override { deallocate(p, bytes); }

    // ----

    /// Handles open whole blocks of the device's memory: two allocations never share one.
    static constexpr std::size_t least_shared_bytes = std::size_t{2} << 20;
    static constexpr std::size_t least_bytes = 512;  // of threads
    static constexpr std::chrono::nanoseconds nap = std::chrono::microseconds(50);

    struct request final : adapted_request {
        using adapted_request::adapted_request;
        std::unique_ptr<std::byte[]> host_copy;  // of the bytes, in the host's memory
        std::byte* target = nullptr;             // where they go from there
        std::size_t bytes = 0;
    };
    static request& begin(any_request& r) {
        auto& mine = static_cast<request&>(r);
        mine.host_copy = {};
        mine.target = nullptr;
        return mine;
    }

    struct leftover {
        void* memory;
        std::size_t entry;
    };

    bool is_on_device(void const* p) const {
        on_device const here(space_->calls(), space_->device());
        return space_->calls().allocation_of(p).is != allocation::kind::unreachable;
    }
    /// After all that was enqueued; returns when it is done.
    void move(void* to, void const* from, std::size_t bytes) {
        on_device const here(space_->calls(), space_->device());
        space_->settle();
        space_->calls().copy(to, from, bytes, space_->queue());
        space_->settle();
    }
    void sweep() {
        left_behind_.erase_if([this](leftover const& one) {
            if (exports_->in_use(one.entry)) { return false; }
            space_->drain_if_possible();
            space_->deallocate(one.memory, 0);
            return true;
        });
    }

    peer_memory& host_;  // the control transport's
    bool one_process_;
    std::unique_ptr<cuda::space> space_;
    bool one_device_;
    imports imports_;
    std::optional<exports> exports_;
    void* table_ = nullptr;
    std::size_t table_bytes_ = 0;
    owned<any_board> life_;
    lean_vector<leftover> left_behind_;
    shared_pointer<collectives::progress_lock> progress_lock_ =
        make_shared_object<collectives::progress_lock>();
    lean_vector<int> shared_devices_;  // by rank of the job: of its device, or -1
};

}  // namespace collectives::cuda
