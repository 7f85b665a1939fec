// SPDX-License-Identifier: BSD-3-Clause
#include "replay.hpp"

#include <collectives/collectives.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <thread>

namespace coll_scale {
namespace {

constexpr double longest = 3600;  // that anybody waits for

std::chrono::nanoseconds nanoseconds(double s) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(s));
}

/// A number that ranks that are processes hand to the program that started them.
class shared_number {
public:
    shared_number()
        : at_(::mmap(nullptr, sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                     -1, 0)) {
        if (at_ == MAP_FAILED) { throw std::bad_alloc(); }
    }
    shared_number(shared_number const&) = delete;
    shared_number& operator=(shared_number const&) = delete;
    ~shared_number() { ::munmap(at_, sizeof(double)); }
    double& value() { return *static_cast<double*>(at_); }

private:
    void* at_;
};

struct course {
    std::vector<coll::ready_tensor> pass;  // in slow motion
    computation compute;                   // likewise
    way how;
    coll::fusion_options fusion;
    int steps = 1;
};

/// The quickest step, of the slowest rank.
double run(coll::communicator& comm, course const& c) {
    std::vector<std::vector<float>> gradients;
    for (auto const& g : c.pass) { gradients.emplace_back(g.shape.count, 1.0F); }
    bool const one_by_one = !c.how.fused && !c.how.overlapped;
    coll::fusion_buffer fusion(comm, c.fusion);
    auto const step = [&](bool computes) {
        auto now = std::chrono::steady_clock::now();
        auto const after = [&](double s) {
            if (computes) { std::this_thread::sleep_until(now + nanoseconds(s)); }
        };
        for (int i = 1; i < c.how.accumulated; ++i) {
            after(c.compute.seconds());
            now += nanoseconds(c.compute.seconds());
        }
        now += nanoseconds(c.compute.forward);
        if (!c.how.overlapped) { after(c.compute.backward); }
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            if (c.how.overlapped) { after(c.pass[i].ready); }
            if (one_by_one) {
                comm.all_reduce(gradients[i], coll::sum{}, c.fusion.call());
            } else {
                (void)fusion.add(gradients[i]);
            }
        }
        fusion.flush();
    };
    step(false);  // from the second one on buckets are known
    auto least = std::numeric_limits<double>::max();
    for (int i = 0; i < c.steps; ++i) {
        comm.barrier();
        auto const start = std::chrono::steady_clock::now();
        step(true);
        std::array time{
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
        comm.all_reduce(time, coll::max{});
        least = std::min(least, time[0]);
    }
    return least;
}

}  // namespace

double replay(trainer const& of, coll::any_algorithm a, int workers, way const& w,
              std::size_t threshold, replaying const& how) {
    course c;
    c.how = w;
    c.steps = how.steps;
    c.compute = of.of(workers);
    c.compute.forward *= how.slow;
    c.compute.backward *= how.slow;
    c.pass = backward_pass(of.what(), c.compute.backward, how.shrink);
    c.fusion.threshold = w.fused ? std::max<std::size_t>(threshold / how.shrink, 1) : 0;
    c.fusion.algorithm = a;
    c.fusion.timeout = std::chrono::minutes(10);
    c.fusion.progress_thread = true;
    c.fusion.under_way = 1;
    auto const& at = of.on().at;
    auto const message = (at.alpha + at.message) * how.slow;
    auto const bytes = at.beta * how.slow * 4.0 * static_cast<double>(of.what().elements());
    if (!(std::max({c.compute.seconds(), message, bytes}) < longest)) {
        throw coll::usage_error(
            "in slow motion a step, a message or the gradients take more than an hour");
    }
    coll::throttled const link{
        .bytes_per_second = 1 / (at.beta * how.slow * static_cast<double>(how.shrink)),
        .latency = nanoseconds(message)};
    shared_number result;
    auto const body = [&](coll::communicator& comm) {
        auto slow = comm.with(link);
        auto const time = run(slow, c);
        if (comm.rank() == 0) { result.value() = time; }
    };
    if (how.threads) {
        coll::threads::run(workers, body);
    } else {
        coll::shm::run(workers, body);
    }
    return result.value() / how.slow;
}

}  // namespace coll_scale
