// SPDX-License-Identifier: BSD-3-Clause
// Hosts on one machine: network name spaces on a switch, each by a link of a known rate.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace coll_wire {

/// Thrown where this system does not let a program make networks.
struct not_permitted : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What went over a host's link, as the queues that hold it to its rate have counted: whole frames
/// of the Ethernet, headers and acknowledgements among them.
struct link_count {
    std::uint64_t sent = 0;      // bytes from the host to the switch
    std::uint64_t received = 0;  // bytes from the switch to the host
    // Of these what TCP carries: without the headers of each frame.
    std::uint64_t sent_payload = 0, received_payload = 0;
};

/// Host h has the address 10.77.0.(h+1) on its interface `interface`. Only this process and its
/// children know of it, and it goes with the last of them, however they end: nothing is named, and
/// nothing of the machine's own network is touched.
class network {
public:
    static constexpr char const* interface = "wire0";
    /// What a full frame carries of it, with the time stamps of Linux: 1500 - 20 - 32 of 1514.
    static constexpr int frame = 1514, headers = 66;
    static constexpr double payload_share = double{frame - headers} / frame;

    /// Each link carries so many bits per second in both directions at once. Moves the process,
    /// which must have one thread, into the switch's name space, if need be as root of a user name
    /// space of its own. Throws not_permitted, and std::runtime_error with what a command said.
    network(int hosts, double bits_per_second);
    network(network const&) = delete;
    network& operator=(network const&) = delete;
    ~network();

    int hosts() const { return static_cast<int>(hosts_.size()); }
    /// Moves the calling process onto a host.
    void enter(int host) const;
    /// Since the network was made; to be called from any of its processes.
    link_count count(int host) const;
    /// Where other programs find the name space of a host while this process lives.
    std::string path(int host) const;

private:
    std::string output_in(int name_space, std::vector<std::string> const& command) const;

    int home_ = -1;  // where this process was
    int switch_ = -1;
    std::vector<int> hosts_;  // descriptors of their name spaces
    int maker_ = 0;           // the process that made it
};

}  // namespace coll_wire
