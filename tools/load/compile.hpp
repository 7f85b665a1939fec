// SPDX-License-Identifier: BSD-3-Clause
// Compiles an algorithm in a header into a shared object.
#pragma once

#include <filesystem>
#include <string>

namespace load {

struct algorithm_header {
    std::filesystem::path file;  // absolute
    std::string type;            // from :: on
};

/// The path of the shared object, which has the function `entry`. It lies in the cache folder under
/// a hash of all the text that the compiler sees, of the compiler and of its options, and is
/// compiled if it does not lie there yet. Many processes may ask at once: one compiles, and none
/// sees half a file. What the compiler says goes to stderr. Throws std::runtime_error where there
/// is no compiler, no cache or no header of the library, and where the compiler refuses the file.
std::string shared_object_of(algorithm_header const& of);

}  // namespace load
