// SPDX-License-Identifier: BSD-3-Clause
// Packs and unpacks a bucket in a device's memory, by one kernel each, wherever its tensors lie.
#pragma once

#include <collectives/core/device_space.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/fusion/bucket_tensor.hpp>
#include <collectives/fusion/element.hpp>
#include <collectives/run/scratch_pool.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace collectives::inline v0::detail {

/// The kernel finds the tensors in a table in the device's memory. The table is written only when
/// the tensors differ from the last ones, so a step like the one before costs just two kernels. All
/// is enqueued on the rank's stream; call it while a `device_scope` lives.
class device_packer {
public:
    using tensors = list_view<bucket_tensor const>;

    /// Copies from the tensors to `bucket`.
    void pack(scratch_pool& pool, device_space& space, fused_element const& of, tensors all,
              std::byte* bucket) {
        copies_ = all.size() == 1 && of.travels_as_it_is();
        if (copies_) { return copy(space, bucket, all[0].data, all[0].count * of.size); }
        fill_table(pool, space, of, all);
        run(space, of, bucket, false);
    }
    /// Copies back. The tensors are those of `pack`.
    void unpack(device_space& space, fused_element const& of, tensors all, std::byte* bucket) {
        if (copies_) { return copy(space, all[0].data, bucket, all[0].count * of.size); }
        run(space, of, bucket, true);
    }
    void give_back(scratch_pool& pool) { pool.give_back(std::exchange(table_, {})); }

private:
    static constexpr std::size_t least_bytes = 8192;  // of a part of a tensor; 32 workers move it
    static constexpr std::size_t many = 16'384;       // so many parts keep any device busy

    static void copy(device_space& space, void* to, void const* from, std::size_t bytes) {
        space.copy(to, from, bytes);  // the host's memory too
    }
    void run(device_space& space, fused_element const& of, std::byte* bucket, bool back) {
        if (known_.empty()) { return; }
        of.pack({reinterpret_cast<packed_range const*>(table_.data), known_.size(), bucket, back},
                space.queue());
    }
    /// Cuts long tensors into parts, so that the whole device moves them.
    void fill_table(scratch_pool& pool, device_space& space, fused_element const& of, tensors all) {
        auto const size = of.size / of.parts;
        std::size_t total = 0;
        for (auto const& p : all) { total += p.count * of.parts; }
        auto const most = (std::max(least_bytes / size, total / many) + 63) / 64 * 64;
        now_.clear();
        std::size_t first = 0;
        for (auto const& p : all) {
            auto const count = p.count * of.parts;
            for (std::size_t done = 0; done < count; done += most) {
                now_.push_back({p.data + done * size, first + done, std::min(most, count - done)});
            }
            first += count;
        }
        if (now_ == known_) { return; }
        auto const bytes = now_.size() * sizeof(packed_range);
        known_.clear();  // the table does not hold the new ones yet
        if (table_.bytes < bytes) {
            give_back(pool);
            table_ = pool.take(bytes);
        }
        known_.swap(now_);  // unchanged until the kernels are done
        space.copy(table_.data, known_.data(), bytes);
    }

    scratch_pool::buffer table_{};
    lean_vector<packed_range> known_, now_;
    bool copies_ = false;
};

}  // namespace collectives::detail
