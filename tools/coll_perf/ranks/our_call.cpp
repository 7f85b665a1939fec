// SPDX-License-Identifier: BSD-3-Clause
#include "our_call.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/core/error.hpp>

#include <array>
#include <span>

namespace coll_perf {

our_call::our_call(coll::communicator& me, settings const& how, measured_case const& c)
    : me_(me), kind_(kind::of(c.collective)), case_(c) {
    auto const& type = find_type(c.type);
    auto const& op = *type.find(c.op);
    options_.algorithm = coll::parse_algorithm(c.algorithm);
    if (how.background) { options_.progress = coll::background; }
    if (kind_.how <= form::planned) { functions_ = op.find(kind_.like); }
    for (int r = 0; r < me.size(); ++r) {
        counts_.push_back(coll::block(c.count, me.size(), r).size);
    }
    if (kind_.how != form::fusion) { return; }
    tensors_ = how.tensors;
    add_ = type.fuse;
    coll::fusion_options to;
    to.threshold = how.threshold;
    to.op = op.fused;
    to.algorithm = options_.algorithm;
    to.progress_thread = how.background;
    fusion_.emplace(me, to);
}

std::string our_call::missing() {
    if (kind_.is_message() && me_.size() < 2) { return "takes two ranks"; }
    if (kind_.how != form::shrink) { return {}; }
    try {
        prepare();
        (*this)(nullptr, 0, nullptr, 0);
    } catch (coll::transport_error const& e) { return e.what(); }  // equal on all ranks
    return {};
}

void our_call::prepare() {
    if (kind_.how == form::shrink) { child_.emplace(me_.split(0, me_.rank())); }
}

call_arguments our_call::arguments(std::byte* in, std::size_t in_count, std::byte* out,
                                   std::size_t out_count) const {
    return {in, in_count, out, out_count, case_.root, &options_, counts_};
}

coll::pending our_call::start(std::byte* in, std::size_t in_count, std::byte* out,
                              std::size_t out_count) {
    return functions_.start(me_, arguments(in, in_count, out, out_count));
}

void our_call::operator()(std::byte* in, std::size_t in_count, std::byte* out,
                          std::size_t out_count) {
    auto const a = arguments(in, in_count, out, out_count);
    switch (kind_.how) {
        case form::call: return functions_.call(me_, a);
        case form::counts: return functions_.counts(me_, a);
        case form::started: return functions_.start(me_, a).wait();
        case form::planned: return run_planned(a);
        case form::fusion: return fuse(a);
        case form::split: return static_cast<void>(me_.split(0, me_.rank()));
        case form::split_half: return static_cast<void>(me_.split(me_.rank() % 2, me_.rank()));
        case form::shrink: return static_cast<void>(child_->shrink());
        default: return run_message(a);
    }
}

/// Vectors come in turn, so the plan of each is the next one.
void our_call::run_planned(call_arguments const& a) {
    auto const is_of = [&](plan_of const& p) { return p.in == a.in && p.out == a.out; };
    if (next_plan_ == plans_.size() || !is_of(plans_[next_plan_])) {
        next_plan_ = 0;
        while (next_plan_ < plans_.size() && !is_of(plans_[next_plan_])) { ++next_plan_; }
    }
    if (next_plan_ == plans_.size()) {
        plans_.push_back({static_cast<std::byte*>(a.in), static_cast<std::byte*>(a.out),
                          functions_.plan(me_, a)});
    }
    auto& its = plans_[next_plan_++].call;
    its.start();
    its.wait();
}

void our_call::run_message(call_arguments const& a) {
    std::span const data(static_cast<std::byte const*>(a.in), a.in_count * case_.element);
    std::span const room(static_cast<std::byte*>(a.out), a.out_count * case_.element);
    auto const rank = me_.rank(), size = me_.size();
    switch (kind_.how) {
        case form::exchange:
            return me_.send_recv(data, (rank + 1) % size, room, (rank + size - 1) % size);
        case form::ping_pong:
            if (rank == 0) { me_.send(data, 1); }
            if (rank < 2) { me_.recv(room, 1 - rank); }
            if (rank == 1) { me_.send(data, 0); }
            return;
        case form::one_way: return send_windows(a, rank == 0, rank == 1);
        default: return send_windows(a, rank < 2, rank < 2);
    }
}

/// One window of messages, as in the OSU benchmarks: all into the same memory; a short message says
/// that they have come.
void our_call::send_windows(call_arguments const& a, bool sends, bool receives) {
    if (!sends && !receives) { return; }
    std::span const data(static_cast<std::byte const*>(a.in), a.in_count * case_.element);
    std::span const room(static_cast<std::byte*>(a.out), a.out_count * case_.element);
    auto const other = 1 - me_.rank();
    std::vector<coll::pending> under_way;
    under_way.reserve(2 * window);
    for (int i = 0; receives && i < window; ++i) {
        under_way.push_back(me_.start_recv(room, other));
    }
    for (int i = 0; sends && i < window; ++i) { under_way.push_back(me_.start_send(data, other)); }
    for (auto& p : under_way) { p.wait(); }
    std::array<std::byte, 4> come{};
    if (receives) { me_.send(come, other, 1); }
    if (sends) { me_.recv(come, other, 1); }
}

void our_call::fuse(call_arguments const& a) {
    auto* const data = static_cast<std::byte*>(a.out);
    auto const each = a.out_count / static_cast<std::size_t>(tensors_);
    for (int t = 0; t < tensors_; ++t) {
        add_(*fusion_, data + static_cast<std::size_t>(t) * each * case_.element, each);
    }
    fusion_->flush();
}

}  // namespace coll_perf
