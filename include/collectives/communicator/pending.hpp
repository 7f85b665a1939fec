// SPDX-License-Identifier: BSD-3-Clause
// A started call: test it, wait for it, or let its destructor wait.
#pragma once

#include <collectives/communicator/core.hpp>
#include <collectives/core/deferred.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace collectives {

/// What the `start_` forms return. Move-only. Buffers passed to the call belong to it until it is
/// done. Everything the rank has under way moves whenever any of its calls is tested or waited for.
template <transport Transport>
class [[nodiscard]] pending {
public:
    pending(std::shared_ptr<communicator_core<Transport>> core,
            std::unique_ptr<deferred<activity, Transport>> what, std::shared_ptr<void const> keep)
        : core_(std::move(core)), what_(std::move(what)), keep_(std::move(keep)) {}
    pending(pending&&) noexcept = default;
    pending& operator=(pending&& other) noexcept {
        if (this != &other) {
            end();
            core_ = std::move(other.core_);
            what_ = std::move(other.what_);
            keep_ = std::move(other.keep_);
        }
        return *this;
    }
    ~pending() { end(); }

    /// True once it is done; never blocks. Throws what `wait` would.
    bool test() {
        if (!what_) { return true; }
        if (!core_->engine().test(*what_)) { return false; }
        release();
        return true;
    }
    /// Returns once it is done. Throws what the blocking form would; after that it is done too.
    void wait() {
        if (!what_) { return; }
        auto const what = std::move(what_);
        core_->finish(*what);
    }

private:
    void release() {
        core_->forget(*what_);
        what_.reset();
    }
    /// Waits without throwing: a failure stays with the communicator.
    void end() noexcept {
        try {
            wait();
        } catch (...) {  // NOLINT: a destructor has nobody to tell
        }
    }

    std::shared_ptr<communicator_core<Transport>> core_;
    std::unique_ptr<deferred<activity, Transport>> what_;
    std::shared_ptr<void const> keep_;
};

/// Waits for all, in any order. Throws the first failure once all have ended.
template <class... Pending>
void wait_all(Pending&... calls) {
    std::exception_ptr first;
    [[maybe_unused]] auto const end = [&first](auto& call) {
        try {
            call.wait();
        } catch (...) {
            if (!first) { first = std::current_exception(); }
        }
    };
    (end(calls), ...);
    if (first) { std::rethrow_exception(first); }
}

}  // namespace collectives
