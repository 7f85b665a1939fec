// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.hpp"

namespace trainer {

void run_threads(work const& w);
void run_processes(work const& w);
void run_joined(work const& w);

void run(work const& w) {
    switch (w.how.where) {
        case transport::threads: return run_threads(w);
        case transport::processes: return run_processes(w);
        case transport::joined: return run_joined(w);
    }
}

}  // namespace trainer
