// SPDX-License-Identifier: BSD-3-Clause
// How gradients and parameters travel between servers and their workers.
#pragma once

#include "settings.hpp"

#include <collectives/collectives.hpp>

#include <algorithm>
#include <chrono>
#include <span>
#include <thread>
#include <vector>

namespace trainer {

namespace coll = collectives;

namespace server_tag {
inline constexpr int gradient = 1, parameters = 2;
}

/// A block of a gradient or of the parameters on its way. Where nobody waits for all, one number
/// goes with it: whether its worker goes on.
class block_message {
public:
    block_message(std::size_t size, bool flagged)
        : values_(size + (flagged ? 1 : 0)), size_(size) {}

    std::span<float> content() { return std::span(values_).first(size_); }
    std::vector<float>& all() { return values_; }
    void fill(std::span<float const> content, bool goes_on) {
        std::ranges::copy(content, values_.begin());
        if (values_.size() > size_) { values_.back() = goes_on ? 1.0F : 0.0F; }
    }
    bool goes_on() const { return values_.size() == size_ || values_.back() != 0; }

private:
    std::vector<float> values_;
    std::size_t size_;
};

/// The block of the parameters that a server has.
inline auto part_of(int server, settings const& how, std::size_t parameters) {
    return coll::block(parameters, how.servers, server);
}

/// A server's side: takes gradients as they come, and gives parameters.
class server_side {
public:
    server_side(coll::communicator& comm, settings const& how, std::size_t parameters)
        : comm_(comm),
          servers_(how.servers),
          mine_(part_of(comm.rank(), how, parameters)),
          gradients_(static_cast<std::size_t>(comm.size() - how.servers),
                     block_message(mine_.size, how.how == method::async_server)),
          answer_(gradients_.front()) {}

    int workers() const { return comm_.size() - servers_; }
    /// The first parameter of the server's block.
    std::size_t first() const { return mine_.first; }
    std::span<float> gradient(int worker) { return of(worker).content(); }
    /// Whether what arrived was a gradient, and not the message that ends the worker's part.
    bool goes_on(int worker) { return of(worker).goes_on(); }

    /// Waits for the next gradient, whoever it is from, and says which worker's. Where several have
    /// come it is the one that has been expected longest, so that nobody is left behind.
    int next() {
        for (;; std::this_thread::sleep_for(std::chrono::microseconds(20))) {
            auto const arrived =
                std::ranges::find_if(expected_, [](awaited& one) { return one.call.test(); });
            if (arrived == expected_.end()) { continue; }
            auto const worker = arrived->worker;
            expected_.erase(arrived);
            return worker;
        }
    }
    void expect(int worker) {
        expected_.push_back(
            {worker, comm_.start_recv(of(worker).all(), servers_ + worker, server_tag::gradient)});
    }
    void answer(int worker, std::span<float const> parameters, bool goes_on) {
        answer_.fill(parameters.subspan(mine_.first, mine_.size), goes_on);
        comm_.send(answer_.all(), servers_ + worker, server_tag::parameters);
    }

private:
    struct awaited {
        int worker;
        coll::pending call;
    };
    block_message& of(int worker) { return gradients_[static_cast<std::size_t>(worker)]; }

    coll::communicator& comm_;
    int servers_;
    coll::extent mine_;
    std::vector<block_message> gradients_;
    block_message answer_;
    std::vector<awaited> expected_;  // the longest first; goes before what it writes to
};

/// A worker's side.
class worker_side {
public:
    worker_side(coll::communicator& comm, settings const& how, std::size_t parameters)
        : comm_(comm) {
        for (int s = 0; s < how.servers; ++s) {
            auto const part = part_of(s, how, parameters);
            firsts_.push_back(part.first);
            outgoing_.emplace_back(part.size, how.how == method::async_server);
        }
        incoming_ = outgoing_;
    }

    /// Gives the gradient to the servers and gets their parameters. False if this was the last
    /// step; the first server knows.
    bool exchange(std::span<float const> gradient, std::span<float> parameters) {
        std::vector<coll::pending> calls;
        for (std::size_t s = 0; s < outgoing_.size(); ++s) {
            auto const server = static_cast<int>(s);
            outgoing_[s].fill(gradient.subspan(firsts_[s], outgoing_[s].content().size()), true);
            calls.push_back(comm_.start_recv(incoming_[s].all(), server, server_tag::parameters));
            calls.push_back(comm_.start_send(outgoing_[s].all(), server, server_tag::gradient));
        }
        for (auto& call : calls) { call.wait(); }
        for (std::size_t s = 0; s < incoming_.size(); ++s) {
            std::ranges::copy(incoming_[s].content(), parameters.subspan(firsts_[s]).begin());
        }
        return incoming_.front().goes_on();
    }
    /// Tells the other servers that no more gradients follow.
    void finish() {
        for (std::size_t s = 1; s < outgoing_.size(); ++s) {
            outgoing_[s].fill({}, false);
            comm_.send(outgoing_[s].all(), static_cast<int>(s), server_tag::gradient);
        }
    }

private:
    coll::communicator& comm_;
    std::vector<std::size_t> firsts_;  // of each server's block
    std::vector<block_message> outgoing_, incoming_;
};

}  // namespace trainer
