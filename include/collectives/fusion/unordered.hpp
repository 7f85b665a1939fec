// SPDX-License-Identifier: BSD-3-Clause
// Fusion for ranks whose tensors become ready in different orders: none starts before all have it.
#pragma once

#include <collectives/fusion/buffer.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives {

/// As fusion_buffer, but ranks may add their tensors in any order; each has a name that no other
/// has. Ranks ask in rounds which tensors all have added: a round is one all_reduce of a bit per
/// tensor ever added and one word. Only names that a rank has not added before cost more: they are
/// gathered once. Of the tensors that become ready in one round those of the highest priority go
/// first.
///
/// Rounds move while the rank is in `add` or `flush`. Between the first `add` and the end of
/// `flush` a rank calls nothing else that waits for others: they may wait for it in `add`. A tensor
/// that some rank has not added when all flush is a mismatch_error on all, as is one of another
/// type or size. After an error other than usage_error the buffer is broken, and `comm` is not.
template <transport Transport>
class unordered_fusion_buffer {
public:
    /// Collective. Throws usage_error for `progress_thread`: rounds belong to the rank's own
    /// thread.
    explicit unordered_fusion_buffer(communicator<Transport>& comm, fusion_options const& how = {})
        : words_(checked(comm, how).split(0)),
          own_(comm.split(0)),
          buffer_(own_, how),
          how_(how.call()) {}

