// SPDX-License-Identifier: BSD-3-Clause
// The state of an unordered_fusion_buffer: the tensors of all ranks, and the rounds in which ranks
// agree on those that start.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>
#include <collectives/core/failure.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/fusion/buffer.hpp>
#include <collectives/fusion/mismatch_report.hpp>
#include <collectives/fusion/report_failure.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace collectives::inline v0::detail {

class unordered_fusion_state {
public:
    unordered_fusion_state(communicator& comm, fusion_options const& how)
        : rounds_(checked(comm, how).split(0)),
          own_(comm.split(0)),
          buffer_(own_, how),
          how_(how.call()) {}

    void add(fused_type const& type, void* data, std::size_t count, std::string_view name,
             int priority) {
        auto const key = hash_text(name);
        if (names_.contains(key)) { refuse(text_of("'", name, "' is added twice")); }
        buffer_.require(type);
        names_.insert(key);
        place({key, data, count, priority, &type, {key, 0, count, type.id, name, type.name}});
        news_ = true;
        guarded([this] { progress(); });
    }
    void flush() {
        guarded([this] {
            flushing_ = true;
            while (flushing_) {
                if (!round_) { begin_round(); }
                round_->wait();
                end_round();
            }
            buffer_.flush();
        });
    }

private:
    static constexpr std::uint64_t knows_all = 1, in_flush = 2, has_none = 4;
    static constexpr std::chrono::milliseconds pause{1};  // between rounds that bring nothing new

    struct tensor {
        std::uint64_t key = 0;  // hash of its whole name
        void* data = nullptr;
        std::size_t count = 0;
        int priority = 0;
        fused_type const* type = nullptr;
        tensor_note note;  // index: its key
    };

    static communicator& checked(communicator& comm, fusion_options const& how) {
        auto& core = *core_of(comm);
        auto const make = core.make();
        make.require(!how.progress_thread, collective::all_reduce,
                     "an unordered_fusion_buffer has no progress thread");
        make.require(core.engine().space().device() == nullptr, collective::all_reduce,
                     "the rounds of an unordered_fusion_buffer are in host memory alone");
        return comm;
    }
    [[noreturn]] void refuse(std::string const& why) const {
        throw_error<usage_error>("rank ", rounds_.rank(), ", unordered_fusion_buffer: ", why);
    }

    /// The properties of a tensor that must be equal on all ranks.
    struct identity {
        std::uint64_t key, type, count;
        friend bool operator==(identity const&, identity const&) = default;
    };
    struct hash_of_identity {
        std::size_t operator()(identity const& i) const {
            return detail::hash_mix(i.key, i.type ^ i.count);
        }
    };
    static identity identity_of(tensor_note const& n) { return {n.index, n.type, n.count}; }

