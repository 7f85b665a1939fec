// SPDX-License-Identifier: BSD-3-Clause
// Ranks as processes of which each is started by itself, as a launcher does.
#pragma once

#include <collectives/core/error.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace faults {

/// A process that was forked, and where its error's text can be read.
struct forked {
    pid_t pid = 0;
    int text = -1;
};

/// Runs f in a process that says it is this rank; `f` gives its exit status. Errors have their own:
/// 10 + the first of the ranks that are missing, 20 + the rank that was lost, 30 for the caller's
/// mistakes, 40 for the system's.
template <class F>
forked start(int rank, int size, F&& f) {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) { std::abort(); }
    auto const pid = ::fork();
    if (pid != 0) {
        ::close(ends[1]);
        return {pid, ends[0]};
    }
    ::alarm(30);
    ::setenv("COLLECTIVES_RANK", std::to_string(rank).c_str(), 1);
    ::setenv("COLLECTIVES_SIZE", std::to_string(size).c_str(), 1);
    int status = 99;
    std::string text;
    auto const note = [&](int code, std::exception const& e) {
        status = code;
        text = e.what();
    };
    try {
        status = f();
    } catch (collectives::timeout_error const& e) {
        note(10 + (e.missing().empty() ? 9 : e.missing().front()), e);
    } catch (collectives::peer_lost_error const& e) {
        note(20 + e.peer(), e);
    } catch (collectives::usage_error const& e) { note(30, e); } catch (std::exception const& e) {
        note(40, e);
    }
    auto const n = ::write(ends[1], text.data(), text.size());
    ::_exit(n == static_cast<ssize_t>(text.size()) ? status : 98);
}

struct outcome {
    int status = 0;    // 100 + the signal that ended it
    std::string said;  // its error's text
};

inline outcome end_of(forked const& process) {
    outcome result;
    int status = 0;
    ::waitpid(process.pid, &status, 0);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
    char text[1024];
    // Other processes may have inherited the pipe, so its end is not waited for.
    auto const n = result.status >= 10 && result.status < 99
                       ? ::read(process.text, text, sizeof text)
                       : ssize_t{0};
    if (n > 0) { result.said.assign(text, static_cast<std::size_t>(n)); }
    ::close(process.text);
    return result;
}

inline std::vector<int> statuses(std::vector<forked> const& processes) {
    std::vector<int> result;
    for (auto const& p : processes) { result.push_back(end_of(p).status); }
    return result;
}

}  // namespace faults
