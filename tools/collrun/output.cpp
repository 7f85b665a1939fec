// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

namespace collrun {

namespace {

/// Writes it all, waiting for whoever reads. A reader who has gone ends this process by SIGPIPE,
/// and with it the ranks.
void write_all(int to, std::string_view text) {
    while (!text.empty()) {
        auto const n = ::write(to, text.data(), text.size());
        if (n < 0 && errno == EAGAIN) {
            pollfd p{to, POLLOUT, 0};
            ::poll(&p, 1, -1);
        } else if (n < 0 && errno != EINTR) {
            return;  // there is nowhere left to say so
        }
        text.remove_prefix(static_cast<std::size_t>(n < 0 ? 0 : n));
    }
}

}  // namespace

output::output(collectives::descriptor from, int to, int rank)
    : from_(std::move(from)), to_(to), mark_(fmt::format("[{}] ", rank)) {
    ::fcntl(from_.get(), F_SETFL, O_NONBLOCK);
}

bool output::pass_on() {
    constexpr std::size_t longest = std::size_t{1} << 20;  // of a line that is kept together
    std::array<char, 65536> some;
    auto const n = ::read(from_.get(), some.data(), some.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) { return false; }
    if (n <= 0) {
        from_.reset();
        return false;
    }
    begun_.append(some.data(), static_cast<std::size_t>(n));
    if (begun_.size() > longest && begun_.find('\n') == std::string::npos) { begun_ += '\n'; }
    write_lines(begun_.rfind('\n') + 1);  // npos + 1 is 0
    return true;
}

void output::finish() {
    while (pass_on()) {}
    if (!begun_.empty()) { begun_ += '\n'; }
    write_lines(begun_.size());
}

void output::write_lines(std::size_t end) {
    std::string marked;
    for (std::size_t at = 0; at < end;) {
        auto const next = begun_.find('\n', at) + 1;
        marked += mark_;
        marked.append(begun_, at, next - at);
        at = next;
    }
    begun_.erase(0, end);
    write_all(to_, marked);
}

}  // namespace collrun
