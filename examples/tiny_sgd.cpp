// SPDX-License-Identifier: BSD-3-Clause
// Data-parallel training on one page: each rank learns from its part of every batch, and one
// all-reduce adds up the gradients. The task: which of three arms of a spiral a point lies on.
//
//     tiny_sgd threads 4                  ranks are threads
//     tiny_sgd shm 4                      ranks are processes of this machine
//     collrun -n 4 tiny_sgd job           ranks of a launcher; on many machines with -DWITH_UCX
//     collrun -n 4 tiny_sgd ucx           the same, over UCX on one machine too
//     mpiexec -n 4 tiny_sgd mpi           ranks of MPI; compile with mpicxx and -DWITH_MPI
#include <collectives/collectives.hpp>
#ifdef WITH_UCX
#include <collectives/ucx.hpp>
#endif
#ifdef WITH_MPI
#include <collectives/mpi.hpp>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace coll = collectives;

namespace {

constexpr std::size_t arms = 3, hidden = 32, points = 1500, batch = 100, steps = 600;
constexpr float rate = 1;

struct point {
    std::array<float, 2> at;
    std::size_t arm;
};

std::vector<point> spiral() {  // the same on all ranks, in a random order
    std::mt19937 any(1);
    std::normal_distribution<float> noise(0, 0.1F);
    std::vector<point> all;
    for (std::size_t i = 0; i < points; ++i) {
        auto const radius = static_cast<float>(i) / points;
        auto const angle = 4 * radius + 2.0944F * static_cast<float>(i % arms) + noise(any);
        all.push_back({{radius * std::cos(angle), radius * std::sin(angle)}, i % arms});
    }
    std::shuffle(all.begin(), all.end(), any);
    return all;
}

/// Two layers: scores = out * tanh(in * (x, y, 1)) + bias. A gradient has the same form.
using network = std::array<float, (3 + arms) * hidden + arms>;
constexpr std::size_t in(std::size_t i, std::size_t j) { return 3 * i + j; }
constexpr std::size_t out(std::size_t a, std::size_t i) { return (3 + a) * hidden + i; }
constexpr std::size_t bias(std::size_t a) { return (3 + arms) * hidden + a; }

/// Adds the gradient of the loss, times `weight`. Returns whether the network is right.
bool learn(network const& n, point const& p, network& gradient, float weight) {
    std::array<float, hidden> h{}, dh{};
    std::array<float, arms> score{n[bias(0)], n[bias(1)], n[bias(2)]};
    for (std::size_t i = 0; i < hidden; ++i) {
        h[i] = std::tanh(n[in(i, 0)] * p.at[0] + n[in(i, 1)] * p.at[1] + n[in(i, 2)]);
        for (std::size_t a = 0; a < arms; ++a) { score[a] += n[out(a, i)] * h[i]; }
    }
    auto const best = std::max_element(score.begin(), score.end());
    float total = 0;
    for (auto const s : score) { total += std::exp(s - *best); }
    for (std::size_t a = 0; a < arms; ++a) {
        auto const slope = (std::exp(score[a] - *best) / total - (a == p.arm ? 1.0F : 0)) * weight;
        gradient[bias(a)] += slope;
        for (std::size_t i = 0; i < hidden; ++i) {
            gradient[out(a, i)] += slope * h[i];
            dh[i] += slope * n[out(a, i)];
        }
    }
    for (std::size_t i = 0; i < hidden; ++i) {
        auto const slope = dh[i] * (1 - h[i] * h[i]);
        gradient[in(i, 0)] += slope * p.at[0];
        gradient[in(i, 1)] += slope * p.at[1];
        gradient[in(i, 2)] += slope;
    }
    return *best == score[p.arm];
}

void train(coll::communicator& comm) {
    auto const data = spiral();
    network model{};
    if (comm.rank() == 0) {
        std::mt19937 any(2);
        for (auto& w : model) { w = std::normal_distribution<float>(0, 0.5F)(any); }
    }
    comm.broadcast(model);  // all ranks start from the same parameters

    auto const mine = coll::block(batch, comm.size(), comm.rank());  // of each batch
    int right = 0;
    for (std::size_t step = 1; step <= steps; ++step) {
        network gradient{};
        for (auto i = mine.first; i < mine.first + mine.size; ++i) {
            right += learn(model, data[(step * batch + i) % points], gradient, 1.0F / batch);
        }
        comm.all_reduce(gradient);  // now every rank has that of the whole batch
        for (std::size_t i = 0; i < model.size(); ++i) { model[i] -= rate * gradient[i]; }
        if (step % (steps / 10) == 0) {
            comm.all_reduce(std::span(&right, 1));
            auto const percent = 1000.0 * std::exchange(right, 0) / (steps * batch);
            if (comm.rank() == 0) { std::printf("step %4zu: %4.1f %%\n", step, percent); }
            if (step == steps && percent < 90) { throw std::runtime_error("it learnt little"); }
        }
    }
    auto of_first = model;
    comm.broadcast(of_first);
    if (of_first != model) { throw std::runtime_error("ranks have different parameters"); }
}

void run(std::string const& transport, int size) {
    if (transport == "threads") { return coll::threads::run(size, train); }
    if (transport == "shm") { return coll::shm::run(size, train); }
    if (transport == "job") {
        auto comm = coll::join();
        return train(comm);
    }
#ifdef WITH_UCX
    if (transport == "ucx") {
        auto comm = coll::ucx::join();
        return train(comm);
    }
#endif
#ifdef WITH_MPI
    if (transport == "mpi") {
        MPI_Init(nullptr, nullptr);
        {
            auto comm = coll::mpi::communicator(MPI_COMM_WORLD);
            train(comm);
        }
        return static_cast<void>(MPI_Finalize());
    }
#endif
    throw std::invalid_argument("no transport: " + transport + "; the source says how to call");
}

}  // namespace

int main(int argc, char** argv) try {
    run(argc > 1 ? argv[1] : "threads", argc > 2 ? std::stoi(argv[2]) : 4);
} catch (std::exception const& e) { return std::fprintf(stderr, "%s\n", e.what()), 1; }
