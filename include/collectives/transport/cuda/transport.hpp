// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose buffers lie in devices' memory. They tell each other what they do in host memory,
// over a transport that shares that; their devices reach each other's memory.
#pragma once

#include <collectives/core/turns.hpp>
#include <collectives/transport/adapted.hpp>
#include <collectives/transport/cuda/driver.hpp>
#include <collectives/transport/cuda/exports.hpp>
#include <collectives/transport/cuda/imports.hpp>
#include <collectives/transport/cuda/space.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace collectives::cuda {

/// Models `transport`, `peer_addressable` and what the executor asks of a device's transport.
/// `Control` shares host memory between the ranks: threads of one process, which use each other's
/// pointers, or processes, which open each other's allocations. Its boards, with what is told
/// there, are these ranks' boards.
///
/// Messages take the way through the host's memory.
template <peer_addressable Control>
class device_memory_transport : public adapted<Control> {
public:
    static constexpr bool can_consume = false;
    static constexpr bool always_reachable = false;
    static constexpr bool one_process = Control::always_reachable;

    class request : public Control::request {
        friend device_memory_transport;
        std::unique_ptr<std::byte[]> landing_;  // of the bytes, in the host's memory
        std::byte* target_ = nullptr;           // where they go from there
        std::size_t bytes_ = 0;
    };

    device_memory_transport(std::shared_ptr<Control> control, std::unique_ptr<cuda::space> s,
                            std::shared_ptr<mappings> all, bool one_device)
        : adapted<Control>(std::move(control)),
          space_(std::move(s)),
          one_device_(one_device),
          imports_(std::move(all), space_->device()) {
        space_->look_by([this] {
            for (rank_t r = 0; r < this->size(); ++r) {
                if (r != this->rank()) { (void)gone(r); }
            }
        });
    }
    ~device_memory_transport() {
        auto const mine = one_at_a_time_->take();
        driver_.reset();
        space_->drain_if_possible();
        for (auto const& one : left_behind_) { space_->deallocate(one.memory, 0); }
        imports_.close();
        space_->order_by(ordering::host);  // no device knows of shared host memory any more
        if (table_ != nullptr) {
            this->base().free_when_closed(life_, table_, table_bytes_);
            this->base().close_board(life_);
        }
    }

    /// Ranks make progress in the background: so memory comes and goes in turns, too.
    void take_turns_by(std::shared_ptr<collectives::turns> of) { one_at_a_time_ = std::move(of); }

    cuda::space& space() { return *space_; }
    cuda::space const& space() const { return *space_; }

    /// A number of rank r's device where kernels of several processes take turns; else one that no
    /// other rank has. For ranks of the job that the communicator of devices has.
    int device_in_turns(rank_t r) const {
        auto const i = static_cast<std::size_t>(r);
        return i < turns_.size() && turns_[i] >= 0 ? turns_[i] : -1 - r;
    }
    void take_turns(std::vector<int> devices) { turns_ = std::move(devices); }

    /// Null where all calls are host-driven.
    device_driver* driver() const { return driver_.get(); }
    void drive_by(std::unique_ptr<device_driver> d) { driver_ = std::move(d); }

    /// Between processes: `table` is host memory of so many bytes, in which this rank shows its
    /// device memory until all ranks have closed `life`.
    void show(void* table, std::size_t bytes, typename Control::board life) {
        table_ = table;
        table_bytes_ = bytes;
        life_ = std::move(life);
        exports_.emplace(space_->calls(), table, this->rank());
    }
    /// Rank r of the job, in another process, shows its own at `table`.
    void add_peer(rank_t r, std::uint64_t process, void* table) {
        imports_.add(r, process, static_cast<export_table*>(table));
    }

