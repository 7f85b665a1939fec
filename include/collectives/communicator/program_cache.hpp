// SPDX-License-Identifier: BSD-3-Clause
// A call without its types, and the programs of the last few such calls.
#pragma once

#include <collectives/communicator/options.hpp>
#include <collectives/executor/program.hpp>
#include <collectives/space/reducer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace collectives {

/// A call without its types: what one rank asked for.
struct call_request {
    call_request() {}  // not constexpr, else g++ clears all of it first, by an instruction that
                       // takes as long as a cache line between two cores

    call_shape shape;
    std::uint64_t type = 0;
    std::string_view type_name;
    void const* in = nullptr;
    void* out = nullptr;
    reducer const* op = nullptr;
    options how;
    collective as{};  // what it is called in messages, where that is not shape.what (split)
    std::size_t stated_count = 0;  // what `as` counts, where that is not shape.count (allocate)
};

/// The programs of the last 64 different calls, the latest first.
template <class = void>
class basic_program_cache {
public:
    /// The program of a call like one before, else null. O(1) if that was the last one.
    std::shared_ptr<program> const* find(call_request const& r) {
        if (!kept_.empty() && kept_.front().answers(r)) { return &kept_.front().made; }
        auto const found =
            std::find_if(kept_.begin(), kept_.end(), [&](auto const& k) { return k.answers(r); });
        if (found == kept_.end()) { return nullptr; }
        std::rotate(kept_.begin(), found, found + 1);
        return &kept_.front().made;
    }
    std::shared_ptr<program> const& add(call_request const& r, std::shared_ptr<program> made) {
        constexpr std::size_t most = 64;
        if (kept_.size() == most) { kept_.pop_back(); }
        kept_.insert(kept_.begin(), {r.shape, r.type, operator_of(r), r.how.algorithm,
                                     r.how.segment, r.how.reproducible, std::move(made)});
        return kept_.front().made;
    }
    void clear() { kept_.clear(); }

private:
    static std::uint64_t operator_of(call_request const& r) {
        return r.op == nullptr ? 0 : r.op->fingerprint;
    }
    struct kept_program {
        call_shape shape;
        std::uint64_t type = 0, op = 0;
        any_algorithm asked;
        std::size_t segment = 0;
        bool reproducible = false;
        std::shared_ptr<program> made;

        bool answers(call_request const& r) const {
            return type == r.type && op == operator_of(r) && asked == r.how.algorithm &&
                   segment == r.how.segment && reproducible == r.how.reproducible &&
                   shape == r.shape && made->call().what == r.as &&
                   (r.as == r.shape.what || made->call().count == r.stated_count);
        }
    };

    std::vector<kept_program> kept_;
};

/// Its code is compiled only where a collective is called.
using program_cache = basic_program_cache<>;

}  // namespace collectives
