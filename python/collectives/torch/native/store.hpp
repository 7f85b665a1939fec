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
    TORCH_CHECK(bytes.size() == sizeof(T), "collectives: what the store holds as ", key, " is of ",
                bytes.size(), " bytes, not ", sizeof(T));
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}
template <class T>
T take(c10d::Store& store, std::string const& key) {
    return value_in<T>(key, store.get(key));
}

/// The store of a group that is being made, as its ranks use it.
class group_store {
public:
    group_store(c10d::Store& store, int rank, int size)
        : store_(&store), rank_(rank), size_(size) {}

    c10d::Store& operator*() const { return *store_; }
    int rank() const { return rank_; }
    int size() const { return size_; }

    /// All ranks' values of this name, by rank. Collective. Throws timeout_error with the ranks
    /// that did not come.
    template <class T>
    std::vector<T> exchange(std::string const& name, T const& mine,
                            coll::steady::time_point until) const {
        put(*store_, key(name, rank_), mine);
        await(name, until);
        std::vector<T> all;
        for (int r = 0; r < size_; ++r) { all.push_back(take<T>(*store_, key(name, r))); }
        return all;
    }
    /// The same of bytes, which may be of other sizes on other ranks.
    std::vector<coll::bootstrap_bytes> exchange_bytes(std::string const& name,
                                                      std::span<std::byte const> mine,
                                                      coll::steady::time_point until) const {
        coll::detail::require_bootstrap_bytes(rank_, mine.size());
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
    void await(std::string const& name, coll::steady::time_point until) const {
        using std::chrono::milliseconds;
        std::vector<std::string> keys;
        for (int r = 0; r < size_; ++r) { keys.push_back(key(name, r)); }
        auto const left = std::chrono::ceil<milliseconds>(until - coll::steady::now());
        try {
            store_->wait(keys, std::max(left, milliseconds(1)));
        } catch (std::exception const& e) {
            auto text = coll::text_of("rank ", rank_, " of ", size_,
                                      ", making a group: time ran out in the store; missing rank");
            std::vector<int> missing;
            for (int r = 0; r < size_; ++r) {
                if (store_->check({keys[static_cast<std::size_t>(r)]})) { continue; }
                missing.push_back(r);
                text += coll::text_of(" ", r);
            }
            throw coll::timeout_error(text + "; the store says: " + e.what(), std::move(missing));
        }
    }

    c10d::Store* store_;
    int rank_, size_;
};

}  // namespace collectives_torch
