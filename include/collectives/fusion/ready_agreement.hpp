// SPDX-License-Identifier: BSD-3-Clause
// Lets ranks agree on the bucket that starts next, if more are ready than may travel.
#pragma once

#include <collectives/core/shared.hpp>
#include <collectives/fusion/bucket.hpp>
#include <collectives/space/host.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace collectives::inline v0::detail {

/// Agrees by an all_reduce of 8 bytes on how many buckets are ready on all ranks. It allocates as
/// little as a bucket. Used by one thread at a time.
class ready_agreement {
public:
    explicit ready_agreement(shared_pointer<communicator_core> core)
        : core_(std::move(core)), run_(core_) {
        words_.type = words_.wire_type = type_id<std::uint64_t>();
        words_.type_name = words_.wire_name = type_name<std::uint64_t>();
        words_.size = words_.wire_size = sizeof ready_;
        words_.reduce = host::make_reducer<std::uint64_t>(detail::the_op<min>);
        core_->bind(words_.reduce);
        call_request r;
        r.reported_as = collective::all_reduce;
        r.op = &words_.reduce;
        r.type_name = words_.type_name;
        require_kernel(core_->engine(), r);
    }
    ready_agreement(ready_agreement const&) = delete;
    ready_agreement& operator=(ready_agreement const&) = delete;

    bool is_open() const { return open_; }
    /// Says how many are ready here. Throws as the start of a call does.
    void open(std::uint64_t ready, options const& how, program_store& programs) {
        ready_ = ready;
        // On a device it is copied: this word is in the host's memory.
        auto const alone = core_->engine().space().device() == nullptr;
        run_.open(words_, 0, alone, false, 0);
        run_.add({reinterpret_cast<std::byte*>(&ready_), 1, 0}, {}, 0, {});
        run_.start(detail::hash_text("ready_agreement"), how, programs);
        open_ = true;
    }
    /// How many are ready on all ranks, once all have opened it; closes it. Never waits.
    std::optional<std::uint64_t> test() {
        core_->engine().test(run_.run());
        if (!run_.has_ended()) { return std::nullopt; }
        open_ = false;
        run_.finish();
        return ready_;
    }
    /// Returns when `test` has an answer.
    void wait() { core_->engine().wait(run_.run()); }
    /// Gives it up after a failure.
    void drop() noexcept {
        if (!open_) { return; }
        open_ = false;
        try {
            core_->finish(run_.run());
        } catch (...) {  // NOLINT: the first failure is known
        }
        run_.abandon();
    }

private:
    shared_pointer<communicator_core> core_;
    fused_element words_;
    std::uint64_t ready_ = 0;
    bucket run_;
    bool open_ = false;
};

}  // namespace collectives::detail
