// SPDX-License-Identifier: BSD-3-Clause
// What UCX is asked with, and its errors as exceptions.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>

#include <ucp/api/ucp.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace collectives::inline v0::ucx::detail {

/// Throws transport_error with what UCX says, unless the call succeeded.
inline void require(ucs_status_t status, char const* call) {
    if (status != UCS_OK) { throw_error<transport_error>(call, ": ", ucs_status_string(status)); }
}

struct release {
    void operator()(ucp_config_t* c) const { ucp_config_release(c); }
    void operator()(ucp_context* c) const { ucp_cleanup(c); }
    void operator()(ucp_worker* w) const { ucp_worker_destroy(w); }
};
using config_ptr = std::unique_ptr<ucp_config_t, release>;
using context_ptr = std::unique_ptr<ucp_context, release>;
using worker_ptr = std::unique_ptr<ucp_worker, release>;

/// Sets what the environment (UCX_NAME) does not. A name that this UCX does not know is left out.
inline void prefer(ucp_config_t& config, char const* name, char const* value) {
    if (std::getenv(text_of("UCX_", name).c_str()) == nullptr) {
        static_cast<void>(ucp_config_modify(&config, name, value));
    }
}

/// Whether the environment lets UCX use shared memory. It complains of settings that it needs not.
inline bool may_share_memory() {
    auto const* const text = std::getenv("UCX_TLS");
    if (text == nullptr) { return true; }
    std::string_view const names(text);
    if (names.starts_with('^')) { return true; }  // all but these
    constexpr std::array<std::string_view, 6> sharing{"all", "sm", "shm", "mm", "posix", "sysv"};
    return std::any_of(sharing.begin(), sharing.end(),
                       [&](auto name) { return names.find(name) != names.npos; });
}

/// Whether the environment names TCP as the only transport between processes. What UCX has within
/// one process, or for devices, may stand beside it.
inline bool has_tcp_alone() {
    auto const* const text = std::getenv("UCX_TLS");
    std::string_view rest(text == nullptr ? "" : text);
    bool found = false;
    while (!rest.empty()) {
        auto const name = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
        found = found || name == "tcp";
        auto const beside = name == "self" || name.ends_with("_copy") || name.ends_with("_ipc");
        if (name != "tcp" && !beside) { return false; }
    }
    return found;
}

inline constexpr char const* about_containers =
    "(ranks in different containers need tcp or a network card)";

/// The number of one of this process's name spaces; 0 where the kernel does not say.
inline std::uint64_t name_space(char const* file) {
    struct stat its {};
    return ::stat(file, &its) == 0 ? its.st_ino : 0;
}
inline std::uint64_t process_space() { return name_space("/proc/self/ns/pid"); }

/// Whether this process is in the process name space in which the machine started.
inline bool sees_all_processes() {
    constexpr std::uint64_t first = 0xeffffffc;  // as Linux numbers it
    return process_space() == first;
}

/// Whether UCX may take System V's shared memory. UCX 1.13 takes a peer in another process name
/// space for dead there, and crashes; so in a container it is left out, unless the environment
/// says what to use.
inline bool may_share_by_sysv() {
    auto const* const text = std::getenv("UCX_TLS");
    if (text == nullptr) { return sees_all_processes(); }
    std::string_view const names(text);
    auto const has = [&](auto name) { return names.find(name) != names.npos; };
    constexpr std::array<std::string_view, 4> with_it{"sysv", "sm", "shm", "mm"};
    auto const named = std::any_of(with_it.begin(), with_it.end(), has);
    return names.starts_with('^') ? !named : named || has("all");
}

/// Tag messages, and waits that sleep. UCX looks for a peer's death every 50 ms. Shared
/// memory stays in use, though UCX would leave it out where errors are to be reported.
inline context_ptr make_context(int ranks) {
    ucp_config_t* read = nullptr;
    require(ucp_config_read(nullptr, nullptr, &read), "ucp_config_read");
    config_ptr const config(read);
    prefer(*config, "KEEPALIVE_INTERVAL", "0.05s");
    if (may_share_memory()) { prefer(*config, "MM_ERROR_HANDLING", "y"); }
    // UCX asks the receiver before it sends longer messages, and question and answer wait behind
    // all that is under way on the same link. Only over shared memory that is quicker.
    if (has_tcp_alone()) { prefer(*config, "RNDV_THRESH", "512k"); }
    if (!may_share_by_sysv()) { prefer(*config, "TLS", "^sysv"); }
    ucp_params_t wanted{};
    wanted.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
    wanted.features = UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP;
    wanted.estimated_num_eps = static_cast<std::size_t>(ranks);
    ucp_context_h made = nullptr;
    require(ucp_init(&wanted, config.get(), &made), "ucp_init");
    return context_ptr(made);
}

struct unmap {
    ucp_context_h context = nullptr;
    void operator()(ucp_mem* m) const { ucp_mem_unmap(context, m); }
};
using memory_ptr = std::unique_ptr<ucp_mem, unmap>;

/// Registers memory with the devices of a context, which must outlive what is returned.
inline memory_ptr map_memory(ucp_context_h context, void* p, std::size_t bytes) {
    ucp_mem_map_params_t wanted{};
    wanted.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
    wanted.address = p;
    wanted.length = bytes;
    ucp_mem_h made = nullptr;
    require(ucp_mem_map(context, &wanted, &made), "ucp_mem_map");
    return memory_ptr(made, unmap{context});
}

inline worker_ptr make_worker(ucp_context_h context) {
    ucp_worker_params_t wanted{};
    wanted.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    wanted.thread_mode = UCS_THREAD_MODE_SERIALIZED;
    ucp_worker_h made = nullptr;
    require(ucp_worker_create(context, &wanted, &made), "ucp_worker_create");
    return worker_ptr(made);
}

}  // namespace collectives::ucx::detail
