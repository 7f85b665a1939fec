// SPDX-License-Identifier: BSD-3-Clause
#include "network.hpp"

#include "command.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>

namespace coll_wire {
namespace {

void write_to(char const* file, std::string const& text) {
    std::ofstream out(file);
    if (!(out << text << std::flush)) { throw not_permitted(fmt::format("cannot write {}", file)); }
}

/// As root of a user name space, if this process is not allowed to by itself.
void leave_network() {
    auto const uid = ::getuid();
    auto const gid = ::getgid();
    if (::unshare(CLONE_NEWNET) == 0) { return; }
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
        throw not_permitted(fmt::format("no network of its own: {}", std::strerror(errno)));
    }
    write_to("/proc/self/setgroups", "deny");
    write_to("/proc/self/uid_map", fmt::format("0 {} 1", uid));
    write_to("/proc/self/gid_map", fmt::format("0 {} 1", gid));
}

int own_name_space() {
    int const descriptor = ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) { throw not_permitted("/proc/self/ns/net cannot be opened"); }
    return descriptor;
}

void move_to(int name_space) {
    if (::setns(name_space, CLONE_NEWNET) != 0) {
        throw std::runtime_error(fmt::format("setns: {}", std::strerror(errno)));
    }
}

struct queue_count {
    unsigned long long bytes = 0, frames = 0;
    std::uint64_t payload() const { return bytes - network::headers * frames; }
};

/// The `Sent N bytes M pkt` of `tc -s qdisc`. A frame that the kernel has yet to cut counts as all
/// of its parts, with the headers of each.
queue_count count_in(std::string const& said) {
    queue_count its;
    auto const at = said.find("Sent ");
    if (at == said.npos ||
        std::sscanf(said.c_str() + at, "Sent %llu bytes %llu pkt", &its.bytes, &its.frames) != 2) {
        throw std::runtime_error("tc -s qdisc did not count: " + said);
    }
    return its;
}

/// The kernel says a while after a link is up that it works, and UCX leaves it out until then.
void await_up(std::function<std::string()> const& state) {
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (state().find("state UP") == std::string::npos) {
        if (std::chrono::steady_clock::now() >= until) {
            throw std::runtime_error("a link does not come up: " + state());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

std::string port(int host) { return fmt::format("port{}", host); }

}  // namespace

network::network(int hosts, double bits_per_second) : home_(own_name_space()), maker_(::getpid()) {
    leave_network();
    switch_ = own_name_space();
    for (int h = 0; h < hosts; ++h) {
        leave_network();
        hosts_.push_back(own_name_space());
        // The kernel's own, everywhere there. BBR, say, takes the time of the shaper's first burst
        // for the link's, and stops every few seconds to measure it again. And a connection that
        // was not used for a while does not begin anew as if it knew nothing of the link.
        write_to("/proc/sys/net/ipv4/tcp_congestion_control", "reno");
        write_to("/proc/sys/net/ipv4/tcp_slow_start_after_idle", "0");
        // What waits in a queue longer than two round trips took before is not lost: no probes.
        write_to("/proc/sys/net/ipv4/tcp_early_retrans", "0");
    }
    move_to(switch_);
    auto const in = [&](int name_space, std::string const& words) {
        output_in(name_space, split(words));
    };
    // The queues hold what the windows of all other hosts can bring to one, so that nothing is lost
    // and sent again.
    auto const shape =
        fmt::format("root tbf rate {:.0f}bit burst 96kb latency 2s", bits_per_second);
    in(switch_, "ip link add switch type bridge stp_state 0");
    in(switch_, "ip link set switch up");
    for (int h = 0; h < hosts; ++h) {
        auto const inside = hosts_[static_cast<std::size_t>(h)];
        in(switch_, fmt::format("ip link add {} type veth peer name {} netns {}", port(h),
                                interface, path(h)));
        in(switch_, fmt::format("ip link set {} master switch up", port(h)));
        in(switch_, fmt::format("tc qdisc add dev {} {}", port(h), shape));
        in(inside, "ip link set lo up");
        in(inside, fmt::format("ip addr add 10.77.0.{}/24 dev {}", h + 1, interface));
        in(inside, fmt::format("ip link set {} up", interface));
        in(inside, fmt::format("tc qdisc add dev {} {}", interface, shape));
    }
    for (auto const inside : hosts_) {
        await_up([&] { return output_in(inside, {"ip", "link", "show", "dev", interface}); });
    }
}

network::~network() {
    if (::getpid() == maker_) { static_cast<void>(::setns(home_, CLONE_NEWNET)); }
    for (int const d : hosts_) { ::close(d); }
    ::close(switch_);
    ::close(home_);
}

void network::enter(int host) const {
    move_to(hosts_[static_cast<std::size_t>(host)]);
    // What /sys says of interfaces is of the name space in which it was mounted.
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("", "/", nullptr, MS_SLAVE | MS_REC, nullptr) != 0 ||
        ::mount("sysfs", "/sys", "sysfs", 0, nullptr) != 0) {
        throw std::runtime_error(fmt::format("a /sys of the host's: {}", std::strerror(errno)));
    }
}

link_count network::count(int host) const {
    auto const inside = hosts_[static_cast<std::size_t>(host)];
    auto const out = count_in(output_in(inside, {"tc", "-s", "qdisc", "show", "dev", interface}));
    auto const in = count_in(output_in(switch_, {"tc", "-s", "qdisc", "show", "dev", port(host)}));
    return {out.bytes, in.bytes, out.payload(), in.payload()};
}

std::string network::path(int host) const {
    return fmt::format("/proc/{}/fd/{}", maker_, hosts_[static_cast<std::size_t>(host)]);
}

std::string network::output_in(int name_space, std::vector<std::string> const& command) const {
    return output_of(command, [&] { move_to(name_space); });
}

}  // namespace coll_wire
