// SPDX-License-Identifier: BSD-3-Clause
// The tensors of a bucket, in the order in which they were added.
#pragma once

#include <collectives/core/fingerprint.hpp>
#include <collectives/core/lean_vector.hpp>
#include <collectives/core/list_view.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collectives::inline v0::detail {

struct bucket_tensor {
    std::byte* data = nullptr;
    std::size_t count = 0;    // elements
    std::uint64_t index = 0;  // how many tensors were added before it
};

/// The list keeps the tensors of the step before until others come, because most steps are alike.
class tensor_list {
public:
    /// Begins a new step. `like_before`: it may be like the step before.
    void begin(bool like_before) {
        if (!like_before || !names_.empty()) { forget(); }
    }
    /// Ends the step: all tensors have been added, and are done.
    void end() {
        tensors_.resize(here_);
        here_ = 0;
    }
    void forget() {
        tensors_.clear();
        names_.clear();
        here_ = 0;
    }
    void add(bucket_tensor const& p, std::string_view name) {
        if (name.empty() && is_at(here_, p)) { return take_again(1, p.index); }
        tensors_.resize(here_++);
        tensors_.push_back(p);
        if (!name.empty()) {
            names_.resize(tensors_.size());
            names_.back() = name;
        }
    }
    /// Whether `p` comes next, and was the last tensor of the step before.
    bool is_last_again(bucket_tensor const& p) const {
        return here_ + 1 == tensors_.size() && is_at(here_, p);
    }
    /// The tensors of the step before that have not come again, without the last one.
    list_view<bucket_tensor const> rest() const {
        auto const left = tensors_.size() - here_;
        return {tensors_.data() + here_, left > 0 ? left - 1 : 0};
    }
    /// The next `n` of these came again; `index` is that of the first.
    void take_again(std::size_t n, std::uint64_t index) {
        for (auto const end = here_ + n; here_ < end; ++here_) { tensors_[here_].index = index++; }
    }

    /// The tensors of this step.
    list_view<bucket_tensor const> all() const { return {tensors_.data(), here_}; }
    /// The name of all()[i]; empty if it has none.
    short_text<40> name(std::size_t i) const {
        return i < names_.size() ? names_[i] : short_text<40>();
    }

private:
    bool is_at(std::size_t i, bucket_tensor const& p) const {
        return i < tensors_.size() && tensors_[i].data == p.data && tensors_[i].count == p.count;
    }

    lean_vector<bucket_tensor> tensors_;
    lean_vector<short_text<40>> names_;  // up to the last one that has a name
    std::size_t here_ = 0;
};

}  // namespace collectives::detail
