// SPDX-License-Identifier: BSD-3-Clause
// Result codes of the explorer's tasks: each is read and its answer marked, or refused in words. An
// input is what stands before the check value, which is added here: so what is behind it is reached
// too. What is right stays right, however often it is looked at, and no byte of it may be altered.
#include <coll_show/task_code.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string const before(reinterpret_cast<char const*>(data), size);
    auto const code = fmt::format("{}.{:08x}", before, coll_show::fnv1a(before));
    coll_show::verify(before);
    auto const found = coll_show::verify(code);
    if (found.text.empty()) { __builtin_trap(); }
    if (!found.right) { return 0; }
    if (!coll_show::verify(code).right) { __builtin_trap(); }
    auto altered = code;
    auto& letter = altered[size % altered.size()];
    letter = letter == 'x' ? 'y' : 'x';
    if (coll_show::verify(altered).right) { __builtin_trap(); }
    return 0;
}