    /// Stores a tensor at its place, if all ranks know the tensor, else among the unknown.
    void place(tensor const& t) {
        auto const known = known_.find(identity_of(t.note));
        if (known == known_.end()) {
            unknown_.push_back(t);
            return;
        }
        auto const i = known->second;
        waiting_[i] = t;
        has_[i / 64] |= std::uint64_t{1} << i % 64;
    }
    /// Calls f(place) for each bit.
    template <class F>
    static void each_bit(std::span<std::uint64_t const> bits, F&& f) {
        for (std::size_t w = 0; w < bits.size(); ++w) {
            for (auto rest = bits[w]; rest != 0; rest &= rest - 1) {
                f(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
            }
        }
    }

    /// Begins a round. This rank says which of the known tensors it has.
    void begin_round() {
        bits_.assign(1, (unknown_.empty() ? knows_all : 0) | (flushing_ ? in_flush : 0) |
                            (names_.empty() ? has_none : 0));
        bits_.append(has_.begin(), has_.end());
        news_ = false;
        round_.emplace(rounds_.start_all_reduce(bits_, bit_and{}, how_));
        began_ = steady::now();
    }
    /// A failure breaks both communicators, because peers may wait on either.
    template <class Part>
    void guarded(Part&& part) {
        try {
            part();
        } catch (usage_error const&) { throw; } catch (...) {
            auto const why = failure_being_handled("unordered_fusion_buffer", rounds_.rank());
            report_failure(core_of(rounds_)->engine(), why);
            buffer_.fail(why);
            round_.reset();  // its bits are no agreement
            throw;
        }
    }
    void progress() {
        if (round_ && round_->test()) { end_round(); }
        if (!round_ && !names_.empty() && (news_ || steady::now() - began_ >= pause)) {
            begin_round();
        }
    }
    /// Ends a round: starts the tensors that all ranks have. The same on all ranks.
    void end_round() {
        round_.reset();
        auto const flags = bits_[0];
        if ((flags & knows_all) == 0) {
            place_unknown();
            return;
        }
        for (std::size_t i = 0; i < has_.size(); ++i) {
            if ((bits_[i + 1] & ~has_[i]) != 0) {
                throw_error<transport_error>(
                    "all ranks are said to have a tensor that this one has not");
            }
        }
        lean_vector<tensor> ready;
        each_bit(std::span(bits_).subspan(1), [&](std::size_t i) {
            has_[i / 64] &= ~(std::uint64_t{1} << i % 64);
            names_.erase(waiting_[i].key);
            ready.push_back(waiting_[i]);
        });
        std::stable_sort(ready.begin(), ready.end(), [](tensor const& a, tensor const& b) {
            return a.priority > b.priority;  // of equals the one that was known first
        });
        for (auto const& t : ready) {
            (void)buffer_.add(*t.type, t.data, t.count, t.note.name.view(), t.priority);
        }
        if (!ready.empty() || (flags & in_flush) == 0) { return; }
        if ((flags & has_none) == 0) { throw_leftovers(); }
        flushing_ = false;
    }
    lean_vector<lean_vector<tensor_note>> exchange(lean_vector<tensor_note> const& mine) {
        auto const n = static_cast<std::size_t>(rounds_.size());
        lean_vector<std::size_t> counts(n);
        rounds_.all_gather(std::array{mine.size()}, counts, how_);
        lean_vector<tensor_note> all(number_of_notes(counts));
        rounds_.all_gather(mine, all, counts, how_);
        lean_vector<lean_vector<tensor_note>> by_rank;
        auto at = all.begin();
        for (auto const c : counts) {
            by_rank.emplace_back(at, at + static_cast<std::ptrdiff_t>(c));
            at += static_cast<std::ptrdiff_t>(c);
        }
        return by_rank;
    }
    lean_vector<tensor_note> notes(bool only_unknown) const {
        lean_vector<tensor_note> mine;
        for (auto const& t : unknown_) { mine.push_back(t.note); }
        if (only_unknown) { return mine; }
        each_bit(has_, [&](std::size_t i) { mine.push_back(waiting_[i].note); });
        return mine;
    }
    /// Gives places to the tensors that not all ranks knew, in the order of the ranks.
    void place_unknown() {
        for (auto const& of_rank : exchange(notes(true))) {
            for (auto const& note : of_rank) { known_.emplace(identity_of(note), known_.size()); }
        }
        waiting_.resize(known_.size());
        has_.resize((known_.size() + 63) / 64);
        auto const mine = std::exchange(unknown_, {});
        for (auto const& t : mine) { place(t); }
        news_ = true;
    }
    /// Throws on all ranks when all flush and some have tensors left that not all have.
    [[noreturn]] void throw_leftovers() {
        auto const all = exchange(notes(false));
        for (std::size_t r = 0; r < all.size(); ++r) {
            for (auto const& note : all[r]) {
                for (std::size_t other = 0; other < all.size(); ++other) {
                    auto const same = [&](tensor_note const& n) { return n.index == note.index; };
                    auto const its = std::find_if(all[other].begin(), all[other].end(), same);
                    auto const is = detail::text_of_tensor(note);
                    if (its == all[other].end()) {
                        throw_mismatch(
                            text_of("rank ", r, " has ", is, ", rank ", other, " has not"));
                    } else if (its->type != note.type || its->count != note.count) {
                        throw_mismatch(text_of("rank ", r, " has ", is, ", rank ", other, " has ",
                                               detail::text_of_tensor(*its)));
                    }
                }
            }
        }
        throw_mismatch("ranks have tensors left that differ");
    }
    [[noreturn]] void throw_mismatch(std::string const& why) {
        throw_error<mismatch_error>("rank ", rounds_.rank(), ": fused tensors differ: ", why);
    }

    communicator rounds_, own_;
    fusion_buffer buffer_;  // on own_
    options how_;
    // All tensors ever added, with their places in an order that is the same on all ranks.
    std::unordered_map<identity, std::size_t, hash_of_identity> known_;
    lean_vector<tensor> waiting_;     // by their places; valid where has_ has a bit
    lean_vector<std::uint64_t> has_;  // a bit for each place: this rank has the tensor, not yet all
    lean_vector<tensor> unknown_;     // waiting too, but without a place
    std::unordered_set<std::uint64_t> names_;  // keys of all that wait
    lean_vector<std::uint64_t> bits_;
    std::optional<pending> round_;  // uses bits_
    steady::time_point began_{};
    bool news_ = false, flushing_ = false;
};

}  // namespace collectives::detail
