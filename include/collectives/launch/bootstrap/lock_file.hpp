// SPDX-License-Identifier: BSD-3-Clause
// A file that a rank keeps locked while it lives. The lock distinguishes the files of this job from
// those of an earlier one.
#pragma once

#include <collectives/core/descriptor.hpp>
#include <collectives/core/error.hpp>
#include <collectives/core/text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace collectives::inline v0::bootstraps {

/// The owner locks the first byte to own the file, removes what an earlier owner left, and locks
/// the second byte to say that everything there is now its own. A rank that sees the second byte
/// locked knows both.
class lock_file {
public:
    enum class state {
        free,      // the file belongs to nobody: it is of an earlier job
        taken,     // the file's owner lives
        given_up,  // there is no file: its owner has not come yet, or has left
    };

    /// Takes the file, and calls clear() to remove what an earlier owner has left. Throws
    /// usage_error if the file is taken, transport_error for what the file system refuses.
    template <class Clear>
    lock_file(std::string path, int rank, Clear&& clear) : path_(std::move(path)) {
        do {
            file_ =
                descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
            if (file_.get() < 0) { fail(path_, "open"); }
            if (!lock(0)) {
                throw_error<usage_error>("rank ", rank, ", meeting: rank ", rank,
                                         " is there already, says ", path_);
            }
        } while (!still_there());
        clear();
        if (!lock(1)) { fail(path_, "lock"); }
    }
    lock_file(lock_file&&) noexcept = default;
    lock_file& operator=(lock_file&&) = delete;
    ~lock_file() {
        if (file_.get() >= 0) { ::unlink(path_.c_str()); }  // before the locks go
    }

    static state state_of(std::string const& path) {
        descriptor const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (file.get() < 0) { return state::given_up; }
        struct flock asked = range(1);
        if (::fcntl(file.get(), F_OFD_GETLK, &asked) != 0) { fail(path, "lock"); }
        struct stat is {};
        if (asked.l_type != F_UNLCK) { return state::taken; }
        return ::fstat(file.get(), &is) == 0 && is.st_nlink == 0 ? state::given_up : state::free;
    }

    [[noreturn]] static void fail(std::string const& path, char const* call) {
        throw_error<transport_error>("the ranks of the job cannot meet: ", call, " ", path, ": ",
                                     std::strerror(errno));
    }

private:
    static struct flock range(off_t byte) {
        struct flock result {};
        result.l_type = F_WRLCK;
        result.l_whence = SEEK_SET;
        result.l_start = byte;
        result.l_len = 1;
        return result;
    }
    bool lock(off_t byte) {
        struct flock wanted = range(byte);
        if (::fcntl(file_.get(), F_OFD_SETLK, &wanted) == 0) { return true; }
        if (errno != EAGAIN && errno != EACCES) { fail(path_, "lock"); }
        return false;
    }
    /// Another owner may have removed the file between opening and locking it.
    bool still_there() const {
        struct stat mine {
        }, there{};
        return ::fstat(file_.get(), &mine) == 0 && ::stat(path_.c_str(), &there) == 0 &&
               mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
    }

    std::string path_;
    descriptor file_;
};

}  // namespace collectives::bootstraps
