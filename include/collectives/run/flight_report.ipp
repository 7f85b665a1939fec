// SPDX-License-Identifier: BSD-3-Clause
// The definitions of run/flight_report.hpp.
#pragma once

#include <collectives/core/files.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/timeout.hpp>
#include <collectives/core/without_cancellation.hpp>
#include <collectives/run/flight_report.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace collectives::inline v0::detail {

/// A text in quotes. What is not ASCII becomes a question mark, since it may have been cut.
[[gnu::cold]] inline std::string json_text(std::string_view text) {
    std::string result = "\"";
    for (char const c : text) {
        auto const code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') { result += '\\'; }
        result += code < 0x20 ? ' ' : code > 0x7e ? '?' : c;
    }
    return result + '"';
}

[[gnu::cold]] inline std::string json_of(wait_point const& at) {
    if (at.sequence == 0) { return "null"; }
    return text_of("{\"call\":\"", name(at.what), "\",\"number\":", at.sequence,
                   ",\"round\":", at.round, ",\"peer\":", at.peer, "}");
}

[[gnu::cold]] inline std::string json_of(fingerprint const& call, bool done) {
    auto const chosen = call.segment == static_cast<std::uint64_t>(-1);  // by the library
    return text_of("{\"number\":", call.sequence, ",\"call\":\"", name(call.what),
                   "\",\"count\":", call.count, ",\"type\":", json_text(call.type_name.view()),
                   ",\"operator\":", json_text(call.op_name.view()),
                   ",\"algorithm\":", json_text(call.algorithm_name.view()),
                   ",\"segment\":", (chosen ? "null" : text_of(call.segment)),
                   ",\"root\":", call.root, ",\"done\":", (done ? "true" : "false"), "}");
}

