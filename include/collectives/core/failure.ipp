// SPDX-License-Identifier: BSD-3-Clause
// The definitions of core/failure.hpp.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/failure.hpp>
#include <collectives/core/text.hpp>

#include <algorithm>
#include <exception>

namespace collectives::inline v0 {

[[gnu::cold]] COLLECTIVES_INLINE failure failure::make(failure_kind kind, std::string_view why,
                                                       int peer, list_view<int const> absent) {
    failure f;
    f.kind = kind;
    f.peer = peer;
    f.missing_count = static_cast<std::uint32_t>(std::min(absent.size(), most_missing));
    for (std::size_t i = 0; i < f.missing_count; ++i) { f.missing[i] = absent[i]; }
    why.copy(f.text.data(), text_size - 1);
    return f;
}

[[gnu::cold]] COLLECTIVES_INLINE failure failure::unknown() {
    return make(failure_kind::transport, "a peer damaged the record of what has failed");
}

[[gnu::cold]] COLLECTIVES_INLINE failure failure::out_of_memory(int rank) {
    return make(failure_kind::peer_lost, "a rank has no memory left", rank);
}

[[gnu::cold]] COLLECTIVES_INLINE failure failure::checked(int size) const {
    auto const is_no_rank = [size](std::int32_t r) { return r < 0 || r >= size; };
    auto f = *this;
    if (f.kind > failure_kind::aborted) { f.kind = failure_kind::transport; }
    if (is_no_rank(f.peer)) { f.peer = -1; }
    auto const said = std::min<std::size_t>(missing_count, most_missing);
    f.missing_count = 0;
    for (std::size_t i = 0; i < said; ++i) {
        if (!is_no_rank(missing[i])) { f.missing[f.missing_count++] = missing[i]; }
    }
    f.text.back() = '\0';
    return f;
}

[[gnu::cold]] COLLECTIVES_INLINE void failure::raise(std::string const& where) const {
    auto const what = text_of(where, ": ", text.data());
    switch (kind) {
        case failure_kind::mismatch: throw mismatch_error(what);
        case failure_kind::timeout:
            throw timeout_error(what, {missing.begin(), missing.begin() + missing_count});
        case failure_kind::peer_lost: throw peer_lost_error(what, peer);
        case failure_kind::transport: throw transport_error(what);
        case failure_kind::aborted: break;
    }
    throw error(what);
}

COLLECTIVES_INLINE failure failure_being_handled(std::string_view what, int rank) {
    auto const make = [&](failure_kind kind, std::string_view why, int peer = -1,
                          list_view<int const> missing = {}) {
        return failure::make(kind, text_of(what, ": on rank ", rank, ": ", why), peer, missing);
    };
    try {
        throw;
    } catch (mismatch_error const& e) {
        return make(failure_kind::mismatch, e.what());
    } catch (timeout_error const& e) {
        return make(failure_kind::timeout, e.what(), -1, {e.missing().data(), e.missing().size()});
    } catch (transport_error const& e) {
        return make(failure_kind::transport, e.what());
    } catch (peer_lost_error const& e) {
        return make(failure_kind::peer_lost, e.what(), e.peer());
    } catch (std::exception const& e) {
        return make(failure_kind::peer_lost, e.what(), rank);
    } catch (...) { return make(failure_kind::peer_lost, "an unknown exception", rank); }
}

}  // namespace collectives
