// SPDX-License-Identifier: BSD-3-Clause
// The MPI tags of send and recv.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/mpi/calls.hpp>
#include <collectives/transport/mpi/header.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

namespace collectives::inline v0::mpi {

/// Gives the tags of send and recv, which have 64 bits, MPI tags of their own. Hashes would sooner
/// or later give two of them one MPI tag, and then messages take each other's place. So the sender
/// numbers the tags that it uses towards a peer, and names each once, under `naming_tag`, before
/// the first message. The peer numbers them in the order in which their names come.
///
/// A tag keeps its number, for as long as the link lives.
class pair_tags {
public:
    static constexpr int naming_tag = 0;

    /// A receive under a tag that its sender has yet to name.
    struct early_receive {
        std::byte* data = nullptr;
        std::size_t bytes = 0;
        rank_t from = 0;
        bool posted = false;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    /// MPI's tags are naming_tag and those up to `last`. `job` is the same on all ranks, and
    /// differs from that of communicators to which MPI gave the same number before.
    pair_tags(MPI_Comm over, std::uint64_t job, int last)
        : over_(over), job_(job), last_(static_cast<std::uint64_t>(last)) {
        detail::require(MPI_Comm_rank(over_, &rank_), "MPI_Comm_rank");
        int size = 1;
        detail::require(MPI_Comm_size(over_, &size), "MPI_Comm_size");
        peers_ = lean_vector<peer>(static_cast<std::size_t>(size));
    }
    pair_tags(pair_tags const&) = delete;
    pair_tags& operator=(pair_tags const&) = delete;

    /// MPI's tag for messages to a rank. Throws transport_error if none is left.
    int of_sends(rank_t to, std::uint64_t tag) {
        auto& sent = at(to).sent;
        auto const found = sent.find(tag);
        if (found != sent.end()) { return found->second; }
        if (sent.size() == last_) {
            throw_error<transport_error>("rank ", rank_, ", send: no tag of MPI is left for rank ",
                                         to, ", to which this rank has sent under ", last_,
                                         " tags, those of each communicator counted");
        }
        auto const number = nth_tag(sent.size());
        name(to, tag);
        sent.emplace(tag, number);
        return number;
    }
    /// MPI's tag for messages from a rank; naming_tag as long as that rank has not named the tag.
    int of_receives(rank_t from, std::uint64_t tag) const {
        auto const& named = peers_[static_cast<std::size_t>(from)].named;
        auto const found = named.find(tag);
        return found != named.end() ? found->second : naming_tag;
    }

    /// Posts a receive once its tag has been named, in the order of the calls. Not if the
    /// caller has let go of it by then.
    std::shared_ptr<early_receive> receive_early(std::byte* data, std::size_t bytes, rank_t from,
                                                 std::uint64_t tag) {
        auto r = std::make_shared<early_receive>(early_receive{data, bytes, from});
        at(from).early[tag].push_back(r);
        return r;
    }
    /// Takes in the names that a rank has told, if a receive needs one.
    void listen(rank_t from) {
        while (!at(from).early.empty() && hear(from)) {}
    }
    /// Takes in the next name that a rank has told; false if none has come.
    bool hear(rank_t from) {
        auto& its = at(from);
        if (its.listening == MPI_REQUEST_NULL) {
            its.listening = detail::post_receive(reinterpret_cast<std::byte*>(&its.heard),
                                                 sizeof its.heard, from, naming_tag, over_);
        }
        int done = 0;
        detail::require(MPI_Test(&its.listening, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done != 0 && its.heard.job == job_) { take_in(from, its.heard.tag); }
        return done != 0;
    }

    /// Ends what is under way; false if MPI may still use the memory of this object.
    bool end() {
        bool all_back = true;
        for (auto& p : peers_) { all_back = detail::take_back(p.listening, true, {}) && all_back; }
        for (auto& one : told_) {
            all_back = detail::take_back(one.under_way, false, {}) && all_back;
        }
        return all_back;
    }

private:
    struct tag_name {
        std::uint64_t job = 0, tag = 0;
    };
    struct told_name {
        tag_name text;
        MPI_Request under_way = MPI_REQUEST_NULL;
    };
    struct peer {
        std::unordered_map<std::uint64_t, int> sent, named;  // MPI's tags, to it and from it
        std::unordered_map<std::uint64_t, lean_vector<std::weak_ptr<early_receive>>> early;
        tag_name heard;
        MPI_Request listening = MPI_REQUEST_NULL;
    };

    peer& at(rank_t r) { return peers_[static_cast<std::size_t>(r)]; }
    /// Each job begins with another tag: a message of an earlier one that nobody has received may
    /// still lie in MPI.
    int nth_tag(std::size_t n) const { return static_cast<int>(1 + (job_ % last_ + n) % last_); }
    void name(rank_t to, std::uint64_t tag) {
        drop_told();
        auto& one = told_.emplace_back(told_name{{job_, tag}});
        one.under_way = detail::post_send(reinterpret_cast<std::byte const*>(&one.text),
                                          sizeof one.text, to, naming_tag, over_);
    }
    void take_in(rank_t from, std::uint64_t tag) {
        auto& its = at(from);
        auto const number = nth_tag(its.named.size());
        its.named.emplace(tag, number);
        auto const waiting = its.early.extract(tag);
        if (waiting.empty()) { return; }
        for (auto const& one : waiting.mapped()) {
            auto const r = one.lock();
            if (!r) { continue; }
            r->request = detail::post_receive(r->data, r->bytes, from, number, over_);
            r->posted = true;
        }
    }
    /// Forgets the names that have been told.
    void drop_told() {
        auto const is_told = [](told_name& one) {
            int done = 0;
            return MPI_Test(&one.under_way, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done != 0;
        };
        while (!told_.empty() && is_told(told_.front())) { told_.pop_front(); }
    }

    MPI_Comm over_;
    std::uint64_t job_;
    std::uint64_t last_;
    int rank_ = 0;
    lean_vector<peer> peers_;
    std::deque<told_name> told_;  // the addresses stay: MPI reads there
};

}  // namespace collectives::mpi
