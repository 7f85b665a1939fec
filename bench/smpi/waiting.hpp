// SPDX-License-Identifier: BSD-3-Clause
// Polling costs no simulated time. The library polls its requests in turn until one has ended;
// simulated as it is, each look would have to take some time, or time would stand still, and a rank
// with many requests would pay for all of them. Here who asks again for what it has found under
// way, with nothing new in between, sleeps in the simulation until one of those that it has asked
// for ends. To be included once, before what calls MPI. Each rank has variables of its own.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

namespace simulated {

/// What the library holds in place of a request of MPI's: a handle that stays its own until the
/// library has heard that the request has ended.
struct message {
    MPI_Request real;
    bool expected;  // by a rank that does nothing else; words may come or not
    bool ended = false;
    MPI_Status status{};
};

/// The messages of one rank.
class messages {
public:
    MPI_Request add(MPI_Request real, bool expected) {
        auto m = std::make_unique<message>(real, expected);
        auto const handle = reinterpret_cast<MPI_Request>(m.get());
        all_.emplace(handle, std::move(m));
        asked_.clear();
        return handle;
    }
    /// Null for a request that is MPI's own, as collectives have.
    message* find(MPI_Request handle) const {
        auto const found = all_.find(handle);
        return found == all_.end() ? nullptr : found->second.get();
    }
    bool has_ended(message& m) {
        if (m.ended) { return true; }
        if (!m.expected) {
            int ended = 0;
            PMPI_Test(&m.real, &ended, &m.status);
            m.ended = ended != 0;
        } else if (std::find(asked_.begin(), asked_.end(), &m) == asked_.end()) {
            asked_.push_back(&m);
        } else {
            sleep();
        }
        return m.ended;
    }
    /// What is still under way is the caller's again.
    MPI_Request remove(MPI_Request handle) {
        auto const real = find(handle)->real;
        all_.erase(handle);
        asked_.clear();
        return real;
    }

private:
    void sleep() {
        std::vector<MPI_Request> reals;
        for (auto const* m : asked_) { reals.push_back(m->real); }
        int which = 0;
        MPI_Status status;
        PMPI_Waitany(static_cast<int>(reals.size()), reals.data(), &which, &status);
        auto& m = *asked_[static_cast<std::size_t>(which)];
        m.real = MPI_REQUEST_NULL;
        m.ended = true;
        m.status = status;
        asked_.clear();
    }

    std::unordered_map<MPI_Request, std::unique_ptr<message>> all_;
    std::vector<message*> asked_;  // and found under way, since anything was new
};

static messages mine;

}  // namespace simulated

extern "C" {

int MPI_Isend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm over,
              MPI_Request* r) {
    auto const result = PMPI_Isend(data, count, type, to, tag, over, r);
    if (result == MPI_SUCCESS) { *r = simulated::mine.add(*r, true); }
    return result;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm over,
              MPI_Request* r) {
    auto const result = PMPI_Irecv(data, count, type, from, tag, over, r);
    if (result == MPI_SUCCESS) { *r = simulated::mine.add(*r, from != MPI_ANY_SOURCE); }
    return result;
}

/// SMPI says that a null request has not ended.
int MPI_Test(MPI_Request* r, int* flag, MPI_Status* status) {
    *flag = 1;
    if (*r == MPI_REQUEST_NULL) { return MPI_SUCCESS; }
    auto* const m = simulated::mine.find(*r);
    if (m == nullptr) { return PMPI_Test(r, flag, status); }
    *flag = simulated::mine.has_ended(*m) ? 1 : 0;
    if (*flag == 0) { return MPI_SUCCESS; }
    if (status != MPI_STATUS_IGNORE) { *status = m->status; }
    simulated::mine.remove(*r);
    *r = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

/// What is cancelled is MPI's own from there on.
int MPI_Cancel(MPI_Request* r) {
    if (simulated::mine.find(*r) != nullptr) { *r = simulated::mine.remove(*r); }
    return *r != MPI_REQUEST_NULL ? PMPI_Cancel(r) : MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request* r) {
    if (simulated::mine.find(*r) != nullptr) { *r = simulated::mine.remove(*r); }
    return *r != MPI_REQUEST_NULL ? PMPI_Request_free(r) : MPI_SUCCESS;
}

}  // extern "C"
