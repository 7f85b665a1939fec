// SPDX-License-Identifier: BSD-3-Clause
// Tag messages of one UCX worker, with an endpoint to each rank.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/transport/ucx/calls.hpp>
#include <collectives/transport/wire/link.hpp>

#include <ucp/api/ucp.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace collectives::inline v0::ucx {

/// A message under way.
struct message {
    void* request = nullptr;
    rank_t to = -1;     // -1: it receives
    bool lost = false;  // its peer has died: it never ends
};

class channel {
public:
    channel(ucp_context_h context, int size)
        : peers_(static_cast<std::size_t>(size)), worker_(detail::make_worker(context)) {
        detail::require(ucp_worker_get_efd(worker_.get(), &wake_), "ucp_worker_get_efd");
    }
    channel(channel const&) = delete;
    channel& operator=(channel const&) = delete;
    ~channel() { close(true); }

    /// What the others reach this one by.
    lean_vector<std::byte> address() const {
        ucp_address_t* bytes = nullptr;
        std::size_t n = 0;
        detail::require(ucp_worker_get_address(worker_.get(), &bytes, &n),
                        "ucp_worker_get_address");
        auto const* const first = reinterpret_cast<std::byte const*>(bytes);
        lean_vector<std::byte> result(first, first + n);
        ucp_worker_release_address(worker_.get(), bytes);
        return result;
    }
    void connect(rank_t to, std::span<std::byte const> address) {
        auto& p = peer(to);
        ucp_ep_params_t wanted{};
        wanted.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                            UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
        wanted.address = reinterpret_cast<ucp_address_t const*>(address.data());
        wanted.err_mode = UCP_ERR_HANDLING_MODE_PEER;
        wanted.err_handler.cb = [](void* of, ucp_ep_h, ucs_status_t) {
            static_cast<per_peer*>(of)->lose();
        };
        wanted.err_handler.arg = &p;
        auto const status = ucp_ep_create(worker_.get(), &wanted, &p.endpoint);
        if (status != UCS_OK) {
            throw_error<transport_error>(
                "UCX cannot connect to rank ", to, ": ", ucs_status_string(status),
                "; it has ended, or UCX_TLS allows no transport to it ", detail::about_containers);
        }
    }
    /// The first message to a rank; its peer expects it. It is acknowledged: by that each end
    /// learns the other's number for this way, which UCX would else ask for with the first long
    /// message, and UCX 1.13 ends the process where a channel closes while such an answer waits.
    void greet(rank_t to, std::uint64_t tag) {
        peer(to).greeting = send(nullptr, 0, to, tag, ucp_tag_send_sync_nbx);
    }
    void expect(rank_t from, std::uint64_t tag) { peer(from).greeted = receive(nullptr, 0, tag); }
    bool is_greeted_by(rank_t r) { return has_ended(peer(r).greeted); }
    bool has_greeted(rank_t r) { return has_ended(peer(r).greeting); }

    message send(std::byte const* data, std::size_t bytes, rank_t to, std::uint64_t tag,
                 decltype(&ucp_tag_send_nbx) call = ucp_tag_send_nbx) {
        require_open();
        message m;
        m.to = to;
        if (peer(to).is_lost || peer(to).endpoint == nullptr) {  // or was never reached
            m.lost = true;
            return m;
        }
        ucp_request_param_t how{};
        auto* const r = call(peer(to).endpoint, data, bytes, tag, &how);
        if (UCS_PTR_IS_ERR(r)) {
            auto ignored = false;
            ended(m, UCS_PTR_STATUS(r), ignored);
        } else {
            m.request = r;
        }
        return m;
    }
    /// Whether a message has come that no receive has asked for.
    bool waits(std::uint64_t tag) {
        require_open();
        ucp_tag_recv_info_t info{};
        return ucp_tag_probe_nb(worker_.get(), tag, ~std::uint64_t{0}, 0, &info) != nullptr;
    }
    message receive(std::byte* data, std::size_t bytes, std::uint64_t tag) {
        require_open();
        message m;
        ucp_request_param_t how{};
        // One that has already come would else not say how long it was (UCX 1.13.1).
        how.op_attr_mask = UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
        m.request = ucp_tag_recv_nbx(worker_.get(), data, bytes, tag, ~std::uint64_t{0}, &how);
        if (UCS_PTR_IS_ERR(m.request)) {
            detail::require(UCS_PTR_STATUS(std::exchange(m.request, nullptr)), "ucp_tag_recv_nbx");
        }
        return m;
    }
    bool test(message& m, wire::arrival& in) {
        if (m.lost) { return false; }
        if (m.request == nullptr) { return true; }
        require_open();
        ucp_tag_recv_info_t info{};
        auto const status = m.to >= 0 ? ucp_request_check_status(m.request)
                                      : ucp_tag_recv_request_test(m.request, &info);
        if (status == UCS_INPROGRESS) { return false; }
        ucp_request_free(std::exchange(m.request, nullptr));
        in.bytes = info.length;
        return ended(m, status, in.too_long);
    }
    /// A receive is called back, if nothing of it has come; all else must end by itself.
    bool take_back(message& m, wire::grace const& time) {
        auto* const r = std::exchange(m.request, nullptr);
        if (r == nullptr || !worker_) { return true; }
        if (m.to < 0) { ucp_request_cancel(worker_.get(), r); }
        while (ucp_request_check_status(r) == UCS_INPROGRESS && !time.is_over()) {
            if (progress()) { continue; }
            time.pause();
            if (!worker_) { return true; }  // its requests are gone
        }
        auto const back = ucp_request_check_status(r) != UCS_INPROGRESS;
        ucp_request_free(r);
        return back;
    }

