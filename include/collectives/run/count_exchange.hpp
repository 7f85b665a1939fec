// SPDX-License-Identifier: BSD-3-Clause
// Sends the length of a vector from the root to all ranks. In a gather or scatter without counts
// only the root knows it, and a schedule that passes blocks on needs it.
#pragma once

#include <collectives/core/lean_vector.hpp>
#include <collectives/core/owned.hpp>
#include <collectives/core/shared.hpp>
#include <collectives/run/group.hpp>
#include <collectives/transport/any_transport.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace collectives::inline v0::detail {

/// One message of 8 bytes from the root to each rank.
class count_exchange {
public:
    void start(any_transport& t, rank_group const& group, rank_t root, std::uint64_t tag,
               std::uint64_t count, std::atomic<std::uint32_t> const* stop) {
        transport_ = &t;
        count_ = make_shared_object<std::uint64_t>(count);
        used_ = 0;
        auto const at_root = group.rank() == root;
        auto const n = at_root ? static_cast<std::size_t>(group.size()) : 1;
        while (requests_.size() < n) { requests_.push_back(t.make_request()); }
        auto* const bytes = reinterpret_cast<std::byte*>(count_.get());
        if (!at_root) {
            incoming in;
            in.from = group.job_rank(root);
            in.tag = tag;
            in.data = bytes;
            in.bytes = sizeof *count_;
            in.stop = stop;
            transport_->irecv(in, *requests_[used_++]);
            return;
        }
        for (rank_t r = 0; r < group.size(); ++r) {
            if (r == root) { continue; }
            transport_->isend({group.job_rank(r), tag, 0, bytes, sizeof *count_, 1, {}},
                              *requests_[used_++]);
        }
    }
    bool progress() {
        for (std::size_t i = 0; i < used_; ++i) {
            if (!transport_->test(*requests_[i])) { return false; }
        }
        return true;
    }
    std::uint64_t count() const { return *count_; }
    void cancel() {
        for (std::size_t i = 0; i < used_; ++i) { transport_->cancel(*requests_[i]); }
        used_ = 0;
        transport_->keep(count_);
    }

private:
    any_transport* transport_ = nullptr;
    shared_pointer<std::uint64_t> count_;
    lean_vector<owned<any_request>> requests_;
    std::size_t used_ = 0;
};

}  // namespace collectives::detail
