// SPDX-License-Identifier: BSD-3-Clause
// Many small gradients, averaged as few large ones while the rank goes on computing.
#include <collectives/collectives.hpp>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace coll = collectives;

namespace {

constexpr int steps = 5;
constexpr std::size_t layers = 50;

void require(bool right, char const* what) {
    if (!right) { throw std::runtime_error(what); }
}

}  // namespace

int main() {
    coll::shm::run(4, [](coll::communicator& comm) {
        // Weights and biases of each layer, the largest of them above the threshold.
        std::vector<std::vector<float>> weights, biases;
        std::vector<std::string> names;
        for (std::size_t l = 0; l < layers; ++l) {
            weights.emplace_back(l == 7 ? 100'000 : 1000 + l);
            biases.emplace_back(10 + l);
            names.push_back("layer " + std::to_string(l));
        }

        // Made once, on all ranks; its memory and plans are kept from step to step. A thread of its
        // own moves the buckets.
        coll::fusion_buffer fusion(
            comm, {.threshold = 64 * 1024, .op = coll::average{}, .progress_thread = true});
        for (int step = 0; step < steps; ++step) {
            for (std::size_t l = layers; l-- > 0;) {  // backward: the last layer comes first
                for (auto& g : weights[l]) { g = static_cast<float>(comm.rank() + step); }
                for (auto& g : biases[l]) { g = static_cast<float>(comm.rank() * 2); }
                (void)fusion.add(weights[l], names[l] + " weights");  // full buckets start here
                (void)fusion.add(biases[l], names[l] + " biases");
            }
            fusion.flush();  // starts the rest, and waits: every average is in its place
            for (std::size_t l = 0; l < layers; ++l) {
                for (auto const g : weights[l]) {
                    require(g == 1.5F + static_cast<float>(step), "a wrong weight");
                }
                for (auto const g : biases[l]) { require(g == 3, "a wrong bias"); }
            }
        }

        // Half the bytes: floats travel as bfloat16 and come back as floats.
        coll::fusion_buffer halved(comm, {.compress = coll::compress<float, coll::bfloat16>()});
        auto done = halved.add(biases[0]);
        done.wait();
        require(biases[0][0] == 12, "a wrong sum");

        if (comm.rank() == 0) {
            std::printf("averaged %zu gradients in each of %d steps over %d ranks\n", 2 * layers,
                        steps, comm.size());
        }
    });
}
