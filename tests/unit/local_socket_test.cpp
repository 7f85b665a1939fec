// SPDX-License-Identifier: BSD-3-Clause
// Addresses of local sockets: different names are different addresses, however long they are.
#include <collectives/core/local_socket.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace {

/// The bytes of an address behind its family.
std::string path_of(std::string_view name) {
    collectives::detail::local_address const address(name);
    return {address.value.sun_path + 1, address.bytes - offsetof(sockaddr_un, sun_path) - 1};
}

}  // namespace

TEST_CASE("a name that fits is the address") {
    CHECK(path_of("collectives-0-job") == "collectives-0-job");
    std::string const longest(sizeof(sockaddr_un::sun_path) - 1, 'x');
    CHECK(path_of(longest) == longest);
}

TEST_CASE("long names that differ at their ends have different addresses") {
    std::string const name(150, 'x');
    CHECK(path_of(name + "1") != path_of(name + "2"));
    CHECK(path_of(name) != path_of(name + "-store"));
    CHECK(path_of(name) == path_of(name));
    CHECK(path_of(name).size() == sizeof(sockaddr_un::sun_path) - 1);
}
