// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include "model.hpp"
#include "network.hpp"
#include "traffic.hpp"

#include <collectives/communicator/bootstrap_over.hpp>
#include <collectives/ucx.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace coll_wire {
namespace {

/// The shaper lets a burst pass, and while nothing is sent saves up for the next: so calls come in
/// a row, after one that is not timed.
class rank_of {
public:
    rank_of(coll::communicator& ranks, coll::communicator& comm, network const& net,
            wire const& over)
        : ranks_(&ranks), comm_(&comm), net_(&net), over_(over), model_(over) {
        auto const probe = [&](coll::any_algorithm a) {
            return median_of({a, wire_model::probe_bytes, 0}, 5, 10).seconds;
        };
        auto const ring = probe(coll::ring{});
        model_.fit(ring, probe(coll::two_shot{}));
    }

    answer ask(question const& q) {
        answer a;
        a.of = q;
        a.over = over_;
        a.round = model_.round();
        a.message = model_.message();
        a.predicted = model_.seconds(q);
        a.bound = model_.bound(q.bytes);
        // The same on all ranks.
        a.samples = std::clamp(static_cast<int>(4 / a.predicted), 1, 3);
        auto const calls = std::max<std::size_t>((std::size_t{8} << 20) / q.bytes, 1);
        auto const its = median_of(q, a.samples, static_cast<int>(calls));
        a.seconds = its.seconds;
        find_worst(a, its.link);
        return a;
    }

private:
    struct figures {
        double seconds;   // of one call
        link_bytes link;  // of this rank's host
    };

    figures median_of(question const& q, int samples, int calls) {
        coll::options how{.algorithm = q.algorithm, .segment = q.segment};
        how.timeout = std::chrono::minutes(5);
        std::vector<float> in(q.bytes / sizeof(float)), out(in.size());
        auto const me = static_cast<float>(ranks_->rank());
        for (std::size_t i = 0; i < in.size(); ++i) { in[i] = me + static_cast<float>(i % 1000); }
        std::vector<double> times;
        ranks_->barrier();
        auto const before = net_->count(comm_->rank() / over_.ranks_per_host);
        auto const one = [&] {  // by itself: the next would begin where this one has ended first
            ranks_->barrier();
            comm_->all_reduce(in, out, coll::sum{}, how);
        };
        auto made = 0;
        for (int sample = 0; sample < samples; ++sample) {
            ranks_->barrier();
            if (calls > 1) { one(); }
            auto const start = coll::steady::now();
            for (int c = 0; c < calls; ++c) { one(); }
            double const seconds =
                std::chrono::duration<double>(coll::steady::now() - start).count() / calls;
            made += calls + (calls > 1 ? 1 : 0);
            times.push_back(seconds);
            ranks_->all_reduce(std::span(&times.back(), 1), coll::max{});
        }
        ranks_->barrier();
        auto const after = net_->count(comm_->rank() / over_.ranks_per_host);
        auto const n = static_cast<float>(over_.ranks());
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (out[i] != n * static_cast<float>(i % 1000) + n * (n - 1) / 2) {
                throw std::runtime_error("a wrong sum");
            }
        }
        std::sort(times.begin(), times.end());
        return {times[times.size() / 2], link_bytes::of(before, after, made)};
    }

    void find_worst(answer& a, link_bytes const& mine) {
        std::vector<link_bytes> of_ranks(static_cast<std::size_t>(over_.ranks())), of_hosts;
        ranks_->all_gather(std::span(&mine, 1), of_ranks);
        for (std::size_t h = 0; h < static_cast<std::size_t>(over_.hosts); ++h) {
            of_hosts.push_back(of_ranks[h * static_cast<std::size_t>(over_.ranks_per_host)]);
        }
        find_worst_link(a, of_hosts);
    }

    coll::communicator* ranks_;
    coll::communicator* comm_;
    network const* net_;
    wire over_;
    wire_model model_;
};

struct close_file {
    void operator()(std::FILE* f) const { std::fclose(f); }
};

}  // namespace

std::vector<answer> measure(wire const& over, std::vector<question> const& questions) {
    static_assert(std::is_trivially_copyable_v<answer>);
    network const net(over.hosts, over.bits_per_second);
    std::unique_ptr<std::FILE, close_file> const told(std::tmpfile());
    if (!told) { throw std::runtime_error("no temporary file"); }
    coll::shm::run(over.ranks(), [&](coll::communicator& ranks) {
        net.enter(ranks.rank() / over.ranks_per_host);
        ::setenv("UCX_TLS", "tcp,self", 1);
        ::setenv("UCX_NET_DEVICES", network::interface, 1);
        coll::bootstrap_over meeting(ranks);
        auto base = coll::ucx::communicator(meeting);
        auto comm = over.ranks_per_host == 1 ? std::move(base) : coll::bridge_hosts(base);
        rank_of rank(ranks, comm, net, over);
        for (auto const& q : questions) {
            auto const a = rank.ask(q);
            if (ranks.rank() == 0 && std::fwrite(&a, sizeof a, 1, told.get()) != 1) {
                throw std::runtime_error("cannot write to a temporary file");
            }
        }
    });
    std::vector<answer> answers(questions.size());
    std::rewind(told.get());
    if (std::fread(answers.data(), sizeof(answer), answers.size(), told.get()) != answers.size()) {
        throw std::runtime_error("ranks have left answers out");
    }
    return answers;
}

}  // namespace coll_wire
