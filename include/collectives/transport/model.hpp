// SPDX-License-Identifier: BSD-3-Clause
// From a transport to an any_transport.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/lending_case.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/transport/any_transport.hpp>
#include <collectives/transport/board_model.hpp>
#include <collectives/transport/capabilities.hpp>
#include <collectives/transport/concepts.hpp>
#include <collectives/transport/shared/board.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace collectives::inline v0 {

namespace detail {

/// The peer_memory of a transport that has one; else nothing.
template <class Transport>
class memory_part {
protected:
    explicit memory_part(Transport&) {}
    static peer_memory* part() { return nullptr; }
};
template <peer_addressable Transport>
class memory_part<Transport> : public peer_memory {
public:
    std::uint64_t reach(void const* p, std::size_t bytes) final { return of_.reach(p, bytes); }
    std::byte* at(std::uint64_t location, std::size_t bytes) final {
        return of_.at(location, bytes);
    }
    void* allocate(std::size_t bytes) final { return of_.allocate(bytes); }
    void deallocate(void* p, std::size_t bytes) final { of_.deallocate(p, bytes); }
    bool always_reachable() const final { return Transport::always_reachable; }
    bool lends(void const* p, std::size_t bytes) final {
        static_assert(
            lends_memory<Transport> || !requires(Transport t) { t.lends(p, bytes); },
            "a transport that lends memory has five functions (transport/capabilities.hpp)");
        if constexpr (lends_memory<Transport>) { return of_.lends(p, bytes); }
        return peer_memory::lends(p, bytes);
    }
    bool prefers_lent(rank_t reader, lending_case what) final {
        if constexpr (lends_memory<Transport>) { return of_.prefers_lent(reader, what); }
        return peer_memory::prefers_lent(reader, what);
    }
    void note_reading([[maybe_unused]] lending_case what, [[maybe_unused]] reading how,
                      [[maybe_unused]] std::chrono::nanoseconds took) final {
        if constexpr (lends_memory<Transport>) { of_.note_reading(what, how, took); }
    }
    bool fetch(rank_t from, std::uint64_t address, std::byte* to, std::size_t bytes) final {
        if constexpr (lends_memory<Transport>) { return of_.fetch(from, address, to, bytes); }
        return peer_memory::fetch(from, address, to, bytes);
    }
    bool put(rank_t to, std::uint64_t address, std::byte const* from, std::size_t bytes) final {
        if constexpr (lends_memory<Transport>) { return of_.put(to, address, from, bytes); }
        return peer_memory::put(to, address, from, bytes);
    }
    void enter_memory() final { of_.enter_memory(); }
    void leave_memory() final { of_.leave_memory(); }
    void free_when_closed([[maybe_unused]] any_board& b, void* p, std::size_t bytes) final {
        if constexpr (frees_when_closed<Transport>) {
            of_.free_when_closed(board_of<typename Transport::board>(b), p, bytes);
        } else {
            of_.deallocate(p, bytes);
        }
    }

protected:
    explicit memory_part(Transport& of) : of_(of) {}
    peer_memory* part() { return this; }

private:
    Transport& of_;
};

}  // namespace detail

/// Holds a transport.
template <transport Transport>
class transport_model final : public any_transport, private detail::memory_part<Transport> {
    using board = typename Transport::board;
    using memory_part = detail::memory_part<Transport>;

    class request final : public any_request {
    public:
        bool wrong() const override { return its.wrong(); }
        std::size_t actual_bytes() const override { return its.actual_bytes(); }
        std::uint64_t actual_check() const override { return its.actual_check(); }
        bool came_cut() const override {
            if constexpr (cutting_request<typename Transport::request>) { return its.came_cut(); }
            return any_request::came_cut();
        }
        typename Transport::request its;
    };
    static typename Transport::request& of(any_request& r) { return static_cast<request&>(r).its; }

public:
    /// Makes a model of the transport `t` and keeps `t` alive.
    explicit transport_model(shared_pointer<Transport> t)
        : memory_part(*t), transport_(std::move(t)) {}
    [[gnu::cold]] ~transport_model() override = default;

    /// The transport with its type.
    Transport& of() const { return *transport_; }

    rank_t rank() const override { return transport_->rank(); }
    int size() const override { return transport_->size(); }

