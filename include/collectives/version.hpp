// SPDX-License-Identifier: BSD-3-Clause
// The version of the library, here alone: CMake, conan and the pkg-config file read it from these
// lines. It has macros too, because a program may have to ask before it compiles a line.
#pragma once

/// 1 in version 1.2.3.
#define COLLECTIVES_VERSION_MAJOR 0
/// 2 in version 1.2.3.
#define COLLECTIVES_VERSION_MINOR 1
/// 3 in version 1.2.3.
#define COLLECTIVES_VERSION_PATCH 0

/// The library. What is in a namespace `detail` is no part of its interface.
namespace collectives::inline v0 {

/// The version as one number to compare: 10000 * major + 100 * minor + patch.
inline constexpr int version = 10'000 * COLLECTIVES_VERSION_MAJOR +
                               100 * COLLECTIVES_VERSION_MINOR + COLLECTIVES_VERSION_PATCH;

}  // namespace collectives
