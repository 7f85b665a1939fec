// SPDX-License-Identifier: BSD-3-Clause
// How results leave the ranks. A rank of coll::shm::run is a forked child, so what it writes to a
// variable of its parent is lost; what it writes to a file the two share is not.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace trainer {

/// A nameless file that rank 0 posts arrays to, and the program takes them from, in that order,
/// when the ranks have ended.
class mailbox {
public:
    mailbox() : file_(std::tmpfile()) { expect(file_ != nullptr); }

    template <class T>
    void post(std::vector<T> const& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        auto const count = values.size();
        write(&count, sizeof count);
        write(values.data(), count * sizeof(T));
        expect(std::fflush(file_.get()) == 0);
    }

    /// To be called once, before the first take.
    void open() { std::rewind(file_.get()); }

    template <class T>
    std::vector<T> take() {
        std::size_t count = 0;
        read(&count, sizeof count);
        std::vector<T> values(count);
        read(values.data(), count * sizeof(T));
        return values;
    }

private:
    // An empty vector's data may be null, which stdio does not take.
    void write(void const* from, std::size_t bytes) {
        expect(bytes == 0 || std::fwrite(from, bytes, 1, file_.get()) == 1);
    }
    void read(void* to, std::size_t bytes) {
        expect(bytes == 0 || std::fread(to, bytes, 1, file_.get()) == 1);
    }
    static void expect(bool worked) {
        if (!worked) { throw std::runtime_error("the ranks' results cannot be passed on"); }
    }

    struct close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, close> file_;
};

}  // namespace trainer
