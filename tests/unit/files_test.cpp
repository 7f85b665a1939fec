// SPDX-License-Identifier: BSD-3-Clause
// The start of a small file is read, and the limit of a file's length is known.
#include <collectives/core/files.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <limits>
#include <string>
#include <string_view>

namespace detail = collectives::detail;

namespace {

/// A file that holds a text, and goes with this object.
class text_file {
public:
    explicit text_file(std::string_view text) {
        auto const file = ::mkstemp(path_.data());
        REQUIRE(file >= 0);
        REQUIRE(::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
        ::close(file);
    }
    text_file(text_file const&) = delete;
    text_file& operator=(text_file const&) = delete;
    ~text_file() { ::unlink(path_.c_str()); }

    char const* path() const { return path_.c_str(); }

private:
    std::string path_ = "/tmp/collectives-files-XXXXXX";
};

}  // namespace

TEST_CASE("the start of a file ends with a 0") {
    text_file const file("seven letters");
    CHECK(std::string_view(detail::start_of_file<64>(file.path()).data()) == "seven letters");
    CHECK(std::string_view(detail::start_of_file<6>(file.path()).data()) == "seven");
    CHECK(std::string_view(detail::start_of_file<1>(file.path()).data()).empty());
    CHECK(std::string_view(detail::start_of_file<8>("/there/is/none").data()).empty());
    CHECK(std::string_view(detail::start_of_file<8>("/proc/self").data()).empty());  // a folder
}

TEST_CASE("a machine has one name") {
    CHECK(detail::name_of_machine()[0] != '\0');
    CHECK(detail::name_of_machine() == detail::name_of_machine());
}

TEST_CASE("a file may become as long as its limit, and no longer") {
    ::rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    auto const small = ::rlimit{4096, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    CHECK(detail::may_have_bytes(4096));
    CHECK_FALSE(detail::may_have_bytes(4097));
    CHECK(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    if (before.rlim_cur == RLIM_INFINITY) {
        CHECK(detail::may_have_bytes(std::numeric_limits<std::size_t>::max()));
    }
}
