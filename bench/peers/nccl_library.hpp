// SPDX-License-Identifier: BSD-3-Clause
// NCCL, opened while the program runs: so that it starts without it, and tells where it has looked.
#pragma once

#include <dlfcn.h>
#include <nccl.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace peers::nccl {

/// A machine without NCCL, or without a device.
struct not_here : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The file that COLLECTIVES_NCCL names, else the one that it was built beside, else any that the
/// linker finds.
inline std::string file_to_open() {
    if (auto const* const named = std::getenv("COLLECTIVES_NCCL")) { return named; }
#ifdef PEERS_NCCL_FILE
    return PEERS_NCCL_FILE;
#else
    return "libnccl.so.2";
#endif
}

class library {
public:
    explicit library(std::string const& file) : file_(file), handle_(open(file)) {}
    library(library const&) = delete;
    library& operator=(library const&) = delete;
    ~library() = default;  // never closed: its threads may still run

    /// One of its functions, by the name that nccl.h declares it with; null where it has none.
    template <class Function>
    Function* find(char const* name) const {
        return reinterpret_cast<Function*>(::dlsym(handle_, name));
    }
    /// One that every NCCL has.
    template <class Function>
    Function* need(char const* name) const {
        auto* const found = find<Function>(name);
        if (found == nullptr) { throw std::runtime_error(file_ + " has no " + name); }
        return found;
    }

    /// Throws unless a call went well, with what NCCL says of it.
    void check(ncclResult_t result, std::string const& what, ncclComm_t comm = nullptr) const {
        if (result == ncclSuccess) { return; }
        std::string const last = last_error_(comm);
        throw std::runtime_error(what + ": " + error_text_(result) +
                                 (last.empty() ? "" : ": " + last));
    }

private:
    static void* open(std::string const& file) {
        auto* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) {
            throw not_here("there is no NCCL: " + std::string(::dlerror()) +
                           "; COLLECTIVES_NCCL names its libnccl.so.2");
        }
        return handle;
    }
    std::string file_;
    void* handle_;
    decltype(::ncclGetErrorString)* error_text_ =
        need<decltype(::ncclGetErrorString)>("ncclGetErrorString");
    decltype(::ncclGetLastError)* last_error_ =
        need<decltype(::ncclGetLastError)>("ncclGetLastError");
};

}  // namespace peers::nccl
