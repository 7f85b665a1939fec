// SPDX-License-Identifier: BSD-3-Clause
// What a user holds: the collectives as members.
#pragma once

#include <collectives/communicator/buffer.hpp>
#include <collectives/communicator/pairs.hpp>
#include <collectives/core/deferred.hpp>
#include <collectives/core/text.hpp>
#include <collectives/select/model_text.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives {

/// A group of ranks that call collectives together, in the same order. One thread at a time uses a
/// rank's communicators (all that come from one `run` or `join`), except for `abort`.
///
/// Sizes are exact; counts are elements. Every collective throws usage_error (before anything is
/// sent), mismatch_error, timeout_error, peer_lost_error or transport_error; after any but the
/// first the communicator is broken, and each further call throws at once.
template <transport Transport>
class communicator : public pairs<Transport> {
public:
    using transport_type = Transport;

    /// The communicator of all ranks of a job, as `run` and `join` make it.
    explicit communicator(std::shared_ptr<Transport> t) : communicator(t, model_of_environment()) {}
    communicator(std::shared_ptr<hub<Transport>> shared, typename Transport::board board,
                 rank_group group, std::uint64_t context, machine_model const& prices)
        : pairs<Transport>(std::make_shared<communicator_core<Transport>>(
              std::move(shared), std::move(board), std::move(group), context, prices)) {}
    communicator(communicator&&) noexcept = default;
    communicator& operator=(communicator&&) noexcept = default;

    using pairs<Transport>::rank;
    using pairs<Transport>::size;

    /// A communicator of the ranks with the same color, ordered by key, then rank. Collective.
    communicator split(int color, int key = 0) {
        auto const turn = core_->engine().turn();
        struct member {
            int color, key, rank;
        };
        std::array const mine{member{color, key, rank()}};
        std::vector<member> all(static_cast<std::size_t>(size()));
        all_gather_as(collective::split, mine, all);
        std::erase_if(all, [color](auto const& p) { return p.color != color; });
        std::stable_sort(all.begin(), all.end(),
                         [](auto const& a, auto const& b) { return a.key < b.key; });
        deferred<std::vector<rank_t>, Transport> members;
        for (auto const& p : all) { members.push_back(p.rank); }
        auto const salt = static_cast<std::uint64_t>(static_cast<std::uint32_t>(color));
        return derive(core_->engine().shared(), members, salt);
    }

    /// n zeroed elements on every rank in memory that peers can reach. Collective; n is the same on
    /// all ranks. Throws transport_error on every rank if one has no memory.
    template <class T>
    buffer<T, Transport> allocate(std::size_t n) {
        static_assert(std::is_trivially_copyable_v<T>);
        core_->require(n <= static_cast<std::size_t>(-1) / sizeof(T), collective::allocate,
                       text_of(n, " elements are more than memory can be"));
        std::optional<buffer<T, Transport>> mine;
        std::string why;
        try {
            mine.emplace(core_->engine().shared()->carrier, n);
        } catch (std::exception const& e) { why = e.what(); }
        std::array const ask{static_cast<std::uint64_t>(mine.has_value()),
                             static_cast<std::uint64_t>(n)};
        deferred<std::vector<std::array<std::uint64_t, 2>>, T> all(
            static_cast<std::size_t>(size()));
        all_gather_as(collective::allocate, std::span(&ask, 1), all, n);
        for (std::size_t r = 0; r < all.size(); ++r) {
            if (all[r][0] != 0) { continue; }
            throw transport_error(text_of("rank ", rank(), ", allocate: rank ", r,
                                          " has no memory for ", n, " elements",
                                          (why.empty() ? "" : text_of(": ", why))));
        }
        return std::move(*mine);
    }

    /// The same ranks over a transport that `adaptor` makes from this one (counted, throttled,
    /// traced). Collective. The adapted transport keeps this one alive.
    template <class Adaptor>
    auto with(Adaptor const& adaptor) {
        auto const turn = core_->engine().turn();
        auto adapted = adaptor(core_->engine().shared()->carrier);
        using adapted_transport = typename decltype(adapted)::element_type;
        deferred<std::vector<rank_t>, Transport> members(static_cast<std::size_t>(size()));
        for (std::size_t i = 0; i < members.size(); ++i) { members[i] = static_cast<rank_t>(i); }
        auto shared = std::make_shared<hub<adapted_transport>>(std::move(adapted),
                                                               core_->engine().shared()->work);
        return derive(std::move(shared), members, hash_text("with"));
    }

    /// Ends every rank's waits with an error. May be called from any thread.
    void abort(std::string_view why) {
        core_->engine().board().fail(
            failure::make(failure_kind::aborted, text_of("aborted by rank ", rank(), ": ", why)));
        core_->engine().stop_kernels();
    }

    /// What `automatic` would take for a vector of so many bytes, with the predicted times. For
    /// gather and scatter the size does not count: without counts not every rank knows it.
    explanation explain(std::size_t bytes, collective what = collective::all_reduce) {
        core_->require(static_cast<std::size_t>(what) < scheduled_collectives.size(), what,
                       "automatic chooses nothing for it");
        auto const unknown = what == collective::gather || what == collective::scatter;
        return core_->explain(what, unknown ? 0 : bytes);
    }
    /// The prices by which `automatic` chooses. They must be equal on all ranks: see `tune`.
    machine_model const& model() const { return core_->selector().model(); }
    void use(machine_model const& prices) { core_->use(prices); }

private:
    communicator(std::shared_ptr<Transport> const& t, machine_model const& prices)
        : communicator(std::make_shared<hub<Transport>>(t), t->first_board(), everybody(*t), 1,
                       prices) {}

    using pairs<Transport>::core_;
    using pairs<Transport>::make;

    static rank_group everybody(Transport const& t) {
        deferred<std::vector<rank_t>, Transport> all(static_cast<std::size_t>(t.size()));
        for (std::size_t i = 0; i < all.size(); ++i) { all[i] = static_cast<rank_t>(i); }
        return {std::move(all), t.rank()};
    }

    /// An all_gather of one element per rank on the library's own account; `count` must be equal.
    template <class In, class Out>
    void all_gather_as(collective what, In const& in, Out& out, std::size_t count = 0) {
        auto r = make().to_whole(collective::all_gather, in, out, {}, 0, {});
        r.as = what;
        r.stated_count = count;
        core_->run(r);
    }

    template <collectives::transport Other>
    communicator<Other> derive(std::shared_ptr<hub<Other>> shared,
                               deferred<std::vector<rank_t>, Transport> members,
                               std::uint64_t salt) {
        auto const me = static_cast<rank_t>(std::find(members.begin(), members.end(), rank()) -
                                            members.begin());
        auto const leader = members.front();
        auto const share = [&](std::uint64_t mine) {
            deferred<std::vector<std::uint64_t>, Transport> all(static_cast<std::size_t>(size()));
            all_gather_as(collective::split, std::array{mine}, all);
            return all[static_cast<std::size_t>(leader)];
        };
        for (auto& m : members) { m = core_->engine().group().job_rank(m); }
        core_->engine().require_usable(collective::split);  // before a board is made in vain
        auto board = shared->carrier->make_board(members, me, share);
        auto const context = mix(mix(core_->engine().context(), ++derived_), salt);
        return communicator<Other>(std::move(shared), std::move(board),
                                   rank_group(std::move(members), me), context, model());
    }

    std::uint64_t derived_ = 0;
};

}  // namespace collectives
