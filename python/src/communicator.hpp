// SPDX-License-Identifier: BSD-3-Clause
// The communicator that Python programs hold. It takes arrays as arguments.
#pragma once

#include "call.hpp"
#include "waiting.hpp"

#include <collectives/communicator.hpp>

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace python {

class communicator {
public:
    communicator(coll::communicator comm, std::shared_ptr<rank_use> use);
    communicator(communicator&&) noexcept = default;
    ~communicator() {
        if (comm_) { use_->drop(std::move(comm_)); }
    }

    int rank() const { return comm_->rank(); }
    int size() const { return comm_->size(); }

    nb::object all_reduce(nb::handle x, char const* op, nb::handle out, bool wait, nb::kwargs how);
    nb::object reduce(nb::handle x, char const* op, int root, nb::handle out, bool wait,
                      nb::kwargs how);
    nb::object reduce_scatter(nb::handle x, char const* op, nb::handle out, nb::handle counts,
                              bool wait, nb::kwargs how);
    nb::object broadcast(nb::object x, int root, bool wait, nb::kwargs how);
    nb::object all_gather(nb::handle x, nb::handle out, nb::handle counts, bool wait,
                          nb::kwargs how);
    nb::object gather(nb::handle x, int root, nb::handle out, nb::handle counts, bool wait,
                      nb::kwargs how);
    nb::object scatter(nb::handle x, nb::object out, int root, nb::handle counts, bool wait,
                       nb::kwargs how);
    nb::object all_to_all(nb::handle x, nb::handle out, bool wait, nb::kwargs how);
    nb::object barrier(bool wait, nb::kwargs how);
    nb::object send(nb::handle x, int to, int tag, bool wait, nb::kwargs how);
    nb::object recv(nb::object x, int source, int tag, bool wait, nb::kwargs how);

    communicator split(int color, int key);
    communicator shrink(nb::handle timeout);
    void abort(std::string_view why);
    /// So many bytes that peers reach, as a NumPy array of uint8.
    nb::object allocate(std::size_t bytes);
    std::string explain(std::size_t bytes, std::string_view what);

    coll::communicator& below() { return *comm_; }
    std::shared_ptr<rank_use> const& use() const { return use_; }

private:
    coll::detail::request_maker make() const { return {rank(), size()}; }
    template <class Fill>
    nb::object perform(coll::collective what, bool wait, Fill const& fill);
    nb::object gather_to(coll::collective what, nb::handle x, int root, nb::handle out,
                         nb::handle counts, bool wait, nb::kwargs const& how);
    template <class Start>
    nb::object exchange(coll::collective what, bool wait, Start const& start);
    /// `out`, or a new array of this shape, held for the result of `c`.
    void hold_out(call& c, nb::handle out, std::vector<std::size_t> const& shape) const;

    std::shared_ptr<coll::communicator> comm_;
    std::shared_ptr<rank_use> use_;
};

void bind_communicator(nb::module_& m);

}  // namespace python
