// SPDX-License-Identifier: BSD-3-Clause
// The memory of an argument: a NumPy array, or whatever has the buffer protocol or DLPack.
#pragma once

#include <collectives/communicator/arguments.hpp>
#include <collectives/fusion/fused_type.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace python {

namespace coll = collectives;
namespace nb = nanobind;

/// An element type and what NumPy calls it.
struct element {
    coll::fused_type const* type;
    char const* numpy_name;
};

/// Holds the memory of a Python object until it is destroyed. All of it needs the GIL.
class array {
public:
    enum class access { read, write };

    array() = default;
    array(array const&) = delete;
    array& operator=(array const&) = delete;
    ~array() { let_go(); }

    /// Takes hold of the memory of `from`, called `role` in messages. Throws usage_error where
    /// there is none, where it is not contiguous, or where it cannot be written and has to be.
    void hold(nb::handle from, char const* role, access how);

    bool is_held() const { return what_.type != nullptr; }
    element of() const { return what_; }
    coll::fused_type const& type() const { return *what_.type; }
    std::size_t count() const { return bytes_ / what_.type->size; }
    coll::memory_span readable() const { return {data_, bytes_}; }
    coll::writable_memory writable() const { return {data_, bytes_}; }
    std::vector<std::size_t> shape() const;

private:
    void let_go();
    bool hold_buffer(nb::handle from, char const* role, access how);
    void hold_tensor(nb::handle from, char const* role, access how);

    Py_buffer view_{};  // its obj is null where it holds nothing
    nb::ndarray<nb::ro> tensor_;
    nb::object other_;  // the same memory under a type that the buffer protocol knows
    element what_{nullptr, nullptr};
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// A new NumPy array, whose elements are zeros if it `has_gaps`, and are not set otherwise.
nb::object new_array(std::vector<std::size_t> const& shape, element of, bool has_gaps = false);

}  // namespace python
