// SPDX-License-Identifier: BSD-3-Clause
// The communicator that Python programs hold. It takes arrays as arguments.
#pragma once

#include "array.hpp"
#include "blocks.hpp"
#include "call.hpp"
#include "waiting.hpp"

#include <collectives/communicator.hpp>
#include <collectives/communicator/core.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace python {

/// Which call it is, how it is carried out, and its options.
struct manner {
    enum class kind { at_once, started, planned };

    coll::collective what;
    kind as;
    nb::kwargs const& options;
};

class communicator {
public:
    communicator(coll::communicator comm, std::shared_ptr<rank_use> use);
    communicator(communicator&&) noexcept = default;
    ~communicator() {
        if (comm_) { use_->drop(std::move(comm_)); }
    }

    int rank() const { return comm_->rank(); }
    int size() const { return comm_->size(); }

    // Each returns the result of the call, or the handle of a call that is started or planned.

    /// all_reduce, scan and exscan.
    nb::object vector(manner const& how, nb::handle x, nb::handle op, nb::handle out) {
        return rooted_vector(how, x, op, 0, out);
    }
    nb::object rooted_vector(manner const& how, nb::handle x, nb::handle op, int root,
                             nb::handle out);
    nb::object reduce_scatter(manner const& how, nb::handle x, nb::handle op, nb::handle out,
                              nb::handle counts, nb::handle displacements);
    nb::object broadcast(manner const& how, nb::handle x, int root);
    nb::object all_gather(manner const& how, nb::handle x, nb::handle out, nb::handle counts,
                          nb::handle displacements) {
        return gather(how, x, 0, out, counts, displacements);
    }
    nb::object gather(manner const& how, nb::handle x, int root, nb::handle out, nb::handle counts,
                      nb::handle displacements);
    nb::object scatter(manner const& how, nb::handle x, nb::handle out, int root, nb::handle counts,
                       nb::handle displacements);
    nb::object all_to_all(manner const& how, nb::handle x, nb::handle out, nb::handle send_counts,
                          nb::handle recv_counts, nb::handle send_displacements,
                          nb::handle recv_displacements);
    nb::object barrier(manner const& how);
    /// send and recv, which cannot be planned.
    nb::object message(manner const& how, nb::handle x, int peer, int tag);

    nb::object send_recv(nb::handle x, int to, int source, int tag, nb::handle out,
                         nb::kwargs const& options);
    std::optional<std::size_t> probe(int source, int tag);

    communicator split(int color, int key);
    communicator shrink(nb::handle timeout);
    void abort(std::string_view why);
    /// So many bytes that peers reach, as a NumPy array of uint8.
    nb::object allocate(std::size_t bytes);
    std::string explain(std::size_t bytes, std::string_view what);

    coll::communicator& below() { return *comm_; }
    std::shared_ptr<rank_use> const& use() const { return use_; }

private:
    coll::detail::core_pointer const& core() const { return core_of(*comm_); }
    coll::detail::request_maker make() const { return core()->make(); }
    /// Calls `prepare`. What it finds wrong with the arguments names this rank and the call.
    template <class Prepare>
    void checked(coll::collective what, Prepare const& prepare) const;
    /// A collective. `fill` takes hold of its arguments and makes its request.
    template <class Fill>
    nb::object perform(manner const& how, Fill const& fill);

    std::shared_ptr<coll::communicator> comm_;
    std::shared_ptr<rank_use> use_;
};

template <class Prepare>
void communicator::checked(coll::collective what, Prepare const& prepare) const {
    try {
        prepare();
    } catch (coll::usage_error const& e) {  // the library's own begin with the rank
        auto const text = std::string_view(e.what());
        if (text.starts_with("rank ")) { throw; }
        make().refuse(what, text);
    }
}

void bind_communicator(nb::module_& m);

}  // namespace python