    std::uint64_t reach(void const* p, std::size_t bytes) {
        on_device const here(space_->calls(), space_->device());
        if constexpr (one_process) {
            auto const is = space_->calls().look(p).is;
            auto const may = is == allocation::kind::shareable ||
                             (is == allocation::kind::private_ && one_device_);
            return may ? reinterpret_cast<std::uintptr_t>(p) : 0;
        } else {
            return exports_->reach(p, bytes);
        }
    }
    std::byte* at(std::uint64_t packed) {
        if constexpr (one_process) {
            return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(packed));
        } else {
            return imports_.at(location::of(packed), [this] { space_->drain(); });
        }
    }
    /// What kernels use all the time stays where it is: memory of this rank, and of a peer.
    void hold(std::uint64_t packed) { exports_->hold(location::of(packed).line); }
    void keep(std::uint64_t packed) { imports_.keep(location::of(packed)); }
    /// Between processes: where kernels of `peers`, a bit for each, find a buffer, as `reach` says
    /// it; 0 if some do not, who open it for later calls if this `may_ask`.
    std::uint64_t window(void const* p, std::size_t bytes, std::uint64_t peers, bool may_ask) {
        on_device const here(space_->calls(), space_->device());
        return exports_->window(p, bytes, peers, may_ask);
    }
    /// Opens what peers have shown: see `imports::open_windows`.
    template <class Put>
    void open_windows(std::uint64_t mark, Put const& put) {
        on_device const here(space_->calls(), space_->device());
        imports_.open_windows(
            mark, [this] { space_->drain(); }, put);
    }
    /// Zeroed memory that peers reach. Throws transport_error if there is none.
    void* allocate(std::size_t bytes) {
        auto const mine = one_at_a_time_->take();
        sweep();
        auto const whole = whole_of(bytes);
        if (whole < bytes) { throw transport_error("no device has so much memory"); }
        auto* p = take_left_behind(whole);
        if (p == nullptr) { p = space_->allocate(whole); }
        try {
            space_->zero(p, bytes);
        } catch (...) {
            space_->deallocate(p, whole);
            throw;
        }
        return p;
    }
    /// Frees it once no peer has it open any more. Kernels may still use it: this rank's, or those
    /// of peers that this rank's stream waits for. Does not throw where the device has failed. To
    /// free, CUDA waits for all of the device: what waits there for this rank's next kernel would
    /// never end, so the memory is kept for `allocate` then.
    void deallocate(void* p, std::size_t bytes) {
        auto const mine = one_at_a_time_->take();
        if constexpr (!one_process) {
            if (driver_ != nullptr) { space_->drain_if_possible(); }  // peers' kernels find it
            auto const line = exports_->retire(p);
            if (line && exports_->in_use(*line)) {
                left_behind_.push_back({p, *line, 0});
                return;
            }
        } else if (space_->is_shared_with_threads()) {
            left_behind_.push_back({p, 0, whole_of(bytes)});
            return;
        }
        space_->drain_if_possible();
        space_->deallocate(p, bytes);
    }

    /// This rank's kernels work in peers' memory from the moment they are enqueued.
    void enter_memory() { this->base().enter_memory(); }
    void leave_memory() {  // also where something has been thrown
        try {
            space_->note();
        } catch (transport_error const&) {  // else the next note throws, before a peer is told
            space_->drain_if_possible();
        }
        this->base().leave_memory();
    }
    /// A rank that has died writes no word, so none is waited for.
    std::optional<departure> gone(rank_t r) const {
        auto const how = this->base().gone(r);
        if (how && how->died) { space_->let_go(r); }
        return how;
    }
    bool inside(rank_t r) const { return this->base().inside(r) || space_->works(r); }
    /// Whether a kernel of rank r waits for peers, or is in their memory.
    bool drives(rank_t r) const { return space_->drives(r); }

    /// A kernel that waits for peers is not waited for here: what they free is closed after that.
    bool poll() {
        auto const may = driver_ == nullptr || space_->driven_is_done();
        auto const moved = may && imports_.poll([this] { space_->drain(); });
        return this->base().poll() || moved;
    }
    /// A device wakes nobody.
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        this->base().doze(std::forward<Ready>(ready),
                          space_->is_awaited() ? std::min(time, nap) : time);
    }

    void isend(outgoing out, request& r) {
        r.landing_ = {};
        r.target_ = nullptr;
        if (out.bytes != 0 && is_on_device(out.data)) {
            r.landing_ = std::make_unique_for_overwrite<std::byte[]>(out.bytes);
            move(r.landing_.get(), out.data, out.bytes);
            out.data = r.landing_.get();
        }
        this->base().isend(out, r);
    }
    void irecv(incoming in, request& r) {
        r.landing_ = {};
        r.target_ = nullptr;
        if (in.bytes != 0 && is_on_device(in.data)) {
            r.landing_ = std::make_unique_for_overwrite<std::byte[]>(in.bytes);
            r.target_ = std::exchange(in.data, r.landing_.get());
            r.bytes_ = in.bytes;
        }
        this->base().irecv(in, r);
    }
    bool test(request& r) {
        if (!this->base().test(r)) { return false; }
        if (auto* const to = std::exchange(r.target_, nullptr); to != nullptr && !r.wrong()) {
            move(to, r.landing_.get(), r.bytes_);
        }
        return true;
    }
    void cancel(request& r) { this->base().cancel(r); }

private:
    /// Handles open whole blocks of the device's memory: two allocations never share one.
    static constexpr std::size_t granule = one_process ? 512 : std::size_t{2} << 20;
    static constexpr std::chrono::nanoseconds nap = std::chrono::microseconds(50);

    struct leftover {
        void* memory;
        std::size_t line;   // between processes
        std::size_t bytes;  // between threads
    };

    static std::size_t whole_of(std::size_t bytes) {
        return std::max<std::size_t>((bytes + granule - 1) / granule, 1) * granule;
    }
    /// Null if there is none of this size.
    void* take_left_behind(std::size_t whole) {
        auto const found =
            std::find_if(left_behind_.begin(), left_behind_.end(),
                         [whole](leftover const& one) { return one.bytes == whole; });
        if (found == left_behind_.end()) { return nullptr; }
        space_->drain_if_possible();
        auto* const p = found->memory;
        left_behind_.erase(found);
        return p;
    }

    bool is_on_device(void const* p) const {
        on_device const here(space_->calls(), space_->device());
        return space_->calls().look(p).is != allocation::kind::unreachable;
    }
    /// After all that was enqueued; returns when it is done.
    void move(void* to, void const* from, std::size_t bytes) {
        on_device const here(space_->calls(), space_->device());
        space_->settle();
        space_->calls().copy(to, from, bytes, space_->queue());
        space_->settle();
    }
    void sweep() {
        if constexpr (one_process) { return; }
        std::erase_if(left_behind_, [this](leftover const& one) {
            if (exports_->in_use(one.line)) { return false; }
            space_->drain_if_possible();
            space_->deallocate(one.memory, 0);
            return true;
        });
    }

    std::unique_ptr<cuda::space> space_;
    bool one_device_;
    imports imports_;
    std::optional<exports> exports_;
    void* table_ = nullptr;
    std::size_t table_bytes_ = 0;
    typename Control::board life_;
    std::vector<leftover> left_behind_;
    std::unique_ptr<device_driver> driver_;
    std::shared_ptr<collectives::turns> one_at_a_time_ = std::make_shared<collectives::turns>();
    std::vector<int> turns_;  // by rank of the job: of its device, or -1
};

}  // namespace collectives::cuda
