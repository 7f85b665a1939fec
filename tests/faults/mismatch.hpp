// SPDX-License-Identifier: BSD-3-Clause
// Calls in which one rank differs, and what everybody must be told.
#pragma once

#include <faults/observed.hpp>
#include <faults/variety.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace faults {

/// A vector between two guards. Whoever writes over them ends the process.
template <class T>
class guarded {
public:
    explicit guarded(std::size_t n) : all_(n + 2 * guard, T(77)) {
        std::fill_n(all_.begin() + guard, n, T(1));
    }
    guarded(guarded const&) = delete;
    guarded& operator=(guarded const&) = delete;
    ~guarded() {  // mostly while an exception passes
        auto const whole = [](T x) { return x == T(77); };
        if (!std::all_of(all_.begin(), all_.begin() + guard, whole) ||
            !std::all_of(all_.end() - guard, all_.end(), whole)) {
            std::fputs("something was written outside of the buffer\n", stderr);
            std::abort();
        }
    }
    std::span<T> span() { return {all_.data() + guard, all_.size() - 2 * guard}; }

private:
    static constexpr std::ptrdiff_t guard = 64;
    std::vector<T> all_;
};

/// Runs call(comm, whether this is the odd rank) and checks what everybody got. The values are
/// those that the errors must name: that of the odd rank and that of the others.
inline void check_mismatch(variant const& v, std::string const& odd_value,
                           std::string const& other_value,
                           std::function<void(coll::communicator&, bool odd)> const& call) {
    CAPTURE(v.text());
    clean_room room;
    stories of(v.size);
    tell(of, v.size, [&](coll::communicator& comm) { call(comm, comm.rank() == v.odd); });
    check_broken(of, outcome::mismatch);
    for (auto const& s : of) {
        auto const& e = s.error();
        CAPTURE(e.what());
        CHECK_LT(e.seconds, 0.5 * slowness);
        CHECK(e.says("rank " + std::to_string(v.odd) + " has " + odd_value));
        bool names_another = false;
        for (int r = 0; r < v.size; ++r) {
            auto const named = e.says("rank " + std::to_string(r) + " has " + other_value);
            names_another = names_another || (named && r != v.odd);
        }
        CHECK(names_another);
    }
}

}  // namespace faults
