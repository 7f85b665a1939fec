// SPDX-License-Identifier: BSD-3-Clause
#include "command.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <sstream>
#include <stdexcept>

namespace coll_wire {
namespace {

[[noreturn]] void become(std::vector<std::string> const& command, int output,
                         std::function<void()> const& prepare) {
    std::string why;
    try {
        ::dup2(output, STDOUT_FILENO);
        ::dup2(output, STDERR_FILENO);
        prepare();
        std::vector<char*> words;
        for (auto const& w : command) { words.push_back(const_cast<char*>(w.c_str())); }
        words.push_back(nullptr);
        ::execvp(words[0], words.data());
        why = fmt::format("{}: {}", command[0], std::strerror(errno));
    } catch (std::exception const& e) { why = e.what(); }
    static_cast<void>(!::write(STDERR_FILENO, why.data(), why.size()));
    ::_exit(127);
}

}  // namespace

std::vector<std::string> split(std::string const& text, char at) {
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, at);) { words.push_back(word); }
    return words;
}

std::string output_of(std::vector<std::string> const& command,
                      std::function<void()> const& prepare) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) { throw std::runtime_error("pipe2 failed"); }
    auto const child = ::fork();
    if (child == 0) { become(command, ends[1], prepare); }
    ::close(ends[1]);
    std::string said;
    std::array<char, 4096> some;
    for (auto n = ::read(ends[0], some.data(), some.size()); n > 0;
         n = ::read(ends[0], some.data(), some.size())) {
        said.append(some.data(), static_cast<std::size_t>(n));
    }
    ::close(ends[0]);
    int status = 1;
    if (child > 0) { ::waitpid(child, &status, 0); }
    if (child < 0 || status != 0) {
        throw std::runtime_error(fmt::format("{}: {}", command[0], said));
    }
    return said;
}

}  // namespace coll_wire
