// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks, groups of ranks, and meeting points.
#include <conformance/cells.hpp>
#include <conformance/suites.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <thread>
#include <vector>

namespace conformance {

namespace {

std::vector<std::uint32_t> letter(int from, int to, int tag, std::size_t n) {
    std::vector<std::uint32_t> v(n);
    auto const salt = static_cast<std::uint64_t>((from * 64 + to) * 64 + tag);
    for (std::size_t i = 0; i < n; ++i) {
        v[i] = static_cast<std::uint32_t>(scramble(salt << 32 | i));
    }
    return v;
}

/// Empty, in one cell, just over it, in slots.
constexpr std::size_t letter_sizes[] = {0, 1, 240, 241, 5'000, 100'000};

}  // namespace

void messages_between_two(world const& w) {
    for (int const size : sizes({1, 2, 3, 8})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            auto const me = comm.rank();
            // Everybody writes to everybody, itself too; received in the opposite order of the
            // tags.
            std::vector<std::vector<std::uint32_t>> sent, got;
            std::vector<coll::pending> calls;
            for (int to = 0; to < size; ++to) {
                for (int tag = 0; tag < 6; ++tag) {
                    sent.push_back(letter(me, to, tag, letter_sizes[tag]));
                }
            }
            for (std::size_t i = 0; i < sent.size(); ++i) {
                calls.push_back(
                    comm.start_send(sent[i], static_cast<int>(i) / 6, static_cast<int>(i) % 6));
            }
            for (int from = 0; from < size; ++from) {
                for (int tag = 5; tag >= 0; --tag) {
                    got.emplace_back(letter_sizes[tag]);
                    calls.push_back(comm.start_recv(got.back(), from, tag));
                }
            }
            for (auto& c : calls) { c.wait(); }
            for (int from = 0; from < size; ++from) {
                for (int tag = 5; tag >= 0; --tag) {
                    expect(got[static_cast<std::size_t>(from * 6 + 5 - tag)] ==
                               letter(from, me, tag, letter_sizes[tag]),
                           "a message came as it was sent");
                }
            }
            // Equal tags never overtake; negative tags are tags.
            auto const next = (me + 1) % size, before = (me + size - 1) % size;
            for (int i = 0; i < 40; ++i) {
                calls.push_back(comm.start_send(sent[static_cast<std::size_t>(i % 3)], next, -1));
            }
            for (int i = 0; i < 40; ++i) {
                std::vector<std::uint32_t> v(letter_sizes[i % 3]);
                comm.recv(v, before, -1);
                expect(v == letter(before, 0, i % 3, v.size()), "messages came in order");
            }
            calls.clear();
            // Blocking round trips, also while a collective is under way.
            std::vector<int> sum(5'000, 1);
            auto reduction = comm.start_all_reduce(sum);
            for (int i = 0; i < 20; ++i) {
                std::array ball{i, me};
                if (size == 1) { continue; }
                if (me == 0) {
                    comm.send(ball, 1, 7);
                    comm.recv(ball, 1, 8);
                    expect(ball[1] == 1, "the ball came back");
                } else if (me == 1) {
                    comm.recv(ball, 0, 7);
                    expect(ball[0] == i && ball[1] == 0, "the ball came");
                    comm.send(std::array{i, me}, 0, 8);
                }
            }
            reduction.wait();
            expect(sum[4'999] == size, "a collective beside messages");
        });
    }
}

void probes(world const& w) {
    for (int const size : sizes({1, 2, 5})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            auto const me = comm.rank();
            auto const next = (me + 1) % size, before = (me + size - 1) % size;
            comm.barrier();
            expect(!comm.probe(before, 99), "nothing waits before anything is sent");
            std::vector<std::vector<std::uint32_t>> sent;
            std::vector<coll::pending> calls;
            for (int tag = 0; tag < 6; ++tag) {
                sent.push_back(letter(me, next, tag, letter_sizes[tag]));
                calls.push_back(comm.start_send(sent.back(), next, tag));
                calls.push_back(comm.start_send(sent.front(), next, tag));  // behind it
            }
            for (int tag = 5; tag >= 0; --tag) {
                auto const n = letter_sizes[tag];
                auto waits = comm.probe(before, tag);
                for (; !waits; waits = comm.probe(before, tag)) { std::this_thread::yield(); }
                expect(*waits == n * sizeof(std::uint32_t), "a probe tells the bytes");
                expect(comm.probe(before, tag) == waits, "a probe takes nothing away");
                std::vector<std::uint32_t> got(n), second(letter_sizes[0]);
                comm.recv(got, before, tag);
                expect(got == letter(before, me, tag, n), "a probed message came as it was sent");
                if (tag % 2 == 0) {
                    while (!comm.probe(before, tag)) { std::this_thread::yield(); }
                }
                comm.recv(second, before, tag);
                expect(!comm.probe(before, tag), "nothing waits after everything was received");
            }
            // A receive that is posted after a probe which found nothing gets the message.
            expect(!comm.probe(before, 50), "nothing waits yet");
            comm.barrier();
            std::vector<std::uint32_t> got(letter_sizes[5]);
            calls.push_back(comm.start_recv(got, before, 50));
            calls.push_back(comm.start_send(sent.back(), next, 50));
            for (auto& c : calls) { c.wait(); }
            expect(got == letter(before, me, 5, got.size()), "a receive after a probe");
            // Messages that were probed and that nobody receives hold up nothing.
            if (size > 1) {  // MPICH keeps a rank's message to itself until it is received
                comm.send(letter(me, next, 51, 200), next, 51);
                while (!comm.probe(before, 51)) { std::this_thread::yield(); }
            }
            comm.barrier();
        });
    }
}

