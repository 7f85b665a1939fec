// SPDX-License-Identifier: BSD-3-Clause
// The table filled with CUDA's runtime, and with those calls of the driver that it hands out: no
// program needs libcuda to start.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>
#include <collectives/transport/cuda/calls.hpp>
#include <collectives/transport/cuda/runtime_files.hpp>
#include <collectives/transport/cuda/runtime_flags.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace collectives::inline v0::cuda {

class runtime_calls final : public call_table {
public:
    int devices(std::string& why) override {
        int n = 0;
        auto const fault = ::cudaGetDeviceCount(&n);
        if (fault == cudaSuccess) {
            why = n == 0 ? "there is no CUDA device" : "";
            return n;
        }
        auto const none = fault == cudaErrorNoDevice || fault == cudaErrorInsufficientDriver;
        why = text_of(none ? "there is no CUDA device: " : "cudaGetDeviceCount: ",
                      ::cudaGetErrorString(fault));
        static_cast<void>(::cudaGetLastError());  // or the next call reports it
        return 0;
    }
    uuid identity(int device) override {
        cudaDeviceProp about{};
        check(::cudaGetDeviceProperties(&about, device), "cudaGetDeviceProperties");
        uuid result;
        static_assert(sizeof about.uuid == sizeof result);
        std::memcpy(result.data(), &about.uuid, sizeof result);
        return result;
    }
    void begin_thread() override {  // else a query here would end a capture elsewhere
        auto mode = cudaStreamCaptureModeRelaxed;
        check(::cudaThreadExchangeStreamCaptureMode(&mode), "cudaThreadExchangeStreamCaptureMode");
    }
    int current() override {
        int device = 0;
        check(::cudaGetDevice(&device), "cudaGetDevice");
        return device;
    }
    void use(int device) override { check(::cudaSetDevice(device), "cudaSetDevice"); }
    bool reaches(int device, int other) override {
        if (device == other) { return true; }
        int can = 0;
        check(::cudaDeviceCanAccessPeer(&can, device, other), "cudaDeviceCanAccessPeer");
        if (can == 0) { return false; }
        on_device const here(*this, device);
        auto const fault = ::cudaDeviceEnablePeerAccess(other, 0);
        if (fault == cudaErrorPeerAccessAlreadyEnabled) {
            static_cast<void>(::cudaGetLastError());
            return true;
        }
        check(fault, "cudaDeviceEnablePeerAccess");
        return true;
    }

    void* allocate(std::size_t bytes) override {
        if (bytes % detail::shared_files::granule == 0) {
            auto const device = current();
            if (files_.are_there(device)) { return files_.allocate(device, bytes); }
        }
        void* p = nullptr;
        check(::cudaMalloc(&p, bytes), "cudaMalloc");
        return p;
    }
    void free(void* p) override {
        if (files_.find(p) && ::cudaDeviceSynchronize() != cudaSuccess) {  // as cudaFree does
            static_cast<void>(::cudaGetLastError());  // whoever uses the device next hears of it
        }
        if (!files_.free(p)) { check(::cudaFree(p), "cudaFree"); }
    }

