// SPDX-License-Identifier: BSD-3-Clause
// The memory that control groups leave, read from files like the kernel's.
#include <collectives/transport/shared/available_memory.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace shared = collectives::shared;

namespace {

constexpr auto no_limit = std::numeric_limits<std::size_t>::max();

/// A folder that goes at the end.
struct tree {
    tree() { std::filesystem::create_directories(root); }
    tree(tree const&) = delete;
    tree& operator=(tree const&) = delete;
    ~tree() { std::filesystem::remove_all(root); }

    void write(std::string const& path, std::string const& text) const {
        auto const file = root / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text << '\n';
    }
    std::size_t left(std::string const& own) const {
        write("own", own);
        return shared::left_in_cgroups((root / "own").c_str(), root.c_str());
    }

    std::filesystem::path root = std::filesystem::temp_directory_path() /
                                 ("collectives-cgroup-" + std::to_string(::getpid()));
};

}  // namespace

TEST_CASE("the narrowest of the groups around the process counts, without what it holds of files") {
    tree const files;
    files.write("a/b/memory.max", "1000");
    files.write("a/b/memory.current", "700");
    files.write("a/b/memory.stat", "anon 500\ninactive_file 100\nactive_file 50\nfile 999");
    CHECK(files.left("0::/a/b") == 450);
    CHECK(files.left("0::/a/b/c") == 450);
    files.write("a/memory.max", "1200");
    files.write("a/memory.current", "1300");
    CHECK(files.left("0::/a/b") == 0);
    files.write("a/memory.max", "max");
    CHECK(files.left("0::/a/b") == 450);
    CHECK(files.left("0::/a") == no_limit);
}

TEST_CASE("the group of a container is the root of what it sees") {
    tree const files;
    files.write("memory.max", "1000");
    files.write("memory.current", "400");
    CHECK(files.left("0::/") == 600);
    CHECK(files.left("0::/../seen/from/outside") == 600);
}

TEST_CASE("groups of the first version") {
    tree const files;
    files.write("memory/job/memory.limit_in_bytes", "5000");
    files.write("memory/job/memory.usage_in_bytes", "3000");
    files.write("memory/job/memory.stat", "inactive_file 7\ntotal_inactive_file 500");
    CHECK(files.left("9:name=systemd:/\n4:memory:/job\n1:cpu:/job\n0::/") == 2500);
    CHECK(files.left("1:cpu:/job\n0::/") == no_limit);
}

TEST_CASE("no group is no limit, and what is available is within all limits") {
    CHECK(shared::left_in_cgroups("/nowhere", "/nowhere") == no_limit);
    CHECK(shared::available_memory() <= shared::left_in_cgroups());
    CHECK(shared::available_memory() > 0);
    CHECK(shared::available_memory() < no_limit);
}
