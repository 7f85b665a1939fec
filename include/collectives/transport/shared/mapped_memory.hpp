// SPDX-License-Identifier: BSD-3-Clause
// Memory of a job whose ranks are processes: one sparse memory file, mapped by all, in which every
// rank hands out its own part.
#pragma once

#include <collectives/core/error.hpp>
#include <collectives/core/files.hpp>
#include <collectives/core/free_list.hpp>
#include <collectives/core/text.hpp>
#include <collectives/core/types.hpp>
#include <collectives/transport/shared/available_memory.hpp>
#include <collectives/transport/shared/private_memory.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

namespace collectives::inline v0::shared {

/// A sparse memory file that has no name: it goes with the last process that maps it.
/// `posix_fallocate` takes the pages before anybody writes to them, so that a machine without
/// memory gives an error here and not a SIGBUS later.
class memory_file {
public:
    explicit memory_file(std::size_t bytes) : bytes_(bytes) {
        descriptor_ = ::memfd_create("collectives", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (descriptor_ < 0) { fail("memfd_create", errno); }
        if (::fchmod(descriptor_, S_IRUSR | S_IWUSR) != 0) { fail("fchmod", errno); }
        require_size(bytes);
        if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) { fail("ftruncate", errno); }
        if (::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK) != 0) { fail("fcntl", errno); }
        map();
    }
    /// Another process's file, by a descriptor that this object owns from now on.
    struct received {
        int descriptor;
    };
    memory_file(received file, std::size_t bytes) : bytes_(bytes), descriptor_(file.descriptor) {
        struct stat is {};
        // First: a peer that made it shorter later would end this process by a signal.
        auto const seals = ::fcntl(descriptor_, F_GET_SEALS);
        if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) { fail("a file that can shrink", EINVAL); }
        if (::fstat(descriptor_, &is) != 0) { fail("fstat", errno); }
        if (is.st_size != static_cast<off_t>(bytes)) { fail("a file of another size", EINVAL); }
        map();
    }
    /// A part of a file that lies behind what that object maps, whose owner has no access to it.
    struct later_part {
        memory_file const& of;
        std::size_t first;
    };
    memory_file(later_part which, std::size_t bytes)
        : first_(which.first),
          bytes_(bytes),
          descriptor_(::fcntl(which.of.descriptor_, F_DUPFD_CLOEXEC, 0)) {
        if (descriptor_ < 0) { fail("dup", errno); }
        require_size(first_ + bytes);
        // Unlike ftruncate it never makes the file shorter: several parts may be made at once.
        auto const last = static_cast<off_t>(first_ + bytes - 4096);
        auto fault = EINTR;
        while (fault == EINTR) { fault = ::posix_fallocate(descriptor_, last, 4096); }
        if (fault != 0) { fail("posix_fallocate", fault); }
        root_ = map_range(0, root_bytes);
        map();
    }
    memory_file(memory_file&& other) noexcept
        : first_(other.first_),
          bytes_(other.bytes_),
          descriptor_(std::exchange(other.descriptor_, -1)),
          base_(std::exchange(other.base_, nullptr)),
          root_(std::exchange(other.root_, nullptr)) {}
    memory_file& operator=(memory_file&&) = delete;
    ~memory_file() {
        if (base_ != nullptr) { ::munmap(base_, bytes_); }
        if (root_ != nullptr) { ::munmap(root_, root_bytes); }
        if (descriptor_ >= 0) { ::close(descriptor_); }
    }

    std::byte* base() const { return static_cast<std::byte*>(base_); }
    std::size_t bytes() const { return bytes_; }
    /// The first page of the file.
    std::byte* root() const { return static_cast<std::byte*>(root_ != nullptr ? root_ : base_); }

    /// Takes the pages of a range. Throws transport_error when the machine has none left.
    void commit(std::size_t offset, std::size_t bytes) const {
        constexpr std::size_t step = 1024 * 1024;  // short, since a signal undoes the one under way
        for (std::size_t done = 0; done < bytes;) {
            auto const part = std::min(step, bytes - done);
            auto const look = done % (64 * step) == 0;  // other ranks take memory as well
            auto const fault =
                look && is_too_much_memory(bytes - done)
                    ? ENOMEM
                    : ::posix_fallocate(descriptor_, static_cast<off_t>(first_ + offset + done),
                                        static_cast<off_t>(part));
            if (fault == 0) { done += part; }
            if (fault == 0 || fault == EINTR) { continue; }
            give_back(offset, done);
            throw_error<transport_error>("no shared memory for ", bytes,
                                         " bytes: ", std::strerror(fault));
        }
    }
    /// Gives the pages of a range back; they read as zero afterwards.
    void give_back(std::size_t offset, std::size_t bytes) const {
        ::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(first_ + offset), static_cast<off_t>(bytes));
    }

    int descriptor() const { return descriptor_; }