/// The milliseconds that an activity has waited; -1 if nobody knows.
[[gnu::cold]] inline long long waited(activity const& a) {
    auto const ends = a.deadline;
    if (ends == steady::time_point{} || ends == steady::time_point::max()) { return -1; }
    auto const time = steady::now() - (ends - a.allowed);
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

[[gnu::cold]] COLLECTIVES_INLINE std::string flight_report(flight_view const& of,
                                                           std::string_view why) {
    constexpr std::uint64_t most_calls = 64;
    constexpr std::string_view kinds[] = {"mismatch", "timeout", "peer_lost", "transport",
                                          "aborted"};
    auto const& board = of.board;
    auto const me = of.group.rank();
    auto const since = std::chrono::system_clock::now().time_since_epoch();
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    auto const failed = board.first_failure();
    auto text = text_of(
        "{\"flight\":1,\"communicator\":\"", of.context, "\",\"rank\":", me,
        ",\"size\":", of.group.size(), ",\"job_rank\":", of.group.job_rank(me),
        ",\"pid\":", ::getpid(), ",\"host\":", json_text(host.data()),
        ",\"milliseconds\":", std::chrono::duration_cast<std::chrono::milliseconds>(since).count(),
        ",\"why\":\"", why, "\",\n\"failure\":",
        (failed ? text_of("{\"kind\":\"", kinds[static_cast<std::size_t>(failed->kind)],
                          "\",\"text\":", json_text(failed->text.data()), "}")
                : "null"),
        ",\n\"waits\":", (of.waits == nullptr ? "null" : json_of(of.waits->where())),
        ",\"waited_milliseconds\":", (of.waits == nullptr ? -1 : waited(*of.waits)),
        ",\n\"under_way\":[");
    char const* between = "";
    for (auto const* a : of.under_way) {
        add_text(text, between, json_of(a->where()));
        between = ",";
    }
    text += "],\n\"calls\":[";
    between = "\n";
    auto const last = board.entered(me);
    for (auto left = std::min<std::uint64_t>(last, most_calls); left > 0; --left) {
        auto const s = last - left + 1;
        auto const call = board.call_of(me, s);
        if (!call) { continue; }  // no longer remembered
        add_text(text, between, json_of(*call, s <= board.finished(me)));
        between = ",\n";
    }
    text += "],\n\"ranks\":[";
    between = "\n";
    for (rank_t r = 0; r < of.group.size(); ++r) {
        add_text(text, between, "{\"rank\":", r, ",\"entered\":", board.entered(r),
                 ",\"finished\":", board.finished(r), ",\"waits\":", json_of(board.wait_of(r)),
                 "}");
        between = ",\n";
    }
    return text + "]}\n";
}

/// Says on standard error why there is no report: the rank has worse to tell its program. Allocates
/// nothing. Where standard error is a pipe that nobody reads any more, the process goes on.
[[gnu::cold]] inline void say_that_no_report(char const* path, char const* why) {
    ::sigset_t of_pipes, before, pending;
    ::sigemptyset(&of_pipes);
    ::sigaddset(&of_pipes, SIGPIPE);
    ::sigpending(&pending);
    ::pthread_sigmask(SIG_BLOCK, &of_pipes, &before);
    std::fprintf(stderr, "collectives: cannot write %s: %s\n", path, why);
    if (::sigismember(&pending, SIGPIPE) == 0) {
        ::timespec const now{};
        while (::sigtimedwait(&of_pipes, nullptr, &now) < 0 && errno == EINTR) {}
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Writes a file whole or not at all. What has that name already, perhaps a link that somebody else
/// made in a directory of all, is not written to.
[[gnu::cold]] inline void write_flight_file(std::string const& path, std::string_view text) {
    auto const unfinished = path + ".tmp";
    ::unlink(unfinished.c_str());
    auto const file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    auto written = file >= 0 && may_have_bytes(text.size());
    if (file >= 0 && !written) { errno = EFBIG; }
    while (written && !text.empty()) {
        auto const n = ::write(file, text.data(), text.size());
        if (n > 0) { text.remove_prefix(static_cast<std::size_t>(n)); }
        written = n > 0 || (n < 0 && errno == EINTR);
    }
    auto why = errno;
    if (file >= 0 && ::close(file) != 0 && written) {
        why = errno;
        written = false;
    }
    if (written && std::rename(unfinished.c_str(), path.c_str()) == 0) { return; }
    if (written) { why = errno; }
    if (file >= 0) { ::unlink(unfinished.c_str()); }
    say_that_no_report(path.c_str(), std::strerror(why));
}

/// Throws nothing: without memory there is no report, and all else goes on.
[[gnu::cold]] inline void record_flight(flight_view const& of, flight_log& log) noexcept {
    without_cancellation const until_end;  // it would pass through here as an exception
    auto const requests = flight_requests.load(std::memory_order_relaxed);
    auto const has_failed = of.board.stopped();
    auto const* const folder = std::getenv("COLLECTIVES_REPORT");
    if (folder == nullptr || (has_failed ? log.failed : log.requests == requests)) { return; }
    log = {requests, has_failed};
    try {
        auto const path = text_of(folder, "/flight-", of.context, "-rank", of.group.rank(), "-pid",
                                  ::getpid(), ".json");
        write_flight_file(path, flight_report(of, has_failed ? "failure" : "signal"));
    } catch (std::exception const& e) { say_that_no_report(folder, e.what()); }
}

[[gnu::cold]] inline void listen_to_flight_requests() {
    struct ::sigaction now {};
    if (::sigaction(SIGUSR2, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) { return; }
    now.sa_handler = [](int) { flight_requests.fetch_add(1, std::memory_order_relaxed); };
    now.sa_flags = SA_RESTART;
    ::sigaction(SIGUSR2, &now, nullptr);
}

[[gnu::cold]] inline void open_flight_folder() {
    auto const* const folder = std::getenv("COLLECTIVES_REPORT");
    struct ::stat its {};
    if (folder == nullptr || ::stat(folder, &its) != 0 || !S_ISDIR(its.st_mode) ||
        ::access(folder, W_OK | X_OK) != 0) {
        throw_error<usage_error>("COLLECTIVES_REPORT is '", (folder == nullptr ? "" : folder),
                                 "': give a directory in which this process may write");
    }
    listen_to_flight_requests();
}

COLLECTIVES_INLINE bool link_flight_recorder() {
    static constexpr flight_recorder recorder{&open_flight_folder, &record_flight};
    linked_flight_recorder = &recorder;
    // Before main: the process that starts the ranks makes no communicator, and may get the signal.
    if (std::getenv("COLLECTIVES_REPORT") != nullptr) { listen_to_flight_requests(); }
    return true;
}

}  // namespace collectives::detail
