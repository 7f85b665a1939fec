// SPDX-License-Identifier: BSD-3-Clause
// Tensors as contiguous memory: as they are, or through a copy.
#pragma once

#include "elements.hpp"

#include <collectives/communicator/arguments.hpp>

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace collectives_torch {

using tensors = std::vector<at::Tensor>;

/// Whether the elements lie in memory one behind the other, as they are.
inline bool is_plain(at::Tensor const& t) {
    return t.is_contiguous() && !t.is_conj() && !t.is_neg();
}
inline std::size_t bytes_of(at::Tensor const& t) { return static_cast<std::size_t>(t.nbytes()); }
inline std::size_t elements_of(at::Tensor const& t) { return static_cast<std::size_t>(t.numel()); }
inline std::size_t element_bytes(at::Tensor const& t) {
    return static_cast<std::size_t>(t.element_size());
}

inline void require_dense(at::Tensor const& t) {
    TORCH_CHECK(t.defined(), "collectives: an undefined tensor");
    TORCH_CHECK(t.layout() == at::kStrided,
                "collectives: only dense tensors travel, this one has the layout ", t.layout());
    TORCH_CHECK(t.device().is_cpu(), "collectives: only tensors of the CPU travel, this one is on ",
                t.device());
}
inline at::Tensor& only_one(tensors& all) {
    TORCH_CHECK(all.size() == 1, "collectives: one tensor is expected, not ", all.size());
    require_dense(all.front());
    return all.front();
}
inline void require_type(at::Tensor const& t, at::Tensor const& like) {
    TORCH_CHECK(t.scalar_type() == like.scalar_type(), "collectives: tensors of the types ",
                t.scalar_type(), " and ", like.scalar_type(), " in one call");
}
inline void require_types(tensors const& all, at::Tensor const& like) {
    for (auto const& t : all) {
        require_dense(t);
        require_type(t, like);
    }
}

/// A copy of all elements, one tensor's behind the other's.
inline at::Tensor copy_of(at::TensorList all) {
    if (all.size() == 1) { return all.front().clone(); }
    tensors rows;
    for (auto const& t : all) { rows.push_back(t.reshape({-1})); }
    return at::cat(rows);
}

/// One tensor, or several as if they lay one behind the other, in memory that the library reads,
/// writes, or both. `as` is the type in which elements are reduced.
class flat {
public:
    enum class use { read, write, both };

    flat() = default;
    flat(at::Tensor const& t, use how) : flat(t, how, t.scalar_type()) {}
    flat(at::Tensor const& t, use how, at::ScalarType as) : count_(elements_of(t)) {
        if (is_plain(t) && t.scalar_type() == as) {
            hold(t);
            return;
        }
        if (how == use::write) {
            hold(at::empty(t.sizes(), t.options().dtype(as)));
        } else {
            auto const options = t.options().dtype(as);
            hold(at::empty(t.sizes(), options).copy_(t));
        }
        if (how != use::read) { targets_ = {t}; }
    }
    flat(at::TensorList all, use how) : flat(all, how, all.front().scalar_type()) {}
    flat(at::TensorList all, use how, at::ScalarType as) {
        if (all.size() == 1) {
            *this = flat(all.front(), how, as);
            return;
        }
        for (auto const& t : all) { count_ += elements_of(t); }
        if (lie_in_a_row(all, as)) {
            data_ = all.front().data_ptr();
            element_ = element_bytes(all.front());
            row_ = all.vec();
            return;
        }
        hold(at::empty({static_cast<std::int64_t>(count_)}, all.front().options().dtype(as)));
        if (how != use::write) { copy(all, true); }
        if (how != use::read) { targets_ = all.vec(); }
    }

    void* data() const { return data_; }
    std::size_t count() const { return count_; }
    coll::memory_span span() const { return {data_, count_ * element_}; }
    coll::writable_memory place() const { return {data_, count_ * element_}; }
    /// Whether `put_back` has something to do.
    bool is_copy() const { return !targets_.empty(); }
    /// Copies results to the tensors.
    void put_back() {
        if (is_copy()) { copy(targets_, false); }
    }

private:
    static bool lie_in_a_row(at::TensorList all, at::ScalarType as) {
        auto const* next = static_cast<std::byte const*>(all.front().data_ptr());
        for (auto const& t : all) {
            if (!is_plain(t) || t.scalar_type() != as || t.data_ptr() != next) { return false; }
            next += bytes_of(t);
        }
        return true;
    }
    void hold(at::Tensor t) {
        copy_ = std::move(t);
        data_ = copy_.data_ptr();
        element_ = element_bytes(copy_);
    }
    void copy(at::TensorList all, bool in) {
        auto const row = copy_.view({-1});
        std::int64_t first = 0;
        for (auto const& t : all) {
            auto const n = t.numel();
            if (is_plain(t) && t.scalar_type() == copy_.scalar_type()) {
                auto* const here =
                    static_cast<std::byte*>(data_) + static_cast<std::size_t>(first) * element_;
                if (bytes_of(t) != 0) {
                    in ? std::memcpy(here, t.data_ptr(), bytes_of(t))
                       : std::memcpy(t.data_ptr(), here, bytes_of(t));
                }
            } else if (in) {
                row.narrow(0, first, n).view(t.sizes()).copy_(t);
            } else {
                t.copy_(row.narrow(0, first, n).view(t.sizes()));
            }
            first += n;
        }
    }

    at::Tensor copy_;  // or the tensor itself
    void* data_ = nullptr;
    std::size_t count_ = 0, element_ = 1;
    tensors row_;  // those that lie in a row
    tensors targets_;
};

}  // namespace collectives_torch
