// SPDX-License-Identifier: BSD-3-Clause
// Ranks of all kinds: those of a launcher too, those that classify, and those that go on after a
// loss.
#include "ranks.hpp"

#include "device/run.hpp"
#include "rank.hpp"

#include "../../tools/launched/launched.hpp"

#include <collectives/collectives.hpp>

#include <fmt/format.h>

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <new>
#include <optional>
#include <span>
#include <typeinfo>
#include <utility>
#include <vector>

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

/// Classifies the test images over a communicator whose messages are counted, and throws if there
/// were any before the ranks add up what they saw.
void classify_rank(coll::communicator& base, job const& what, state now, observer& all) {
    share(base, now);
    auto net = what.make_network();
    auto* const book = base.rank() == 0 ? &all : nullptr;
    if (book != nullptr) { book->begun(now.step, base.size()); }
    coll::counted counts;
    auto comm = base.with(counts);
    step_recorder mine(book, [counts] { return std::uint64_t{counts.sent()}; });
    std::vector<float> seen;
    base.barrier();
    for (int pass = 0; pass < what.how.passes; ++pass) {
        mine.begin(now.step);
        seen = classify_block(comm, what.data, net, now.parameters,
                              static_cast<std::size_t>(what.how.batch));
        mine.computed();
        mine.averaged();
        mine.end();
    }
    auto const so_far = [&] { return traffic{counts.sent(), counts.messages()}; };
    auto const meanwhile = so_far();
    comm.all_reduce(seen);
    auto const in_all = so_far();
    std::vector<std::uint64_t> sums{meanwhile.bytes, meanwhile.messages,
                                    in_all.bytes - meanwhile.bytes,
                                    in_all.messages - meanwhile.messages};
    base.all_reduce(sums);
    if (sums[0] != 0 || sums[1] != 0) {
        throw std::runtime_error(fmt::format(
            "ranks sent {} bytes in {} messages while they classified", sums[0], sums[1]));
    }
    if (book != nullptr) { book->sent({sums[0], sums[1]}, {sums[2], sums[3]}); }
    mine.epoch(gather_steps(base, mine.taken()), seen);
}

/// All ranks go on after the step that each has done: after a loss a rank was ahead by one where it
/// had the averages already and others had not. With a server, they go on with what rank 0 has: it
/// is the server's, or, where that was lost, what a worker had last, whose momentum begins anew.
void agree_on_step(coll::communicator& comm, settings const& how, learnt& of) {
    if (how.how != method::all_reduce) { return; }
    int done = of.now.step;
    comm.all_reduce(std::span(&done, 1), coll::min{});
    if (of.now.step != done) { of.now = of.before; }
}

/// The same as work_on, with those who are left when ranks are lost, if it is to go on.
void work_through_losses(coll::communicator& all, work const& w) {
    learnt of{w.start};
    std::optional<coll::communicator> rest;
    for (auto* comm = &all;; comm = &*rest) {
        try {
            if (comm != &all) { agree_on_step(*comm, w.how, of); }
            if (w.kind == task::classify) {
                return classify_rank(*comm, {w.how, w.data}, w.start, w.book);
            }
            return work_on(*comm, w, of);
        } catch (coll::error const& e) {
            // A loss is told as one, or by a time-out, or by the abort of a rank that goes on.
            auto const is_loss = dynamic_cast<coll::peer_lost_error const*>(&e) != nullptr ||
                                 dynamic_cast<coll::timeout_error const*>(&e) != nullptr ||
                                 typeid(e) == typeid(coll::error);
            if (w.how.on_loss == loss::end || !is_loss) { throw; }
        }
        rest.emplace(comm->shrink());
    }
}

}  // namespace

void on_ranks(settings const& how, rank_body const& body) {
    switch (how.where) {
        case transport::threads:
        case transport::processes: return on_own_ranks(how, body);
        case transport::joined: return launched::over_any(body);
        case transport::mpi:
            return launched::over_mpi([&](coll::communicator& comm) {
                if (comm.rank() == 0) {
                    fmt::print("{} ranks over {}\n", comm.size(), launched::version_of_mpi());
                }
                body(comm);
            });
        case transport::ucx: return launched::over_ucx(body);
        case transport::hosts: return launched::over_ucx(body, true);
    }
}

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
