// SPDX-License-Identifier: BSD-3-Clause
// What the ranks exchange about their devices.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/files.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/cuda_settings.hpp>
#include <collectives/transport/cuda/calls.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

namespace collectives::inline v0::cuda {

namespace detail {

/// A rank and its device, or why the rank cannot take part.
struct device_info {
    short_text<200> fault{};  // empty: all is well
    uuid device{};
    std::uint64_t process = 0;  // equal for no two processes
    std::int32_t number = 0;    // of the device, in its process
    rank_t job_rank = 0;
    std::int32_t order = -1;  // the `ordering` that is asked for
    std::int32_t share = 0;   // percent of its device, under MPS
    bool has_event = false;
    event in_process = nullptr;
    handle between_processes{};
    std::uint64_t table = 0;  // the place of its export_table
};

/// A number that no other process has or will have; the time of the process's start is part of it.
inline std::uint64_t this_process() {
    auto const text = collectives::detail::start_of_file<1024>("/proc/self/stat");
    std::string_view all(text.data());
    all.remove_prefix(std::min(all.rfind(')') + 1, all.size()));
    for (int field = 3; field < 22; ++field) {
        all.remove_prefix(std::min(all.find(' ', 1), all.size()));
    }
    return mix(static_cast<std::uint64_t>(::getpid()), hash_text(all.substr(0, all.find(' ', 1))));
}

inline std::optional<ordering> asked_order(settings const& with) {
    if (with.order) { return with.order; }
    auto const* const text = std::getenv("COLLECTIVES_CUDA_ORDER");
    if (text == nullptr || *text == '\0') { return {}; }
    std::string_view const name(text);
    if (name == "events") { return ordering::events; }
    if (name == "memory") { return ordering::memory; }
    if (name == "host") { return ordering::host; }
    throw_error<usage_error>("COLLECTIVES_CUDA_ORDER is '", name, "': say events, memory or host");
}

/// By rank of the job: the first rank on its device; -1 for a rank with a part of its own, under
/// MPS.
inline std::vector<int> shared_devices_of(std::vector<device_info> const& infos) {
    std::vector<int> result;
    for (auto const& c : infos) {
        auto const same = [&](device_info const& other) { return other.device == c.device; };
        auto const first = std::find_if(infos.begin(), infos.end(), same) - infos.begin();
        auto const at = static_cast<std::size_t>(c.job_rank);
        if (result.size() <= at) { result.resize(at + 1, -1); }
        result[at] = c.share != 0 ? -1 : static_cast<int>(first);
    }
    return result;
}
inline bool some_share_a_device(std::vector<int> devices) {
    std::erase(devices, -1);
    std::sort(devices.begin(), devices.end());
    return std::adjacent_find(devices.begin(), devices.end()) != devices.end();
}

}  // namespace detail

}  // namespace collectives::cuda