void exchanges(world const& w) {
    for (int const size : sizes({1, 2, 5})) {
        CAPTURE(size);
        w.run(size, [size](coll::communicator& comm) {
            auto const me = comm.rank();
            auto const next = (me + 1) % size, before = (me + size - 1) % size;
            for (std::size_t const n : letter_sizes) {
                std::vector<std::uint32_t> got(n);
                comm.send_recv(letter(me, next, 3, n), next, got, before, 3);
                expect(got == letter(before, me, 3, n), "the message of the rank before came");
                // Of other lengths each way.
                std::vector<std::uint32_t> answer(me % 2 == 0 ? n + 1 : n);
                auto const partner = size - 1 - me;  // the middle one talks to itself
                auto const length = partner % 2 == 0 ? n + 1 : n;
                if (partner == me) { answer.resize(length); }
                comm.send_recv(letter(me, partner, 4, length), partner, answer, partner, 4);
                expect(answer == letter(partner, me, 4, answer.size()), "the answer came");
            }
            std::vector<int> one(1);
            auto overlaps = false;
            try {
                comm.send_recv(one, next, one, before);
            } catch (coll::usage_error const&) { overlaps = true; }
            expect(overlaps, "what is sent and what is received do not overlap");
            std::vector<int> const sent(1, me);
            for (int const nobody : {-1, size}) {
                auto refused = 0;
                try {
                    comm.send_recv(sent, nobody, one, before);
                } catch (coll::usage_error const&) { ++refused; }
                try {
                    comm.send_recv(sent, next, one, nobody);
                } catch (coll::usage_error const&) { ++refused; }
                expect(refused == 2, "no message goes to a rank that does not exist");
            }
            comm.send_recv(std::vector{me}, next, one, before);
            expect(one[0] == before, "a refused exchange has sent nothing");
        });
    }
}

namespace {

/// Counters that all ranks see, whether threads or processes.
class shared_counters {
public:
    shared_counters()
        : at_(static_cast<std::atomic<int>*>(
              ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
        ::new (at_) std::atomic<int>[most] {};
    }
    shared_counters(shared_counters const&) = delete;
    shared_counters& operator=(shared_counters const&) = delete;
    ~shared_counters() { ::munmap(at_, bytes); }
    std::atomic<int>& operator[](int i) const { return at_[i]; }

private:
    static constexpr std::size_t most = 256;
    static constexpr std::size_t bytes = most * sizeof(std::atomic<int>);
    std::atomic<int>* at_;
};

}  // namespace

void barriers(world const& w) {
    for (int const size : sizes()) {
        CAPTURE(size);
        shared_counters came;
        w.run(size, [&came, size](coll::communicator& comm) {
            auto const all = algorithms_and_automatic();
            for (int i = 0; i < 60; ++i) {
                if (i % size == comm.rank()) {
                    std::this_thread::sleep_for(std::chrono::microseconds(200));
                }
                came[i].fetch_add(1);
                coll::options how;
                how.algorithm = all[static_cast<std::size_t>(i) % all.size()];
                if (i % 3 == 0) {
                    comm.start_barrier(how).wait();
                } else {
                    comm.barrier(how);
                }
                expect(came[i].load() == size, "nobody passes before all have come");
            }
        });
    }
}

}  // namespace conformance
