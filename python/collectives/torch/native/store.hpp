// SPDX-License-Identifier: BSD-3-Clause
// What ranks tell each other through torch's store while they meet.
#pragma once

#include <collectives/core/bootstrap.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>

#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace collectives_torch {

namespace coll = collectives;

template <class T>
void put(c10d::Store& store, std::string const& key, T const& value) {
    std::vector<std::uint8_t> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    store.set(key, bytes);
}
template <class T>
T value_in(std::string const& key, std::vector<std::uint8_t> const& bytes) {
    TORCH_CHECK_WITH(DistBackendError, bytes.size() == sizeof(T),
                     "collectives: what the store holds as ", key, " is of ", bytes.size(),
                     " bytes, not ", sizeof(T), ": that rank has another version of the package");
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}
template <class T>
T take(c10d::Store& store, std::string const& key) {
    return value_in<T>(key, store.get(key));
}

/// The store of a group that is being made, as its ranks use it. What it has put there is deleted
/// once all ranks have read it. A group of one rank uses no store: torch gives several of these one
/// name where ranks divide different groups, and one would delete what another waits for.
class group_store {
public:
    group_store(c10d::Store& store, int rank, int size)
        : store_(&store), rank_(rank), size_(size) {}

    int rank() const { return rank_; }
    int size() const { return size_; }

    /// The value that rank 0 gives.
    template <class T>
    void give(std::string const& name, T const& value) {
        if (size_ == 1) { return; }
        used_.push_back(name);
        put(*store_, name, value);
    }
    template <class T>
    T given(std::string const& name) {
        used_.push_back(name);
        return take<T>(*store_, name);
    }
    /// This rank needs nothing more of it. Collective, but nobody waits. Some stores of a program's
    /// own cannot delete: they keep what is there.
    void leave() {
        if (size_ == 1 || store_->add("has read", 1) != size_) { return; }
        used_.emplace_back("has read");
        try {
            for (auto const& one : used_) { store_->deleteKey(one); }
        } catch (std::exception const&) {  // NOLINT: only memory is lost
        }
    }

    /// All ranks' values of this name, by rank. Collective. Throws timeout_error with the ranks
    /// that did not come.
    template <class T>
    std::vector<T> exchange(std::string const& name, T const& mine,
                            coll::steady::time_point until) {
        if (size_ == 1) { return {mine}; }
        put(*store_, key(name, rank_), mine);
        await(name, until);
        std::vector<T> all;
        for (int r = 0; r < size_; ++r) { all.push_back(take<T>(*store_, key(name, r))); }
        return all;
    }
    /// The same of bytes, which may be of other sizes on other ranks.
    std::vector<coll::bootstrap_bytes> exchange_bytes(std::string const& name,
                                                      std::span<std::byte const> mine,
                                                      coll::steady::time_point until) {
        coll::detail::require_bootstrap_bytes(rank_, mine.size());
        if (size_ == 1) { return {coll::bootstrap_bytes(mine.begin(), mine.end())}; }
        auto const* const first = reinterpret_cast<std::uint8_t const*>(mine.data());
        store_->set(key(name, rank_), std::vector<std::uint8_t>(first, first + mine.size()));
        await(name, until);
        std::vector<coll::bootstrap_bytes> all;
        for (int r = 0; r < size_; ++r) {
            auto const given = store_->get(key(name, r));
            coll::detail::require_given_bytes(rank_, r, given.size());
            auto const its = std::as_bytes(std::span(given));
            all.emplace_back(its.begin(), its.end());
        }
        return all;
    }

private:
    static std::string key(std::string const& name, int rank) {
        return coll::text_of(name, " of rank ", rank);
    }
    void await(std::string const& name, coll::steady::time_point until) {
        using std::chrono::milliseconds;
        std::vector<std::string> keys;
        for (int r = 0; r < size_; ++r) { keys.push_back(key(name, r)); }
        auto const left = std::chrono::ceil<milliseconds>(until - coll::steady::now());
        try {
            store_->wait(keys, std::max(left, milliseconds(1)));
        } catch (std::exception const& e) {
            auto const where = coll::text_of("rank ", rank_, " of ", size_, ", making a group: ");
            if (coll::steady::now() < until) {
                throw coll::transport_error(where + "the store failed: " + e.what());
            }
            auto text = where + "time ran out in the store; missing rank";
            std::vector<int> missing;
            for (int r = 0; r < size_; ++r) {
                if (store_->check({keys[static_cast<std::size_t>(r)]})) { continue; }
                missing.push_back(r);
                text += coll::text_of(" ", r);
            }
            throw coll::timeout_error(text + "; the store says: " + e.what(), std::move(missing));
        }
        used_.insert(used_.end(), keys.begin(), keys.end());
    }

    c10d::Store* store_;
    int rank_, size_;
    std::vector<std::string> used_;
};

}  // namespace collectives_torch
