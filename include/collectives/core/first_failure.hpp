// SPDX-License-Identifier: BSD-3-Clause
// The first failure of several parts that all run.
#pragma once

#include <exception>

namespace collectives::inline v0::detail {

/// Keeps the first exception until all parts have ended.
class first_failure {
public:
    /// Runs `part`. Returns false if it has thrown.
    template <class Part>
    bool attempt(Part const& part) {
        try {
            part();
            return true;
        } catch (...) {
            if (!first_) { first_ = std::current_exception(); }
            return false;
        }
    }
    void rethrow() const {
        if (first_) { std::rethrow_exception(first_); }
    }

private:
    std::exception_ptr first_;
};

}  // namespace collectives::detail
