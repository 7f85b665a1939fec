// SPDX-License-Identifier: BSD-3-Clause
// What adaptors have in common: a transport that hands everything on to another one.
#pragma once

#include <collectives/transport/concepts.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace collectives {

/// Derive from it and hide what is to differ. An adapted transport is not peer-addressable, so all
/// data travels as messages, past the adaptor.
template <transport Base>
class adapted {
public:
    using request = typename Base::request;
    using board = typename Base::board;
    static constexpr bool can_consume = Base::can_consume;

    explicit adapted(std::shared_ptr<Base> base) : base_(std::move(base)) {}

    rank_t rank() const { return base_->rank(); }
    int size() const { return base_->size(); }
    void isend(outgoing const& out, request& r) { base_->isend(out, r); }
    void irecv(incoming const& in, request& r) { base_->irecv(in, r); }
    bool test(request& r) { return base_->test(r); }
    void cancel(request& r) { base_->cancel(r); }
    bool poll() { return base_->poll(); }
    template <class Ready>
    void doze(Ready&& ready, std::chrono::nanoseconds time) {
        base_->doze(std::forward<Ready>(ready), time);
    }
    std::optional<departure> gone(rank_t r) const { return base_->gone(r); }
    int processors() const
        requires requires(Base const& b) { b.processors(); }
    {
        return base_->processors();
    }
    bool any_thread() const
        requires requires(Base const& b) { b.any_thread(); }
    {
        return base_->any_thread();
    }
    int host(rank_t r) const
        requires requires(Base const& b) { b.host(r); }
    {
        return base_->host(r);
    }
    bool suspended(rank_t r) const
        requires requires(Base const& b) { b.suspended(r); }
    {
        return base_->suspended(r);
    }
    bool inside(rank_t r) const
        requires requires(Base const& b) { b.inside(r); }
    {
        return base_->inside(r);
    }
    decltype(auto) space()
        requires requires(Base& b) { b.space(); }
    {
        return base_->space();
    }
    void hear()
        requires requires(Base& b) { b.hear(); }
    {
        base_->hear();
    }
    void keep(std::shared_ptr<void const> memory)
        requires requires(Base& b) { b.keep(nullptr); }
    {
        base_->keep(std::move(memory));
    }
    void register_memory(void* p, std::size_t bytes)
        requires memory_registering<Base>
    {
        base_->register_memory(p, bytes);
    }
    void deregister_memory(void* p)
        requires memory_registering<Base>
    {
        base_->deregister_memory(p);
    }
    template <class Share>
    board make_board(std::vector<rank_t> group, rank_t rank_in_group, Share&& share) {
        return base_->make_board(std::move(group), rank_in_group, std::forward<Share>(share));
    }

    void close_board(board& b) { base_->close_board(b); }
    void note_trouble() { base_->note_trouble(); }

    /// The transport below.
    Base& base() const { return *base_; }

private:
    std::shared_ptr<Base> base_;
};

}  // namespace collectives
