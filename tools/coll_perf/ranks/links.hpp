// SPDX-License-Identifier: BSD-3-Clause
// What a case's calls send, and how quickly ranks can send.
#pragma once

#include "../job.hpp"
#include "recorder.hpp"

#include <collectives/communicator.hpp>
#include <collectives/transport/counted.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace coll_perf {

/// Counts the calls of one communicator and times its links. All members are collective.
class links {
public:
    explicit links(coll::communicator& of) : of_(of) {}

    /// The figures of `traffic` in its order, on every rank, for calls that `find(communicator)`
    /// makes. `meet` returns once all ranks have called it; `room` is two vectors of `room_for(c)`
    /// bytes each.
    std::vector<double> measure(measured_case const& c, std::byte* room,
                                std::function<void()> const& meet, find_call const& find);

    /// Short messages would tell how long one takes, not how many bytes a link carries.
    static std::size_t room_for(measured_case const& c);

private:
    double rate(measured_case const& c, std::byte* room, std::function<void()> const& meet);
    double hosts() const;

    coll::communicator& of_;
    coll::counted counts_;
    std::optional<coll::communicator> counting_;
};

}  // namespace coll_perf