    /// Adds a tensor, which must live and stay as it is until the next `flush` returns. Higher
    /// priorities go first; they are equal on all ranks. Throws usage_error for a name that is
    /// still waited for and where the operator is none for the elements, else what a collective
    /// throws.
    template <output_range Tensor>
    void add(Tensor&& values, std::string_view name, int priority = 0) {
        using T = element_t<Tensor>;
        auto const key = hash_text(name);
        auto const count = std::ranges::size(values);
        for (auto const& t : waiting_) {
            if (t.key == key) { refuse(text_of("'", name, "' is added twice")); }
        }
        buffer_.template require<T>();
        waiting_.push_back({key,
                            std::ranges::data(values),
                            count,
                            priority,
                            &forward<T>,
                            {0, 0, count, type_id<T>(), name, type_name<T>()}});
        news_ = true;
        guarded([this] { look(); });
    }
    /// Returns when every tensor is done.
    void flush() {
        guarded([this] {
            flushing_ = true;
            while (flushing_) {
                if (!round_) { ask(); }
                round_->wait();
                answer();
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
        void (*forward)(fusion_buffer<Transport>&, tensor const&) = nullptr;
        tensor_note note;  // index: its key once it is sent
    };
    template <class T>
    static void forward(fusion_buffer<Transport>& to, tensor const& t) {
        (void)to.add(std::span(static_cast<T*>(t.data), t.count), t.note.name.view(), t.priority);
    }

    static communicator<Transport>& checked(communicator<Transport>& comm,
                                            fusion_options const& how) {
        comm.core()->require(!how.progress_thread, collective::all_reduce,
                             "an unordered_fusion_buffer has no progress thread");
        return comm;
    }
    [[noreturn]] void refuse(std::string const& why) const {
        throw usage_error(text_of("rank ", words_.rank(), ", unordered_fusion_buffer: ", why));
    }

    /// The place of a tensor among those all ranks know; their number if it is not there.
    std::size_t place_of(tensor_note const& note, std::uint64_t key) const {
        auto const at = std::find_if(known_.begin(), known_.end(), [&](tensor_note const& k) {
            return k.index == key && k.type == note.type && k.count == note.count;
        });
        return static_cast<std::size_t>(at - known_.begin());
    }

    /// Begins a round: says which of the known tensors this rank has.
    void ask() {
        bits_.assign(1 + (known_.size() + 63) / 64, 0);
        bits_[0] = knows_all | (flushing_ ? in_flush : 0) | (waiting_.empty() ? has_none : 0);
        for (auto const& t : waiting_) {
            auto const i = place_of(t.note, t.key);
            if (i == known_.size()) {
                bits_[0] &= ~knows_all;
            } else {
                bits_[1 + i / 64] |= std::uint64_t{1} << i % 64;
            }
        }
        news_ = false;
        round_.emplace(words_.start_all_reduce(bits_, bit_and{}, how_));
        asked_ = steady::now();
    }
    /// What fails here breaks both communicators: peers may wait on either.
    template <class Part>
    void guarded(Part&& part) {
        try {
            part();
        } catch (usage_error const&) { throw; } catch (...) {
            auto const why = failure_being_handled("unordered_fusion_buffer", words_.rank());
            tell_peers(words_.core()->engine(), why);
            buffer_.fail(why);
            round_.reset();  // its bits are no agreement
            throw;
        }
    }
    void look() {
        if (round_ && round_->test()) { answer(); }
        if (!round_ && !waiting_.empty() && (news_ || steady::now() - asked_ >= pause)) { ask(); }
    }
    /// The end of a round, the same on all ranks.
    void answer() {
        round_.reset();
        auto const flags = bits_[0];
        if ((flags & knows_all) == 0) {
            learn();
            return;
        }
        auto const has_bit = [&](tensor const& t) {
            auto const i = place_of(t.note, t.key);
            return i < known_.size() && (bits_[1 + i / 64] >> i % 64 & 1) != 0;
        };
        auto const rest = std::stable_partition(waiting_.begin(), waiting_.end(), has_bit);
        std::vector<tensor> ready(waiting_.begin(), rest);
        waiting_.erase(waiting_.begin(), rest);
        std::sort(ready.begin(), ready.end(), [this](tensor const& a, tensor const& b) {
            return std::pair(-a.priority, place_of(a.note, a.key)) <
                   std::pair(-b.priority, place_of(b.note, b.key));
        });
        for (auto const& t : ready) { t.forward(buffer_, t); }
        if (!ready.empty() || (flags & in_flush) == 0) { return; }
        if ((flags & has_none) == 0) { complain(); }
        flushing_ = false;
    }
    std::vector<std::vector<tensor_note>> exchange(std::vector<tensor_note> const& mine) {
        auto const n = static_cast<std::size_t>(words_.size());
        std::vector<std::size_t> counts(n);
        words_.all_gather(std::array{mine.size()}, counts, how_);
        std::size_t total = 0;
        for (auto const c : counts) { total += c; }
        std::vector<tensor_note> all(total);
        words_.all_gather(mine, all, counts, how_);
        std::vector<std::vector<tensor_note>> by_rank;
        auto at = all.begin();
        for (auto const c : counts) {
            by_rank.emplace_back(at, at + static_cast<std::ptrdiff_t>(c));
            at += static_cast<std::ptrdiff_t>(c);
        }
        return by_rank;
    }
    std::vector<tensor_note> notes(bool only_unknown) const {
        std::vector<tensor_note> mine;
        for (auto const& t : waiting_) {
            if (only_unknown && place_of(t.note, t.key) < known_.size()) { continue; }
            mine.push_back(t.note);
            mine.back().index = t.key;
        }
        return mine;
    }
    /// Tensors that not all knew get their places, in the order of the ranks.
    void learn() {
        for (auto const& of_rank : exchange(notes(true))) {
            for (auto const& note : of_rank) {
                if (place_of(note, note.index) == known_.size()) { known_.push_back(note); }
            }
        }
        news_ = true;
    }
    /// All flush, and some have tensors left that not all have. Says which, on all ranks.
    [[noreturn]] void complain() {
        auto const all = exchange(notes(false));
        for (std::size_t r = 0; r < all.size(); ++r) {
            for (auto const& note : all[r]) {
                for (std::size_t other = 0; other < all.size(); ++other) {
                    auto const same = [&](tensor_note const& n) { return n.index == note.index; };
                    auto const its = std::find_if(all[other].begin(), all[other].end(), same);
                    auto const is = detail::text_of_tensor(note);
                    if (its == all[other].end()) {
                        give_up(text_of("rank ", r, " has ", is, ", rank ", other, " has not"));
                    } else if (its->type != note.type || its->count != note.count) {
                        give_up(text_of("rank ", r, " has ", is, ", rank ", other, " has ",
                                        detail::text_of_tensor(*its)));
                    }
                }
            }
        }
        give_up("ranks have tensors left that differ");
    }
    [[noreturn]] void give_up(std::string const& why) {
        throw mismatch_error(text_of("rank ", words_.rank(), ": fused tensors differ: ", why));
    }

    communicator<Transport> words_, own_;
    fusion_buffer<Transport> buffer_;  // on own_
    options how_;
    std::vector<tensor> waiting_;     // not ready on all ranks yet
    std::vector<tensor_note> known_;  // all tensors ever added, in the same order on all ranks
    std::vector<std::uint64_t> bits_;
    std::optional<pending<Transport>> round_;  // uses bits_
    steady::time_point asked_{};
    bool news_ = false, flushing_ = false;
};

template <transport Transport>
unordered_fusion_buffer(communicator<Transport>&) -> unordered_fusion_buffer<Transport>;
template <transport Transport>
unordered_fusion_buffer(communicator<Transport>&, fusion_options const&)
    -> unordered_fusion_buffer<Transport>;

}  // namespace collectives
