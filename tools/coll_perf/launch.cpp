// SPDX-License-Identifier: BSD-3-Clause
#include "launch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace coll_perf {
namespace {

using steady = std::chrono::steady_clock;

[[noreturn]] void fail(char const* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// Asks the child to end, so that a launcher can end its ranks, and after a while sees to it.
int end(pid_t child) {
    int status = 0;
    ::kill(-child, SIGTERM);
    for (int i = 0; i < 200; ++i) {
        if (::waitpid(child, &status, WNOHANG) == child) { return status; }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(-child, SIGKILL);
    ::waitpid(child, &status, 0);
    return status;
}

/// Splits what arrives into lines.
class line_reader {
public:
    explicit line_reader(std::function<void(std::string const&)> take) : take_(std::move(take)) {}
    void add(char const* data, std::size_t size) {
        rest_.append(data, size);
        std::size_t at = 0;
        for (auto stop = rest_.find('\n'); stop != rest_.npos; stop = rest_.find('\n', at)) {
            take_(rest_.substr(at, stop - at));
            at = stop + 1;
        }
        rest_.erase(0, at);
    }
    void finish() {
        if (!rest_.empty()) { take_(rest_); }
    }

private:
    std::function<void(std::string const&)> take_;
    std::string rest_;
};

}  // namespace

meeting_place::meeting_place(std::size_t bytes)
    : descriptor_(::memfd_create("coll_perf", MFD_CLOEXEC)),
      bytes_(bytes),
      path_("/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor_)) {
    if (descriptor_ < 0) { fail("memfd_create"); }
    if (::ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) { fail("ftruncate"); }
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (memory_ == MAP_FAILED) { fail("mmap"); }
}

meeting_place::~meeting_place() {
    ::munmap(memory_, bytes_);
    ::close(descriptor_);
}

launch_end run_launch(std::function<int(int)> const& work, double seconds,
                      std::function<bool(std::string const&)> const& take,
                      std::function<bool()> const& is_lost) {
    std::fflush(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) { fail("pipe2"); }
    auto const parent = ::getpid();
    auto const child = ::fork();
    if (child < 0) { fail("fork"); }
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) { ::_exit(1); }  // it has ended already
        ::setpgid(0, 0);                            // so that all it starts can be ended together
        ::close(ends[0]);
        int status = 1;
        try {
            status = work(ends[1]);
        } catch (std::exception const& e) { write_line(ends[1], e.what()); }
        std::fflush(nullptr);
        ::_exit(status);
    }
    ::setpgid(child, child);
    ::close(ends[1]);
    launch_end result;
    line_reader lines([&](std::string const& line) {
        if (!take(line) && !line.empty()) { result.said += line + "\n"; }
    });
    using duration = std::chrono::duration<double>;
    auto const start = steady::now();
    auto limit = seconds > 0 ? duration(seconds) : duration::max();
    bool in_time = true;
    bool lost = false;
    for (;;) {
        duration const passed = steady::now() - start;
        if (is_lost && !lost && is_lost()) {
            lost = true;
            limit = std::min(limit, passed + std::chrono::seconds(1));
        }
        in_time = passed < limit;
        if (!in_time) { break; }
        pollfd watched{ends[0], POLLIN, 0};
        // A process that wakes often would disturb what is measured.
        double const longest = is_lost ? 0.5 : 1e3;
        auto const left = std::min((limit - passed).count(), longest);
        if (::poll(&watched, 1, static_cast<int>(std::ceil(1e3 * left))) <= 0) { continue; }
        char buffer[4096];
        auto const got = ::read(ends[0], buffer, sizeof buffer);
        if (got == 0) { break; }
        if (got > 0) { lines.add(buffer, static_cast<std::size_t>(got)); }
    }
    ::close(ends[0]);
    lines.finish();
    int status = 0;
    if (in_time) {
        ::waitpid(child, &status, 0);
        result.how = status == 0 ? launch_end::how::well : launch_end::how::failed;
        result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    } else {
        end(child);
        result.how = launch_end::how::out_of_time;
    }
    return result;
}

int become(std::vector<std::string> const& command, int descriptor) {
    std::vector<char*> arguments;
    for (auto const& word : command) { arguments.push_back(const_cast<char*>(word.c_str())); }
    arguments.push_back(nullptr);
    auto const nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(descriptor, STDOUT_FILENO);
    ::dup2(descriptor, STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    write_line(STDOUT_FILENO, command[0] + ": " + std::generic_category().message(errno));
    return 127;
}

void write_line(int descriptor, std::string const& line) {
    auto const text = line + "\n";
    for (std::size_t at = 0; at < text.size();) {
        auto const n = ::write(descriptor, text.data() + at, text.size() - at);
        if (n < 0 && errno != EINTR) { return; }
        if (n > 0) { at += static_cast<std::size_t>(n); }
    }
}

}  // namespace coll_perf
