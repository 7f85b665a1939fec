// SPDX-License-Identifier: BSD-3-Clause
// Starts the ranks.
#include "ranks.hpp"

#include "device/run.hpp"
#include "rank.hpp"

#include <fmt/format.h>

#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <new>

namespace trainer {

namespace {

/// A flag that this process shares with those that it starts.
class shared_flag {
public:
    shared_flag()
        : memory_(::mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        if (memory_ == MAP_FAILED) { throw std::bad_alloc(); }
        flag_ = ::new (memory_) std::atomic<bool>(false);
    }
    shared_flag(shared_flag const&) = delete;
    shared_flag& operator=(shared_flag const&) = delete;
    ~shared_flag() { ::munmap(memory_, sizeof(std::atomic<bool>)); }

    void set() { flag_->store(true); }
    bool is_set() const { return flag_->load(); }

private:
    void* memory_;
    std::atomic<bool>* flag_;
};

}  // namespace

void run(work const& w) {
    if (w.kind == task::train && w.how.on == processor::device) { return run_on_devices(w); }
    shared_flag trained;
    try {
        on_ranks(w.how, [&](coll::communicator& comm) {
            work_through_losses(comm, w);
            trained.set();
        });
    } catch (coll::run_error const& e) {
        if (w.how.on_loss == loss::end || !trained.is_set()) { throw; }
        fmt::print(stderr, "sgd_trainer: {}; the others went on without it\n", e.what());
    }
}

}  // namespace trainer
