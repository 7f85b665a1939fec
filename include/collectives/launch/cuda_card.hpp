// SPDX-License-Identifier: BSD-3-Clause
// What a program asks of its devices, and what a rank tells the others of its own.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/fingerprint.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/cuda_residence.hpp>
#include <collectives/transport/cuda/calls.hpp>
#include <collectives/transport/cuda/space.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collectives::cuda {

/// Who sees to it that a rank's part comes after what it needs of others.
enum class drive : std::uint8_t {
    host,   // kernels never wait: works everywhere
    device  // they do, in one kernel for a call: where all of them certainly run at once
};

/// How ranks work with their devices.
struct settings {
    std::shared_ptr<call_table> calls;  ///< what is used of CUDA
    /// Equal on all ranks. Default: COLLECTIVES_CUDA_ORDER (events, memory or host), else the first
    /// of these that works between all ranks.
    std::optional<ordering> order{};
    /// Equal on all ranks. Default: COLLECTIVES_CUDA_DRIVE (host or device), else the host.
    std::optional<drive> driven_by{};
};

namespace detail {

/// What a rank tells the others of itself, or why it cannot take part.
struct card {
    std::array<char, 200> fault{};  // empty: all is well
    uuid device{};
    std::uint64_t process = 0;  // equal for no two processes
    std::int32_t number = 0;    // of the device, in its process
    rank_t job_rank = 0;
    std::int32_t order = -1;  // that is asked for
    bool drives = false;      // likewise: device-driven
    rank_device residence{};
    bool has_event = false;
    event in_process = nullptr;
    handle between_processes{};
    std::uint64_t table = 0;  // where it shows its memory

    void refuse(std::string_view why) {
        std::copy_n(why.data(), std::min(why.size(), fault.size() - 1), fault.data());
    }
};

/// A number that no other process has or will have: when it started is part of it.
template <class = void>
std::uint64_t this_process() {
    std::array<char, 1024> text{};
    std::size_t n = 0;
    if (auto* const file = std::fopen("/proc/self/stat", "r")) {
        n = std::fread(text.data(), 1, text.size(), file);
        std::fclose(file);
    }
    std::string_view all(text.data(), n);
    all.remove_prefix(std::min(all.rfind(')') + 1, all.size()));
    for (int field = 3; field < 22; ++field) {
        all.remove_prefix(std::min(all.find(' ', 1), all.size()));
    }
    return mix(static_cast<std::uint64_t>(::getpid()), hash_text(all.substr(0, all.find(' ', 1))));
}

template <class = void>
std::optional<ordering> asked_order(settings const& with) {
    if (with.order) { return with.order; }
    auto const* const text = std::getenv("COLLECTIVES_CUDA_ORDER");
    if (text == nullptr || *text == '\0') { return {}; }
    std::string_view const name(text);
    if (name == "events") { return ordering::events; }
    if (name == "memory") { return ordering::memory; }
    if (name == "host") { return ordering::host; }
    throw usage_error(
        text_of("COLLECTIVES_CUDA_ORDER is '", name, "': say events, memory or host"));
}

template <class = void>
bool asks_to_drive(settings const& with) {
    if (with.driven_by) { return *with.driven_by == drive::device; }
    auto const* const text = std::getenv("COLLECTIVES_CUDA_DRIVE");
    if (text == nullptr || *text == '\0') { return false; }
    std::string_view const name(text);
    if (name != "host" && name != "device") {
        throw usage_error(text_of("COLLECTIVES_CUDA_DRIVE is '", name, "': say host or device"));
    }
    return name == "device";
}

/// Of each rank of the job that takes turns, the first rank on its device.
template <class = void>
std::vector<int> turns_of(std::vector<card> const& cards) {
    std::vector<int> result;
    for (auto const& c : cards) {
        if (c.residence.share != 0) { continue; }  // beside others, under MPS
        auto const same = [&](card const& other) { return other.device == c.device; };
        auto const at = static_cast<std::size_t>(c.job_rank);
        if (result.size() <= at) { result.resize(at + 1, -1); }
        result[at] =
            static_cast<int>(std::find_if(cards.begin(), cards.end(), same) - cards.begin());
    }
    return result;
}

}  // namespace detail

}  // namespace collectives::cuda