    owned<any_request> make_request() override { return make_owned<request>(); }
    [[gnu::always_inline]] void isend(outgoing const& out, any_request& r) override {
        transport_->isend(out, of(r));
    }
    [[gnu::always_inline]] void irecv(incoming const& in, any_request& r) override {
        transport_->irecv(in, of(r));
    }
    [[gnu::always_inline]] bool test(any_request& r) override { return transport_->test(of(r)); }
    void cancel(any_request& r) override { transport_->cancel(of(r)); }
    bool can_consume() const override { return Transport::can_consume; }
    bool poll() override { return transport_->poll(); }
    void doze(condition ready, std::chrono::nanoseconds time) override {
        transport_->doze(ready, time);
    }
    std::optional<peer_exit> gone(rank_t r) const override { return transport_->gone(r); }
    void note_trouble() override { transport_->note_trouble(); }

    [[gnu::cold]] owned<any_board> first_board() override {
        static_assert(has_first_board<Transport>);
        return make_owned<board_model<board>>(transport_->first_board());
    }
    owned<any_board> make_board(lean_vector<rank_t> group, rank_t rank_in_group,
                                share_function share) override {
        return make_owned<board_model<board>>(
            transport_->make_board(std::move(group), rank_in_group, share));
    }
    [[gnu::cold]] void close_board(any_board& b) override {
        transport_->close_board(detail::board_of<board>(b));
    }

    bool can_renew() const override {
        constexpr bool agrees = std::same_as<board, shared::board> || agreeing_board<board>;
        return agrees && (renewing<Transport> || reopening<Transport>);
    }
    [[gnu::cold]] renewed renew([[maybe_unused]] any_board& broken,
                                [[maybe_unused]] loss const& of) override {
        if constexpr (renewing<Transport>) {
            auto next = make_shared_object<transport_model, any_transport>(
                transport_->renew(detail::board_of<board>(broken), of));
            auto its_board = next->first_board();
            return {std::move(next), std::move(its_board), false};
        } else if constexpr (reopening<Transport>) {
            auto& old = detail::board_of<board>(broken);
            return {nullptr, make_owned<board_model<board>>(transport_->reopen(old, of)), true};
        } else {
            return {};
        }
    }

    peer_memory* memory() override { return memory_part::part(); }
    int processors() const override {
        if constexpr (counts_processors<Transport>) { return transport_->processors(); }
        return any_transport::processors();
    }
    int host(rank_t r) const override {
        if constexpr (knows_hosts<Transport>) { return transport_->host(r); }
        return any_transport::host(r);
    }
    bool suspended(rank_t r) const override {
        if constexpr (sees_stopped_ranks<Transport>) { return transport_->suspended(r); }
        return any_transport::suspended(r);
    }
    bool accesses_memory(rank_t r) const override {
        if constexpr (sees_memory_access<Transport>) { return transport_->accesses_memory(r); }
        return any_transport::accesses_memory(r);
    }
    bool any_thread() const override {
        if constexpr (restricts_threads<Transport>) { return transport_->any_thread(); }
        return any_transport::any_thread();
    }
    std::optional<std::size_t> probe(rank_t from, std::uint64_t tag) override {
        if constexpr (probing<Transport>) { return transport_->probe(from, tag); }
        return any_transport::probe(from, tag);
    }
    void receive_control([[maybe_unused]] std::chrono::nanoseconds pause) override {
        if constexpr (receives_control<Transport>) { transport_->receive_control(pause); }
    }
    void tell_failures() override {
        if constexpr (receives_control<Transport>) { transport_->tell_failures(); }
    }
    bool keeps_memory() const override { return collectives::keeps_memory<Transport>; }
    void keep([[maybe_unused]] shared_pointer<void const> memory) override {
        if constexpr (collectives::keeps_memory<Transport>) { transport_->keep(std::move(memory)); }
    }
    void register_memory([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) override {
        if constexpr (memory_registering<Transport>) { transport_->register_memory(p, bytes); }
    }
    void deregister_memory([[maybe_unused]] void* p) override {
        if constexpr (memory_registering<Transport>) { transport_->deregister_memory(p); }
    }
    void use_lock([[maybe_unused]] shared_pointer<progress_lock> of) override {
        if constexpr (uses_progress_lock<Transport>) { transport_->use_lock(std::move(of)); }
    }

private:
    shared_pointer<Transport> transport_;
};

/// A transport without its type. The result keeps it alive. `Pointer`: std::shared_ptr or
/// shared_pointer.
template <template <class> class Pointer, transport Transport>
shared_pointer<any_transport> erase(Pointer<Transport> t) {
    return make_shared_object<transport_model<Transport>, any_transport>(std::move(t));
}

}  // namespace collectives
