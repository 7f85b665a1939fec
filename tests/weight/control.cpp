// SPDX-License-Identifier: BSD-3-Clause
// The control of the check of weight: the headers of the system that examples/hello.cpp brought in
// at commit 7a45a33. The list stays as it is: what the library includes later counts as weight.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <cmath>
#include <compare>
#include <complex>
#include <concepts>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <initializer_list>
#include <limits>
#include <linux/futex.h>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <poll.h>
#include <ranges>
#include <sched.h>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <type_traits>
#include <typeinfo>
#include <unistd.h>
#include <utility>
#include <vector>

int main() {}
