// SPDX-License-Identifier: BSD-3-Clause
// Texts that users write: names of algorithms, overrides, prices of a machine, and places of a
// store. Each is read, or refused with an exception of the library.
#include "bytes.hpp"

#include <collectives/collectives.hpp>
#include <collectives/launch/bootstrap/store/address.hpp>
#include <collectives/select/model_text.hpp>
#include <collectives/select/override.hpp>

namespace coll = collectives;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz::bytes from(data, size);
    auto const what = from.take<std::uint8_t>();
    auto const text = from.text();
    try {
        switch (what % 4) {
            case 0: {
                auto const a = coll::parse_algorithm(text);
                fuzz::require(coll::parse_algorithm(coll::name(a)) == a);
                break;
            }
            case 1:
                for (auto const& rule : coll::detail::parse_override(text)) {
                    fuzz::require(rule.from <= rule.to);
                }
                break;
            case 2: (void)coll::detail::parse_model(text); break;
            case 3: (void)coll::bootstraps::parse_store_address(text); break;
        }
    } catch (coll::error const&) {}
    return 0;
}
