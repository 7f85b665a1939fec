// SPDX-License-Identifier: BSD-3-Clause
#include "host.hpp"

#include "../processor.hpp"

#include <collectives/core/processors.hpp>

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>

namespace coll_perf {
host_facts const& this_host() {
    static host_facts const facts = [] {
        std::array<char, 256> name{};
        ::gethostname(name.data(), name.size() - 1);
#if defined(__clang__)
        std::string const compiler = "clang " + std::string(__clang_version__);
#else
        std::string const compiler = "g++ " + std::string(__VERSION__);
#endif
        return host_facts{name.data(), tools::processor_name(), compiler, COLLECTIVES_VERSION,
                          collectives::usable_processors()};
    }();
    return facts;
}

double load_now() {
    double load = 0;
    return ::getloadavg(&load, 1) == 1 ? load : 0;
}

std::string date_now() {
    auto const now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

}  // namespace coll_perf
