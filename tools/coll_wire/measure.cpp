// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include "network.hpp"

#include <collectives/communicator/bootstrap_over.hpp>
#include <collectives/select/model.hpp>
#include <collectives/ucx.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace coll_wire {
namespace {

/// Bytes that leave each host in one all-reduce, and that come, counted from the steps.
struct traffic_of_hosts {
    std::vector<double> sent, received;

    traffic_of_hosts(question const& q, wire const& over)
        : sent(static_cast<std::size_t>(over.hosts)), received(sent.size()) {
        for (auto const& own : q.algorithm.record_all(coll::collective::all_reduce, over.ranks())) {
            auto const here = static_cast<std::size_t>(own.rank / over.ranks_per_host);
            for (auto const& s : own.steps) {
                if (s.peer / over.ranks_per_host == own.rank / over.ranks_per_host) { continue; }
                auto& way = s.what == coll::verb::send ? sent : received;
                way[here] +=
                    static_cast<double>(coll::detail::bytes_of(s.chunks, own.chunks, q.bytes));
            }
        }
    }
};

double payload_rate(wire const& over) { return over.bits_per_second / 8 * network::payload_share; }

/// The shaper lets a burst pass, and while nothing is sent saves up for the next: so calls come in
/// a row, after one that is not timed.
template <class Ranks, class Comm>
class rank_of {
public:
    rank_of(Ranks& ranks, Comm& comm, network const& net, wire const& over)
        : ranks_(&ranks), comm_(&comm), net_(&net), over_(over) {
        model_.link_byte = 1 / payload_rate(over);
        model_.link_round = model_.link_message = 0;
        fit();
    }

    answer ask(question const& q) {
        answer a;
        a.of = q;
        a.over = over_;
        a.round = model_.link_round;
        a.message = model_.link_message;
        a.predicted = prediction(q);
        auto const k = static_cast<double>(over_.hosts);
        a.bound = 2 * static_cast<double>(q.bytes) * (k - 1) / k / payload_rate(over_);
        // The same on all ranks.
        a.samples = std::clamp(static_cast<int>(4 / a.predicted), 1, 3);
        auto const calls = std::max<std::size_t>((std::size_t{8} << 20) / q.bytes, 1);
        auto const [seconds, sent, received] = median_of(q, a.samples, static_cast<int>(calls));
        a.seconds = seconds;
        find_worst_link(a, sent, received);
        return a;
    }

private:
    struct figures {
        double seconds, sent, received;  // of one call; bytes of this rank's host
    };

    /// The two prices of a link that are not known, from small vectors: a ring has as many rounds
    /// as messages, two_shot as many messages in two rounds.
    void fit() {
        auto const beyond = [&](coll::any_algorithm a) {
            question const probe{a, std::size_t{256} << 10, 0};
            return median_of(probe, 5, 20).seconds - prediction(probe);
        };
        auto const messages = 2.0 * (over_.ranks() - 1);
        auto const both = std::max(beyond(coll::ring{}) / messages, 0.0);
        model_.link_round = both;
        if (messages <= 2) { return; }
        model_.link_round = 0;
        auto const rounds = (messages * both - beyond(coll::two_shot{})) / (messages - 2);
        model_.link_round = std::clamp(rounds, 0.0, both);
        model_.link_message = both - model_.link_round;
    }

    double prediction(question const& q) const {
        std::vector<int> host_of;
        for (int r = 0; r < over_.ranks(); ++r) { host_of.push_back(r / over_.ranks_per_host); }
        auto const profile = coll::cost_profile::of(q.algorithm, coll::collective::all_reduce,
                                                    over_.ranks(), coll::host_layout(host_of));
        return profile.seconds(model_, q.bytes);
    }

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
        return {times[times.size() / 2], static_cast<double>(after.sent - before.sent) / made,
                static_cast<double>(after.received - before.received) / made};
    }

    struct link_bytes {
        double sent, received;
    };

    void find_worst_link(answer& a, double sent, double received) {
        traffic_of_hosts const counted(a.of, over_);
        std::vector<link_bytes> wired(static_cast<std::size_t>(over_.ranks()));
        link_bytes const mine{sent, received};
        ranks_->all_gather(std::span(&mine, 1), wired);
        double worst = -1;
        for (std::size_t h = 0; h < counted.sent.size(); ++h) {
            auto const& link = wired[h * static_cast<std::size_t>(over_.ranks_per_host)];
            for (auto const& [is, steps] : {std::pair{link.sent, counted.sent[h]},
                                            std::pair{link.received, counted.received[h]}}) {
                auto const should = steps / network::payload_share;
                auto const off = std::abs(is - should);
                // A host that only sends still gets acknowledgements, which count for little.
                if (steps > 0 && off / should > worst) {
                    worst = off / should;
                    a.wired = is;
                    a.counted = should;
                }
            }
        }
    }

    Ranks* ranks_;
    Comm* comm_;
    network const* net_;
    wire over_;
    coll::machine_model model_{};
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
    coll::shm::run(over.ranks(), [&](auto& ranks) {
        net.enter(ranks.rank() / over.ranks_per_host);
        ::setenv("UCX_TLS", "tcp,self", 1);
        ::setenv("UCX_NET_DEVICES", network::interface, 1);
        coll::bootstrap_over<std::remove_reference_t<decltype(ranks)>> meeting(ranks);
        coll::ucx::communicator base(meeting);
        auto const go = [&](auto& comm) {
            rank_of rank(ranks, comm, net, over);
            for (auto const& q : questions) {
                auto const a = rank.ask(q);
                if (ranks.rank() == 0 && std::fwrite(&a, sizeof a, 1, told.get()) != 1) {
                    throw std::runtime_error("cannot write to a temporary file");
                }
            }
        };
        if (over.ranks_per_host == 1) { return go(base); }
        auto comm = coll::bridge_hosts(base);
        go(comm);
    });
    std::vector<answer> answers(questions.size());
    std::rewind(told.get());
    if (std::fread(answers.data(), sizeof(answer), answers.size(), told.get()) != answers.size()) {
        throw std::runtime_error("ranks have left answers out");
    }
    return answers;
}

}  // namespace coll_wire
