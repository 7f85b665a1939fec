// SPDX-License-Identifier: BSD-3-Clause
// What each rank runs, whatever the ranks are.
#pragma once

#include "data_parallel.hpp"
#include "ranks.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace trainer {

using rank_body = std::function<void(coll::communicator&)>;

/// Calls body(comm) on ranks of the kind that is asked for.
void on_ranks(settings const& how, rank_body const& body);
/// The same for threads and processes, which this program starts itself.
void on_own_ranks(settings const& how, rank_body const& body);

/// Whether all ranks hold the same bits; the answer is right on rank 0.
bool same_everywhere(coll::communicator& comm, std::vector<float> const& values);

/// Where nothing counts the bytes.
inline std::uint64_t nothing_sent() { return 0; }

/// Trains or traces. Takes the steps over `base` as it is, or, where something is to be seen of
/// their messages, over adaptors that count bytes, slow links down and trace each message.
void work_on(coll::communicator& base, work const& w, learnt& of);

}  // namespace trainer
