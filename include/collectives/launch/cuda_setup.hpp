// SPDX-License-Identifier: BSD-3-Clause
// Lets ranks that share host memory exchange their devices.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/cuda_device_info.hpp>
#include <collectives/launch/cuda_flag_trial.hpp>
#include <collectives/space/cuda/body.hpp>
#include <collectives/space/cuda/find_kernels.hpp>
#include <collectives/space/cuda/kernels.hpp>
#include <collectives/transport/any_transport.hpp>
#include <collectives/transport/cuda/transport.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives::inline v0::cuda {

namespace detail {

/// The ranks of `base`, which share host memory by its transport, on one device each.
class device_setup {
    using reason = short_text<200>;  // empty: there is none

public:
    device_setup(collectives::communicator& base, int device, settings with)
        : base_(base),
          control_(core_of(base)->engine().shared()->carrier),
          host_(*control_->memory()),
          one_process_(host_.always_reachable()),
          with_(std::move(with)) {
        mine_.job_rank = control_->rank();
        try {
            open_device(device);
            if (!one_process_) {
                table_ = host_.allocate(table_bytes());
                mine_.table = host_.reach(table_, sizeof(export_table));
            }
        } catch (error const& e) { mine_.fault = std::string_view(e.what()); }
    }
    device_setup(device_setup const&) = delete;
    device_setup& operator=(device_setup const&) = delete;
    ~device_setup() {
        if (table_ != nullptr) { host_.deallocate(table_, table_bytes()); }
    }

    collectives::communicator communicate() {
        auto const lock = core_of(base_)->engine().lock();
        infos_ = gathered(mine_);
        require_all_well();
        require_reach();
        choose_order();
        auto const one_device =
            std::all_of(infos_.begin(), infos_.end(),
                        [&](device_info const& c) { return c.device == mine_.device; });
        auto const result = make_shared_object<device_memory_transport>(
            control_, std::move(space_), mappings::of(with_.calls), one_device);
        result->share_devices(shared_devices_of(infos_));
        auto comm = base_.with([&](shared_pointer<any_transport> const&) { return result; });
        if (!one_process_) { publish(*result); }
        return comm;
    }

private:
    /// The host memory of a process: its export_table, then flags for all ranks.
    std::size_t table_bytes() const {
        return sizeof(export_table) + flag_trial::bytes(control_->size());
    }
    template <class T>
    std::vector<T> gathered(T const& mine) {
        std::vector<T> all(static_cast<std::size_t>(base_.size()));
        base_.all_gather(std::span(&mine, 1), all);
        return all;
    }

    void open_device(int device) {
        auto& calls = *with_.calls;
        if (base_.size() > most_operands) {
            throw_error<usage_error>("a CUDA communicator has ", most_operands,
                                     " ranks at most, not ", base_.size());
        }
        std::string why;
        auto const devices = calls.devices(why);
        if (devices == 0) { throw transport_error(why); }
        if (device < 0 || device >= devices) {
            throw_error<usage_error>("there is no device ", device, ": there are ", devices);
        }
        auto const asked = asked_order(with_);
        mine_.order = asked ? static_cast<std::int32_t>(*asked) : -1;
        mine_.number = device;
        mine_.device = calls.identity(device);
        mine_.process = this_process();
        mine_.share = one_process_ ? 0 : calls.share_of(device);  // threads share their part
        kernel_lookup const find{kernels().copies(), &bind_kernel, &pack_kernel};
        space_ = std::make_unique<space>(with_.calls, device, find);
        try {
            mine_.in_process = space_->make_event(!one_process_);
            if (!one_process_) { mine_.between_processes = calls.share_event(mine_.in_process); }
            mine_.has_event = true;
        } catch (transport_error const&) { mine_.has_event = false; }  // the host waits, then
    }

    void require_all_well() const {
        for (std::size_t r = 0; r < infos_.size(); ++r) {
            auto const& c = infos_[r];
            auto const where = text_of("rank ", base_.rank(), ", cuda::communicator: ");
            if (!c.fault.view().empty()) {
                throw_error<transport_error>(where, "rank ", r, ": ", c.fault.view());
            }
            for (std::size_t other = 0; other < r && !one_process_; ++other) {
                if (infos_[other].process != c.process) { continue; }
                throw_error<usage_error>(where, "ranks ", other, " and ", r,
                                         " are threads of one process: meet by threads::run");
            }
            if (c.order != infos_[0].order) {
                throw_error<usage_error>(where, "ranks 0 and ", r, " ask for different orders");
            }
        }
    }