    bool progress() { return worker_ && ucp_worker_progress(worker_.get()) != 0; }
    /// False if there is something to do before.
    bool may_sleep() { return !worker_ || ucp_worker_arm(worker_.get()) == UCS_OK; }
    /// Becomes readable when there is something to do after `may_sleep`.
    int descriptor() const { return worker_ ? wake_ : -1; }
    /// From now on the rank counts as lost.
    void lose(rank_t r) { peer(r).lose(); }
    bool is_lost(rank_t r) const { return peer(r).is_lost; }
    /// Whether the rank has been lost for at least `time`.
    bool is_lost_since(rank_t r, std::chrono::nanoseconds time) const {
        return peer(r).is_lost && steady::now() >= peer(r).lost_since + time;
    }

    /// Afterwards nothing uses the memory of messages any more. `by_force` drops messages that are
    /// under way, and reads none of their memory.
    void close(bool by_force) {
        if (!worker_) { return; }
        lean_vector<void*> closing;
        for (auto& p : peers_) {
            take_back(p.greeting, {});
            take_back(p.greeted, {});
            if (p.endpoint == nullptr) { continue; }
            ucp_request_param_t how{};
            if (by_force || p.is_lost) {
                how.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
                how.flags = UCP_EP_CLOSE_FLAG_FORCE;
            }
            auto* const r = ucp_ep_close_nbx(std::exchange(p.endpoint, nullptr), &how);
            if (r != nullptr && !UCS_PTR_IS_ERR(r)) { closing.push_back(r); }
        }
        // What UCX 1.13 does for endpoints that were closed by force can end the process.
        auto const patience = steady::now() + std::chrono::seconds(by_force ? 0 : 1);
        for (auto* const r : closing) {
            while (ucp_request_check_status(r) == UCS_INPROGRESS && steady::now() < patience) {
                progress();
            }
            ucp_request_free(r);
        }
        // What the closing has begun comes to its end.
        for (int idle = 0; idle < 100 && steady::now() < patience; ++idle) {
            if (progress()) { idle = 0; }
        }
        drop_unexpected();
        worker_.reset();
    }

private:
    struct per_peer {
        ucp_ep_h endpoint = nullptr;
        bool is_lost = false;
        steady::time_point lost_since{};
        message greeting{}, greeted{};

        void lose() {
            if (!std::exchange(is_lost, true)) { lost_since = steady::now(); }
        }
    };

    per_peer& peer(rank_t r) { return peers_[static_cast<std::size_t>(r)]; }
    per_peer const& peer(rank_t r) const { return peers_[static_cast<std::size_t>(r)]; }
    void require_open() const {
        if (!worker_) {
            throw transport_error(
                "UCX's worker was closed to take back memory from another failure");
        }
    }
    bool has_ended(message& m) {
        wire::arrival ignored;
        return test(m, ignored);
    }

    /// Takes in the status with which a message has ended. Returns false if the peer is lost, so
    /// that the message counts as one that never ends.
    bool ended(message& m, ucs_status_t status, bool& too_long) {
        switch (status) {
            case UCS_OK: return true;
            case UCS_ERR_MESSAGE_TRUNCATED: too_long = true; return true;
            case UCS_ERR_CONNECTION_RESET:
            case UCS_ERR_ENDPOINT_TIMEOUT:
            case UCS_ERR_NOT_CONNECTED:
            case UCS_ERR_UNREACHABLE:
            case UCS_ERR_IO_ERROR:
            case UCS_ERR_SHMEM_SEGMENT:
            case UCS_ERR_CANCELED:
                m.lost = true;
                if (m.to >= 0) { peer(m.to).lose(); }
                return false;
            default: break;
        }
        detail::require(status, m.to < 0 ? "ucp_tag_recv_nbx" : "ucp_tag_send_nbx");
        return true;
    }
    /// Takes in messages without a receive, as a failure leaves them. UCX would complain of each.
    void drop_unexpected() {
        ucp_tag_recv_info_t info{};
        while (auto* const m = ucp_tag_probe_nb(worker_.get(), 0, 0, 1, &info)) {
            ucp_request_param_t how{};
            how.op_attr_mask = UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
            auto* const r = ucp_tag_msg_recv_nbx(worker_.get(), nullptr, 0, m, &how);
            if (r != nullptr && !UCS_PTR_IS_ERR(r)) { ucp_request_free(r); }
        }
    }

    lean_vector<per_peer> peers_;
    detail::worker_ptr worker_;
    int wake_ = -1;
};

}  // namespace collectives::ucx