private:
    static constexpr std::size_t root_bytes = 4096;

    void require_size(std::size_t bytes) {
        if (!detail::may_have_bytes(bytes)) { fail("ftruncate, beyond ulimit -f", EFBIG); }
    }
    void* map_range(std::size_t first, std::size_t bytes) {
        auto* const result =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_,
                   static_cast<off_t>(first));
        if (result == MAP_FAILED) { fail("mmap", errno); }
        return result;
    }
    void map() {
        base_ = map_range(first_, bytes_);
        ::madvise(base_, bytes_, MADV_DONTDUMP);
    }
    [[noreturn]] void fail(char const* call, int fault) {
        if (root_ != nullptr) { ::munmap(root_, root_bytes); }
        if (descriptor_ >= 0) { ::close(descriptor_); }
        throw_error<transport_error>("shared memory of ", bytes_, " bytes: ", call, ": ",
                                     std::strerror(fault));
    }

    std::size_t first_ = 0;  // where in the file it begins
    std::size_t bytes_ = 0;
    int descriptor_ = -1;
    void* base_ = nullptr;
    void* root_ = nullptr;  // null where base_ begins with the first page
};

/// One rank's view of the file: [first, first + size) is its own part to hand out.
class mapped_memory {
public:
    static constexpr bool always_reachable = false;
    using unreached = private_memory;

    mapped_memory(memory_file const& file, std::size_t first, std::size_t size) : file_(&file) {
        free_.give_back({first, size});
    }

    /// Offset in the file plus one: a location means the same in every process.
    std::uint64_t reach(void const* p, std::size_t bytes) const {
        auto const address = reinterpret_cast<std::uintptr_t>(p);
        auto const base = reinterpret_cast<std::uintptr_t>(file_->base());
        if (address < base || address + bytes > base + file_->bytes()) { return 0; }
        return address - base + 1;
    }
    /// Throws transport_error unless the bytes lie in the file. No bytes lie anywhere.
    std::byte* at(std::uint64_t location, std::size_t bytes) const {
        if (bytes == 0) { return file_->base(); }
        auto const first = location - 1, all = file_->bytes();
        if (first > all || bytes > all - first) { refuse(bytes); }
        return file_->base() + first;
    }

    /// First fit, whole pages, zeroed by the kernel. Throws transport_error if there is none.
    void* allocate(std::size_t bytes) {
        auto const whole = pages(bytes);
        auto const first = whole < bytes ? std::nullopt : free_.take(whole);
        if (!first) {
            throw_error<transport_error>("no shared memory for ", bytes,
                                         " bytes: the rank's part of the file is used up");
        }
        try {
            file_->commit(*first, whole);
        } catch (...) {
            free_.give_back({*first, whole});
            throw;
        }
        return file_->base() + *first;
    }
    void deallocate(void* p, std::size_t bytes) {
        auto const first = static_cast<std::size_t>(static_cast<std::byte*>(p) - file_->base());
        file_->give_back(first, pages(bytes));
        free_.give_back({first, pages(bytes)});
    }

    memory_file const& file() const { return *file_; }

private:
    [[gnu::cold, gnu::noinline, noreturn]] static void refuse(std::size_t bytes) {
        throw_error<transport_error>(bytes, " bytes of a peer are not in the shared memory");
    }
    static std::size_t pages(std::size_t bytes) { return bytes == 0 ? page : rounded_up(bytes); }

    memory_file const* file_;
    free_list free_;
};

}  // namespace collectives::shared