    /// Threads use each other's pointers whatever their order, so their devices must get access to
    /// each other here. Devices of processes get it where allocations are opened.
    void require_reach() {
        if (one_process_) {
            auto const bad = together([&] {
                for (auto const& c : infos_) {
                    if (with_.calls->reaches(mine_.number, c.number)) { continue; }
                    throw_error<transport_error>("its device ", mine_.number,
                                                 " does not reach the memory of device ", c.number,
                                                 ", of rank ", &c - infos_.data());
                }
            });
            if (bad) { refuse(bad->rank, bad->why); }
        }
    }

    struct refusal {
        std::ptrdiff_t rank;
        reason why;
    };
    /// Calls `part` on all ranks; returns the first rank where it has thrown.
    template <class Part>
    std::optional<refusal> together(Part const& part) {
        reason why{};
        try {
            part();
        } catch (error const& e) { why = std::string_view(e.what()); }
        auto const said = gathered(why);
        auto const bad =
            std::find_if(said.begin(), said.end(), [](auto const& w) { return !w.view().empty(); });
        if (bad == said.end()) { return {}; }
        return refusal{bad - said.begin(), *bad};
    }
    [[noreturn]] void refuse(std::ptrdiff_t r, reason const& why) const {
        throw_error<transport_error>("rank ", base_.rank(), ", cuda::communicator: rank ", r, ": ",
                                     why.view());
    }

    /// Takes the order that is asked for. Else the host's, where processes share a device, since
    /// each wait of a stream would switch between them; else the first that works on all ranks.
    void choose_order() {
        if (mine_.order < 0 && !one_process_ && some_share_a_device(shared_devices_of(infos_))) {
            return space_->order_by(ordering::host);
        }
        auto const asks = [&](ordering o) { return mine_.order == static_cast<std::int32_t>(o); };
        if (mine_.order < 0 || asks(ordering::events)) {
            auto const bad = together([&] {
                for (auto const& c : infos_) { take_event(c); }
            });
            if (!bad) { return space_->order_by(ordering::events); }
            if (asks(ordering::events)) { refuse(bad->rank, bad->why); }
        }
        if (mine_.order < 0 || asks(ordering::memory)) {
            auto const bad = try_flags();
            if (!bad) { return space_->order_by(ordering::memory); }
            if (asks(ordering::memory)) { refuse(bad->rank, bad->why); }
        }
        space_->order_by(ordering::host);
    }
    std::optional<refusal> try_flags() {
        flag_trial mine(*control_, *space_, infos_, mine_);
        std::uint64_t place = 0;
        // Behind the table. The ranks of one process have none.
        auto* const memory =
            table_ == nullptr ? nullptr : static_cast<std::byte*>(table_) + sizeof(export_table);
        auto bad = together([&] { place = mine.begin(memory); });
        place = gathered(place)[0];
        if (!bad) {
            bad = together([&] { mine.open(place); });
        }
        if (bad) { return bad; }
        bad = together([&] { mine.write(); });
        if (!bad) {
            bad = together([&] { mine.wait(); });
        }
        if (bad) { mine.release(); }
        gathered(std::uint8_t{1});  // afterwards nobody writes a word that is not its own
        return bad;
    }
    void take_event(device_info const& c) {
        if (c.job_rank == mine_.job_rank) { return; }
        if (!c.has_event) { throw transport_error("a rank has no event that others can use"); }
        device_scope const here(space_.get());
        auto& calls = *with_.calls;
        auto const e = one_process_ ? c.in_process : calls.open_event(c.between_processes);
        space_->set_peer(c.job_rank, e, !one_process_);
        calls.wait(static_cast<stream>(space_->queue()), e);
        space_->drain();
    }

    void publish(device_memory_transport& t) {
        std::vector<rank_t> group;
        rank_t me = 0;
        for (auto const& c : infos_) {
            if (c.job_rank == mine_.job_rank) { me = static_cast<rank_t>(group.size()); }
            group.push_back(c.job_rank);
        }
        auto const share = [&](std::uint64_t first) { return gathered(first)[0]; };
        auto life = control_->make_board(group, me, share);
        t.show(std::exchange(table_, nullptr), table_bytes(), std::move(life));
        for (auto const& c : infos_) {
            if (c.job_rank != mine_.job_rank) {
                t.add_peer(c.job_rank, c.process, host_.at(c.table, sizeof(export_table)));
            }
        }
        gathered(std::uint8_t{1});  // all can be read
    }

    collectives::communicator& base_;
    shared_pointer<any_transport> control_;
    peer_memory& host_;
    bool one_process_;
    settings with_;
    device_info mine_;
    std::vector<device_info> infos_;
    std::unique_ptr<space> space_;
    void* table_ = nullptr;
};

}  // namespace detail

}  // namespace collectives::cuda
