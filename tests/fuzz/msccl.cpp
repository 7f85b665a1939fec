// SPDX-License-Identifier: BSD-3-Clause
// Programs of MSCCL: each is read as schedules that the checker judges, or refused with a
// std::runtime_error.
#include <coll_msccl/rounds.hpp>

#include <collectives/schedule/check.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string const text(reinterpret_cast<char const*>(data), size);
    try {
        auto const ranks = coll_msccl::schedules_of(coll_msccl::parse(text));
        if (collectives::check(ranks).ok && ranks.size() > 1) {
            auto const again = coll_msccl::as_xml(ranks, "again");
            if (!collectives::check(coll_msccl::schedules_of(coll_msccl::parse(again))).ok) {
                __builtin_trap();
            }
        }
    } catch (std::runtime_error const&) {}
    return 0;
}
