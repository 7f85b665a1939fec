// SPDX-License-Identifier: BSD-3-Clause
// Device memory that other processes reach by a file: what CUDA's driver calls virtual memory
// management. It crosses PID namespaces, and outlives its owner where a peer has it mapped.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/transport/cuda/calls.hpp>
#include <collectives/transport/cuda/file_server.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace collectives::inline v0::cuda::detail {

/// A call of the driver, which no program needs to link.
template <class F>
F* driver_call(char const* name) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult how{};
    auto const fault =
        ::cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &how);
    if (fault != cudaSuccess || found == nullptr) {
        static_cast<void>(::cudaGetLastError());
        throw_error<transport_error>(name, ": not in this driver");
    }
    return reinterpret_cast<F*>(found);
}

// Looked for when a pointer is first asked about, which needs a device.
inline CUresult range_of(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr p) {
    static auto* const call = driver_call<decltype(cuMemGetAddressRange)>("cuMemGetAddressRange");
    return call(base, bytes, p);
}
inline CUresult attribute_of(void* value, CUpointer_attribute which, CUdeviceptr p) {
    static auto* const call = driver_call<decltype(cuPointerGetAttribute)>("cuPointerGetAttribute");
    return call(value, which, p);
}

inline bool device_can(CUdevice_attribute what, int device) {
    static auto* const ask = driver_call<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute");
    int can = 0;
    return ask(&can, what, device) == CUDA_SUCCESS && can != 0;
}

/// Throws transport_error unless a call of the driver succeeded.
inline void require_success(CUresult fault, char const* call) {
    if (fault == CUDA_SUCCESS) { return; }
    throw_error<transport_error>(call, ": error ", static_cast<int>(fault), " of the driver");
}

/// From any thread.
class shared_files {
public:
    static constexpr std::size_t granule = std::size_t{2} << 20;

    /// Whether the current device has such memory, and COLLECTIVES_CUDA_MEMORY is not `ipc`.
    bool are_there(int device) {
        static bool const wanted = [] {
            auto const* const text = std::getenv("COLLECTIVES_CUDA_MEMORY");
            std::string_view const name(text == nullptr ? "" : text);
            if (!name.empty() && name != "ipc" && name != "files") {
                throw_error<usage_error>("COLLECTIVES_CUDA_MEMORY is '", name,
                                         "': say files or ipc");
            }
            return name != "ipc";
        }();
        return wanted &&
               device_can(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device) &&
               device_can(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, device);
    }

