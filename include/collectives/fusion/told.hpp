// SPDX-License-Identifier: BSD-3-Clause
// A failure that one rank alone knows of: it breaks the communicator, so that no peer waits for it.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/failure.hpp>
#include <collectives/core/text.hpp>
#include <collectives/executor/engine.hpp>

#include <exception>
#include <string_view>
#include <vector>

namespace collectives {

/// The exception being handled, as ranks tell it to each other.
template <class = void>
failure failure_being_handled(std::string_view title, rank_t rank) {
    auto const make = [&](failure_kind kind, std::string_view why, int peer = -1,
                          std::vector<int> const& missing = {}) {
        return failure::make(kind, text_of(title, ": on rank ", rank, ": ", why), peer, missing);
    };
    try {
        throw;
    } catch (mismatch_error const& e) {
        return make(failure_kind::mismatch, e.what());
    } catch (timeout_error const& e) {
        return make(failure_kind::timeout, e.what(), -1, e.missing());
    } catch (transport_error const& e) {
        return make(failure_kind::transport, e.what());
    } catch (peer_lost_error const& e) {
        return make(failure_kind::peer_lost, e.what(), e.peer());
    } catch (std::exception const& e) {
        return make(failure_kind::peer_lost, e.what(), rank);
    } catch (...) { return make(failure_kind::peer_lost, "an unknown exception", rank); }
}

/// Breaks the communicator, on all ranks, unless it is broken already.
template <transport Transport>
void tell_peers(engine<Transport>& e, failure const& why) {
    if (e.board().stopped()) { return; }
    e.carrier().note_trouble();
    e.board().fail(why);
}

}  // namespace collectives
