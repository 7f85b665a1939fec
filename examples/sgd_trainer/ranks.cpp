// SPDX-License-Identifier: BSD-3-Clause
// The one file that compiles the library's templates for what ranks can be.
#include "ranks.hpp"

#include "rank.hpp"

namespace trainer {

void run(work const& w) {
    auto const body = [&](auto& comm) { work_or_observe(comm, w); };
    switch (w.how.where) {
        case transport::threads: return coll::threads::run(w.how.ranks, body);
        case transport::processes: return coll::shm::run(w.how.ranks, body);
        case transport::joined: {
            auto comm = coll::shm::join();
            return body(comm);
        }
    }
}

}  // namespace trainer