    allocation allocation_of(void const* p) override {
        allocation result;
        if (p == nullptr) { return result; }
        if (auto const known = files_.find(p)) { return *known; }
        cudaPointerAttributes about{};
        check(::cudaPointerGetAttributes(&about, p), "cudaPointerGetAttributes");
        if (about.devicePointer == nullptr || about.type == cudaMemoryTypeUnregistered) {
            return result;
        }
        auto const at = reinterpret_cast<CUdeviceptr>(p);
        CUdeviceptr base = 0;
        result.is = allocation::kind::private_;
        if (detail::range_of(&base, &result.bytes, at) != CUDA_SUCCESS) { return result; }
        result.base = reinterpret_cast<void*>(base);
        unsigned long long id = 0;
        unsigned capable = 0, managed = 0;
        if (detail::attribute_of(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, at) == CUDA_SUCCESS) {
            result.id = id;
        }
        auto const knows =
            detail::attribute_of(&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, at) ==
                CUDA_SUCCESS &&
            detail::attribute_of(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, at) == CUDA_SUCCESS;
        if (knows && about.type == cudaMemoryTypeDevice && capable != 0 && managed == 0) {
            result.is = allocation::kind::shareable;
        }
        return result;
    }
    handle share(void* base) override {
        if (auto const ticket = files_.share(base)) { return bytes_of(*ticket); }
        cudaIpcMemHandle_t h;
        check(::cudaIpcGetMemHandle(&h, base), "cudaIpcGetMemHandle");
        return bytes_of(h);
    }
    std::optional<void*> open(handle const& h) override {
        if (auto const ticket = of_bytes<file_ticket>(h);
            ticket.magic == file_ticket::right_magic) {
            return files_.open(ticket, current());
        }
        void* p = nullptr;
        auto const fault = ::cudaIpcOpenMemHandle(&p, of_bytes<cudaIpcMemHandle_t>(h),
                                                  cudaIpcMemLazyEnablePeerAccess);
        if (fault == cudaErrorAlreadyMapped) {
            static_cast<void>(::cudaGetLastError());
            return {};
        }
        check(fault, "cudaIpcOpenMemHandle");
        return p;
    }
    void close(void* p) override {
        if (!files_.free(p)) { check(::cudaIpcCloseMemHandle(p), "cudaIpcCloseMemHandle"); }
    }

    void* allocate_host(std::size_t bytes) override {
        void* p = nullptr;
        check(::cudaHostAlloc(&p, bytes, cudaHostAllocPortable | cudaHostAllocMapped),
              "cudaHostAlloc");
        std::memset(p, 0, bytes);
        return p;
    }
    void free_host(void* p) override { check(::cudaFreeHost(p), "cudaFreeHost"); }

    void* add_host(void* p, std::size_t bytes) override {
        check(::cudaHostRegister(p, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped),
              "cudaHostRegister");
        void* there = nullptr;
        auto const fault = ::cudaHostGetDevicePointer(&there, p, 0);
        if (fault != cudaSuccess) { static_cast<void>(::cudaHostUnregister(p)); }
        check(fault, "cudaHostGetDevicePointer");
        return there;
    }
    void remove_host(void* p) override { check(::cudaHostUnregister(p), "cudaHostUnregister"); }

    /// Under MPS, what the environment says.
    int share_of(int device) override {
        auto const* const percent = std::getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
        if (percent == nullptr || attribute_of(device, cudaDevAttrMpsEnabled) == 0) { return 0; }
        auto const share = std::atoi(percent);
        return share < 100 ? share : 0;
    }