    /// On the current device; `bytes` are whole granules.
    void* allocate(int device, std::size_t bytes) {
        static auto* const create = driver_call<decltype(cuMemCreate)>("cuMemCreate");
        CUmemAllocationProp about{};
        about.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        about.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        about.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        about.location.id = device;
        CUmemGenericAllocationHandle memory{};
        require_success(create(&memory, bytes, &about, 0), "cuMemCreate");
        auto* const p = map(memory, device, bytes);
        std::lock_guard const lock(mutex_);
        known_[reinterpret_cast<std::uintptr_t>(p)] = {memory, bytes, ++last_ | first_id, {}, true};
        return p;
    }
    /// False if it is none of these.
    bool free(void* p) {
        auto const gone = take(p);
        if (!gone) { return false; }
        if (gone->ticket) { server_->withdraw(*gone->ticket); }
        unmap(p, *gone);
        return true;
    }
    /// What an address belongs to, if that is such memory.
    std::optional<allocation> find(void const* p) const {
        std::lock_guard const lock(mutex_);
        auto const at = reinterpret_cast<std::uintptr_t>(p);
        auto next = known_.upper_bound(at);
        if (next == known_.begin()) { return {}; }
        auto const& [base, its] = *--next;
        if (at >= base + its.bytes) { return {}; }
        return allocation{its.is_own ? allocation::kind::shareable : allocation::kind::private_,
                          reinterpret_cast<void*>(base), its.bytes, its.id};
    }
    std::optional<file_ticket> share(void* base) {
        std::lock_guard const lock(mutex_);
        auto const found = known_.find(reinterpret_cast<std::uintptr_t>(base));
        if (found == known_.end()) { return {}; }
        auto& its = found->second;
        if (!its.ticket) {
            static auto* const give =
                driver_call<decltype(cuMemExportToShareableHandle)>("cuMemExportToShareableHandle");
            if (!server_) { server_ = std::make_unique<file_server>(); }
            int file = -1;
            require_success(give(&file, its.memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
                            "cuMemExportToShareableHandle");
            its.ticket = server_->offer(file, its.bytes);
        }
        return its.ticket;
    }
    void* open(file_ticket const& t, int device) {
        auto const file = file_server::fetch(t);
        if (file.get() < 0) { throw transport_error("a peer has freed what it showed"); }
        static auto* const import =
            driver_call<decltype(cuMemImportFromShareableHandle)>("cuMemImportFromShareableHandle");
        CUmemGenericAllocationHandle memory{};
        require_success(
            import(&memory, reinterpret_cast<void*>(static_cast<std::intptr_t>(file.get())),
                   CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
            "cuMemImportFromShareableHandle");
        auto* const p = map(memory, device, t.bytes);
        std::lock_guard const lock(mutex_);
        known_[reinterpret_cast<std::uintptr_t>(p)] = {
            memory, t.bytes, ++last_ | first_id, {}, false};
        return p;
    }

private:
    static constexpr std::uint64_t first_id = std::uint64_t{1} << 63;  // others count from 1

    struct block {
        CUmemGenericAllocationHandle memory{};
        std::size_t bytes = 0;
        std::uint64_t id = 0;
        std::optional<file_ticket> ticket;
        bool is_own = false;
    };

    /// Takes the memory over.
    static void* map(CUmemGenericAllocationHandle memory, int device, std::size_t bytes) {
        static auto* const reserve =
            driver_call<decltype(cuMemAddressReserve)>("cuMemAddressReserve");
        static auto* const put = driver_call<decltype(cuMemMap)>("cuMemMap");
        static auto* const allow = driver_call<decltype(cuMemSetAccess)>("cuMemSetAccess");
        CUdeviceptr at = 0;
        bool is_mapped = false;
        try {
            require_success(reserve(&at, bytes, granule, 0, 0), "cuMemAddressReserve");
            require_success(put(at, bytes, 0, memory, 0), "cuMemMap");
            is_mapped = true;
            int devices = 0;
            static_cast<void>(::cudaGetDeviceCount(&devices));
            for (int d = 0; d < devices; ++d) {
                int reaches = d == device ? 1 : 0;
                if (d != device) {
                    static_cast<void>(::cudaDeviceCanAccessPeer(&reaches, d, device));
                }
                if (reaches == 0) { continue; }
                CUmemAccessDesc access{};
                access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
                access.location.id = d;
                access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
                require_success(allow(at, bytes, &access, 1), "cuMemSetAccess");
            }
        } catch (transport_error const&) {
            undo(at, bytes, memory, is_mapped);
            throw;
        }
        return reinterpret_cast<void*>(at);
    }
    static void unmap(void* p, block const& its) {
        undo(reinterpret_cast<CUdeviceptr>(p), its.bytes, its.memory, true);
    }
    static void undo(CUdeviceptr at, std::size_t bytes, CUmemGenericAllocationHandle memory,
                     bool is_mapped) {
        static auto* const drop = driver_call<decltype(cuMemUnmap)>("cuMemUnmap");
        static auto* const leave = driver_call<decltype(cuMemAddressFree)>("cuMemAddressFree");
        static auto* const release = driver_call<decltype(cuMemRelease)>("cuMemRelease");
        if (is_mapped) { static_cast<void>(drop(at, bytes)); }
        if (at != 0) { static_cast<void>(leave(at, bytes)); }
        static_cast<void>(release(memory));
    }
    std::optional<block> take(void* p) {
        std::lock_guard const lock(mutex_);
        auto const found = known_.find(reinterpret_cast<std::uintptr_t>(p));
        if (found == known_.end()) { return {}; }
        auto result = std::move(found->second);
        known_.erase(found);
        return result;
    }

    mutable std::mutex mutex_;
    std::map<std::uintptr_t, block> known_;
    std::uint64_t last_ = 0;
    std::unique_ptr<file_server> server_;
};

}  // namespace collectives::cuda::detail
