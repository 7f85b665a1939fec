// SPDX-License-Identifier: BSD-3-Clause
// Collectives that go on while the rank works: each layer's gradient is reduced while the next
// layer's is computed, the way a training step does it.
#include <collectives/collectives.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace coll = collectives;

namespace {

constexpr int steps = 10;
constexpr int layers = 4;
constexpr std::size_t weights = 50'000;

/// Stands for the backward pass of one layer. Where it can it looks at what is under way: data
/// moves when a rank tests or waits.
template <class Look>
void compute(std::vector<double>& gradient, int layer, int rank, Look&& look) {
    for (int pass = 1; pass <= 100; ++pass) {
        for (auto& g : gradient) { g = (layer + 1) * (rank + 1) * (pass / 100.0); }
        look();
    }
}

void require(bool right, char const* what) {
    if (!right) { throw std::runtime_error(what); }
}

}  // namespace

int main() {
    coll::shm::run(4, [](coll::communicator& comm) {
        int const me = comm.rank();
        std::array<std::vector<double>, layers> gradients;
        gradients.fill(std::vector<double>(weights));
        std::vector<double> loss{1.0 + me};

        int done_early = 0;
        for (int step = 0; step < steps; ++step) {
            // The last layer's gradient is there first. A started call has its buffers until done.
            std::vector<decltype(comm.start_all_reduce(loss))> pending;
            for (int layer = layers - 1; layer >= 0; --layer) {
                auto& gradient = gradients[static_cast<std::size_t>(layer)];
                compute(gradient, layer, me, [&] {
                    for (auto& p : pending) { p.test(); }  // never waits; true once it is done
                });
                pending.push_back(comm.start_all_reduce(gradient, coll::average{}));
            }
            for (auto& p : pending) { done_early += p.test() ? 1 : 0; }
            for (auto& p : pending) { p.wait(); }
            for (int layer = 0; layer < layers; ++layer) {
                auto const average = 2.5 * (layer + 1);  // of 1, 2, 3 and 4
                auto const& gradient = gradients[static_cast<std::size_t>(layer)];
                require(gradient == std::vector<double>(weights, average), "a wrong gradient");
            }
        }

        // Several of different kinds at once, waited for together.
        std::vector<int> token{me}, from_left{-1};
        auto received = comm.start_recv(from_left, (me + 3) % 4);
        auto sent = comm.start_send(token, (me + 1) % 4);
        auto total = comm.start_all_reduce(loss, coll::sum{}, {.algorithm = coll::tree{}});
        coll::wait_all(received, sent, total);
        require(from_left[0] == (me + 3) % 4, "a wrong neighbour");
        require(loss[0] == 10, "a wrong loss");

        if (me == 0) {
            std::printf("averaged %d gradients of %zu doubles over %d ranks\n", steps * layers,
                        weights, comm.size());
            std::printf("%d of them were there before anybody waited for one\n", done_early);
        }
    });
}
