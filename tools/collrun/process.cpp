// SPDX-License-Identifier: BSD-3-Clause
#include "process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

namespace collrun {

namespace {

using collectives::descriptor;

struct pipe_ends {
    pipe_ends() {
        int ends[2] = {-1, -1};
        if (::pipe2(ends, O_CLOEXEC) != 0) {
            throw std::system_error(errno, std::generic_category(), "pipe");
        }
        read = descriptor(ends[0]);
        write = descriptor(ends[1]);
    }
    descriptor read, write;
};

std::vector<char*> pointers(std::vector<std::string> const& texts) {
    std::vector<char*> result;
    for (auto const& t : texts) { result.push_back(const_cast<char*>(t.c_str())); }
    result.push_back(nullptr);
    return result;
}

/// Why a child did not start its program.
struct refusal {
    int error = 0;
    bool is_bound = true;
};

/// Tells the parent errno over `fault`, and ends this process.
[[noreturn]] void fail(int fault, bool is_bound) {
    refusal const why{errno, is_bound};
    static_cast<void>(!::write(fault, &why, sizeof why));
    ::_exit(127);
}

/// The child's part; says over `fault` why the program did not start.
[[noreturn]] void become(start_order const& order, int out, int err, int fault, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) { ::_exit(1); }
    if (order.own_pipes) {
        ::dup2(out, STDOUT_FILENO);
        ::dup2(err, STDERR_FILENO);
    }
    if (order.rank != 0) { ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO); }
    for (auto const fd : order.inherited) { ::fcntl(fd, F_SETFD, 0); }
    ::sigprocmask(SIG_SETMASK, &order.signals, nullptr);
    if (order.where != nullptr && !binding::bind_to(*order.where)) { fail(fault, false); }
    auto const arguments = pointers(order.command), environment = pointers(order.environment);
    ::execvpe(arguments.front(), arguments.data(), environment.data());
    fail(fault, true);
}

}  // namespace

started start(start_order const& order) {
    pipe_ends out, err, fault;
    auto const parent = ::getpid();
    auto const pid = ::fork();
    if (pid < 0) { throw std::system_error(errno, std::generic_category(), "fork"); }
    if (pid == 0) { become(order, out.write.get(), err.write.get(), fault.write.get(), parent); }
    fault.write.reset();
    refusal why;
    ssize_t n = -1;
    do { n = ::read(fault.read.get(), &why, sizeof why); } while (n < 0 && errno == EINTR);
    if (n > 0) { ::waitpid(pid, nullptr, 0); }
    return {pid, why.error, why.is_bound, std::move(out.read), std::move(err.read)};
}

}  // namespace collrun
