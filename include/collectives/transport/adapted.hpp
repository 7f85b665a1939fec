// SPDX-License-Identifier: BSD-3-Clause
// What adaptors have in common: a transport that hands everything on to another one.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/transport/any_transport.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace collectives::inline v0 {

/// Derive from it and override what is to differ. An adapted transport is not peer-addressable, so
/// all data travels as messages, past the adaptor.
class adapted : public any_transport {
public:
    /// Makes an adaptor over `base` and keeps `base` alive.
    explicit adapted(std::shared_ptr<any_transport> base) : base_(std::move(base)) {}

    rank_t rank() const override { return base_->rank(); }
    int size() const override { return base_->size(); }
    owned<any_request> make_request() override { return base_->make_request(); }
    void isend(outgoing const& out, any_request& r) override { base_->isend(out, r); }
    void irecv(incoming const& in, any_request& r) override { base_->irecv(in, r); }
    bool test(any_request& r) override { return base_->test(r); }
    void cancel(any_request& r) override { base_->cancel(r); }
    bool can_consume() const override { return base_->can_consume(); }
    bool poll() override { return base_->poll(); }
    void doze(condition ready, std::chrono::nanoseconds time) override { base_->doze(ready, time); }
    std::optional<peer_exit> gone(rank_t r) const override { return base_->gone(r); }
    void note_trouble() override { base_->note_trouble(); }

    owned<any_board> first_board() override { return base_->first_board(); }
    owned<any_board> make_board(lean_vector<rank_t> group, rank_t rank_in_group,
                                share_function share) override {
        return base_->make_board(std::move(group), rank_in_group, share);
    }
    void close_board(any_board& b) override { base_->close_board(b); }
    bool can_renew() const override { return base_->can_renew() && over(base_) != nullptr; }
    renewed renew(any_board& broken, loss const& of) override {
        auto below = base_->renew(broken, of);
        if (below.carrier) { below.carrier = over(std::move(below.carrier)); }
        return below;
    }

    device_space* device() override { return base_->device(); }
    int processors() const override { return base_->processors(); }
    int host(rank_t r) const override { return base_->host(r); }
    bool suspended(rank_t r) const override { return base_->suspended(r); }
    bool accesses_memory(rank_t r) const override { return base_->accesses_memory(r); }
    bool any_thread() const override { return base_->any_thread(); }
    std::optional<std::size_t> probe(rank_t from, std::uint64_t tag) override {
        return base_->probe(from, tag);
    }
    void receive_control(std::chrono::nanoseconds pause) override { base_->receive_control(pause); }
    void tell_failures() override { base_->tell_failures(); }
    bool keeps_memory() const override { return base_->keeps_memory(); }
    void keep(shared_pointer<void const> memory) override { base_->keep(std::move(memory)); }
    void register_memory(void* p, std::size_t bytes) override { base_->register_memory(p, bytes); }
    void deregister_memory(void* p) override { base_->deregister_memory(p); }
    void use_lock(shared_pointer<progress_lock> of) override { base_->use_lock(std::move(of)); }

    /// The transport below.
    any_transport& base() const { return *base_; }
    std::shared_ptr<any_transport> const& shared_base() const { return base_; }

protected:
    /// The same adaptor over another transport: that of the survivors of a loss. Null if it cannot
    /// go on.
    virtual std::shared_ptr<any_transport> over(std::shared_ptr<any_transport>) const {
        return nullptr;
    }

private:
    std::shared_ptr<any_transport> base_;
};

/// The request of an adaptor that has something of its own to note beside the one below.
class adapted_request : public any_request {
public:
    /// Makes a request that passes everything on to `below`.
    explicit adapted_request(owned<any_request> below) : below_(std::move(below)) {}

    bool wrong() const override { return below_->wrong(); }
    std::size_t actual_bytes() const override { return below_->actual_bytes(); }
    std::uint64_t actual_check() const override { return below_->actual_check(); }
    bool came_cut() const override { return below_->came_cut(); }

    /// The request of the transport below.
    any_request& below() { return *below_; }

private:
    owned<any_request> below_;
};

}  // namespace collectives