    void copy(void* to, void const* from, std::size_t bytes, stream s) override {
        check(::cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, of(s)), "cudaMemcpyAsync");
    }
    void zero(void* p, std::size_t bytes, stream s) override {
        check(::cudaMemsetAsync(p, 0, bytes, of(s)), "cudaMemsetAsync");
    }

    bool captures(stream s) override {
        cudaStreamCaptureStatus status{};
        auto const fault = ::cudaStreamIsCapturing(of(s), &status);
        // Of the default stream, while another one captures.
        if (fault == cudaErrorStreamCaptureImplicit) {
            static_cast<void>(::cudaGetLastError());
            return true;
        }
        check(fault, "cudaStreamIsCapturing");
        return status != cudaStreamCaptureStatusNone;
    }
    int device_of(stream s) override {
        int device = 0;
        check(::cudaStreamGetDevice(of(s), &device), "cudaStreamGetDevice");
        return device;
    }
    stream make_stream() override {
        cudaStream_t s = nullptr;
        check(::cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        return s;
    }
    void destroy_stream(stream s) override {
        check(::cudaStreamDestroy(of(s)), "cudaStreamDestroy");
    }
    void synchronize(stream s) override {
        check(::cudaStreamSynchronize(of(s)), "cudaStreamSynchronize");
    }
    bool idle(stream s) override { return is_ready(::cudaStreamQuery, of(s), "cudaStreamQuery"); }

    event make_event(bool shared) override {
        cudaEvent_t e = nullptr;
        auto const flags = shared ? cudaEventDisableTiming | cudaEventInterprocess
                                  : unsigned{cudaEventDisableTiming};
        check(::cudaEventCreateWithFlags(&e, flags), "cudaEventCreateWithFlags");
        return e;
    }
    void destroy_event(event e) override {
        check(::cudaEventDestroy(static_cast<cudaEvent_t>(e)), "cudaEventDestroy");
    }
    void record(event e, stream s) override {
        check(::cudaEventRecord(static_cast<cudaEvent_t>(e), of(s)), "cudaEventRecord");
    }
    bool passed(event e) override {
        return is_ready(::cudaEventQuery, static_cast<cudaEvent_t>(e), "cudaEventQuery");
    }
    void wait(stream s, event e) override {
        check(::cudaStreamWaitEvent(of(s), static_cast<cudaEvent_t>(e), 0), "cudaStreamWaitEvent");
    }
    bool has_words(int device, bool from_others) override {
        return detail::has_stream_words(device, from_others);
    }
    void write_word(stream s, std::uint64_t* at, std::uint64_t value) override {
        detail::write_stream_word(s, at, value);
    }
    void wait_word(stream s, std::uint64_t* at, std::uint64_t least) override {
        detail::wait_stream_word(s, at, least, detail::flushes_words(current()));
    }

    handle share_event(event e) override {
        cudaIpcEventHandle_t h;
        check(::cudaIpcGetEventHandle(&h, static_cast<cudaEvent_t>(e)), "cudaIpcGetEventHandle");
        return bytes_of(h);
    }
    event open_event(handle const& h) override {
        cudaEvent_t e = nullptr;
        check(::cudaIpcOpenEventHandle(&e, of_bytes<cudaIpcEventHandle_t>(h)),
              "cudaIpcOpenEventHandle");
        return e;
    }

    /// The one of this process.
    static std::shared_ptr<runtime_calls> get() {
        static auto const one = std::make_shared<runtime_calls>();
        return one;
    }

private:
    static int attribute_of(int device, cudaDeviceAttr which) {
        int value = 0;
        check(::cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
        return value;
    }
    /// Asks also while this thread captures a stream: the mode in between allows what CUDA else
    /// forbids then.
    template <class Thing>
    static bool is_ready(cudaError_t (*ask)(Thing), Thing what, char const* call) {
        auto mode = cudaStreamCaptureModeRelaxed;
        static_cast<void>(::cudaThreadExchangeStreamCaptureMode(&mode));
        auto const fault = ask(what);
        static_cast<void>(::cudaThreadExchangeStreamCaptureMode(&mode));
        if (fault == cudaErrorNotReady) {
            static_cast<void>(::cudaGetLastError());
            return false;
        }
        check(fault, call);
        return true;
    }
    static cudaStream_t of(stream s) { return static_cast<cudaStream_t>(s); }
    static void check(cudaError_t fault, char const* call) {
        if (fault == cudaSuccess) { return; }
        static_cast<void>(::cudaGetLastError());
        throw_error<transport_error>(call, ": ", ::cudaGetErrorString(fault));
    }
    template <class H>
    static handle bytes_of(H const& h) {
        static_assert(sizeof(H) == sizeof(handle));
        handle result;
        std::memcpy(result.data(), &h, sizeof h);
        return result;
    }
    template <class H>
    static H of_bytes(handle const& h) {
        H result;
        std::memcpy(&result, h.data(), sizeof result);
        return result;
    }
    detail::shared_files files_;
};

}  // namespace collectives::cuda
