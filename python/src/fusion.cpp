// SPDX-License-Identifier: BSD-3-Clause
// Tensor fusion as the body of a `with`.
#include "fusion.hpp"

#include <collectives/core/text.hpp>
#include <collectives/fusion/buffer.hpp>

#include <nanobind/stl/string_view.h>

#include <deque>
#include <optional>
#include <string_view>

namespace python {

namespace {

/// Ends what was started, without a flush: that is what a buffer does when an exception takes it.
void abandon(std::optional<coll::fusion_buffer>& buffer) {
    struct unwinding {
        std::optional<coll::fusion_buffer>& buffer;
        ~unwinding() { buffer.reset(); }
    };
    try {
        unwinding const last{buffer};
        throw 0;
    } catch (int) {}
}

class fusion {
public:
    fusion(communicator& comm, coll::fusion_options const& how)
        : use_(comm.use()), comm_(comm), how_(how) {}
    fusion(fusion&&) = default;
    ~fusion() { drop(); }

    /// Its result is in x after the block.
    void all_reduce(nb::handle x, std::string_view name) {
        rank_use::stay const inside(*use_);
        if (!state_) { state_ = std::make_shared<state>(); }
        auto& arrays = state_->arrays;
        auto& held = arrays.emplace_back();
        try {
            held.hold(x, "x", array::access::write);
        } catch (...) {
            arrays.pop_back();
            throw;
        }
        without_gil([&] {
            auto& buffer = state_->buffer;
            if (!buffer) { buffer.emplace(comm_.below(), how_); }
            buffer->add(held.type(), held.writable().data, held.count(), name);
        });
    }
    void flush() {
        if (!state_) { return; }
        rank_use::stay const inside(*use_);
        without_gil([&] {
            if (state_->buffer) { state_->buffer->flush(); }
        });
        state_->arrays.clear();
    }
    /// What was added and is not done never is.
    void drop() {
        if (state_) { use_->drop(std::move(state_)); }
    }

private:
    struct state {
        std::deque<array> arrays;
        std::optional<coll::fusion_buffer> buffer;
        ~state() {
            nb::gil_scoped_release const others_run;
            abandon(buffer);
        }
    };

    std::shared_ptr<rank_use> use_;
    communicator& comm_;
    coll::fusion_options how_;
    std::shared_ptr<state> state_;
};

fusion fuse(communicator& comm, nb::handle op, std::size_t threshold, nb::kwargs how) {
    auto const call = options_of(how);
    if (call.progress != coll::progress_by::own_calls) {
        throw coll::usage_error(coll::text_of("rank ", comm.rank(),
                                              ", fuse: progress is for started and planned calls"));
    }
    return {comm,
            {.threshold = threshold,
             .op = operator_of(op),
             .algorithm = call.algorithm,
             .segment = call.segment,
             .reproducible = call.reproducible,
             .timeout = call.timeout}};
}

}  // namespace

void bind_fusion(nb::module_& m) {
    nb::class_<fusion>(m, "Fusion")
        .def("all_reduce", &fusion::all_reduce, nb::arg("x").none(), nb::arg("name") = "",
             "Adds an array; its result is in it after the block.")
        .def("flush", &fusion::flush, "Returns once every result is in its array.")
        .def("__enter__", [](nb::object self) { return self; })
        .def(
            "__exit__",
            [](fusion& self, nb::handle type, nb::handle, nb::handle) {
                type.is_none() ? self.flush() : self.drop();
            },
            nb::arg().none(), nb::arg().none(), nb::arg().none());
    m.def("fuse", &fuse, nb::arg("comm"), nb::arg("op") = "sum",
          nb::arg("threshold") = std::size_t{64} << 20, nb::arg("how"), nb::keep_alive<0, 1>());
}

}  // namespace python
