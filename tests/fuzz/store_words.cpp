// SPDX-License-Identifier: BSD-3-Clause
// What ranks and their store say to each other, as anybody may send it.
#include "bytes.hpp"

#include <collectives/launch/bootstrap/store/frames.hpp>

namespace bootstraps = collectives::bootstraps;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz::bytes from(data, size);
    auto const ranks = from.take<std::uint8_t>() % 16;
    auto const all = from.rest();
    (void)bootstraps::prefix::version(all);
    if (auto const head = bootstraps::head::read(all, 1000)) {
        fuzz::require(head->length <= 1000);
    }
    if (all.size() >= bootstraps::prefix::bytes) {
        (void)bootstraps::answer::read(all);
        auto const hello = bootstraps::hello::read(all);
        auto const written = hello.write();
        fuzz::require(written.size() == bootstraps::hello::bytes);
        fuzz::require(bootstraps::hello::read(written).nonce == hello.nonce);
    }
    if (auto const parts = bootstraps::split(all, ranks)) {
        auto const again = bootstraps::joined(*parts);
        fuzz::require(std::equal(again.begin(), again.end(), all.begin(), all.end()));
    }
    auto last = -1;
    for (auto const r : bootstraps::ranks_in(all, ranks)) {
        fuzz::require(r > last && r < ranks);
        last = r;
    }
    return 0;
}
