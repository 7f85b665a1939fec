// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks.
#include "communicator.hpp"

#include <collectives/communicator/pair_calls.hpp>

#include <memory>
#include <utility>

namespace python {

using coll::collective;
using access = array::access;

nb::object communicator::message(manner const& how, nb::handle x, int peer, int tag) {
    rank_use::stay const inside(*use_);
    auto c = std::make_shared<call>();
    checked(how.what, [&] {
        auto const is_written = how.what == collective::recv;
        c->in.hold(x, "x", is_written ? access::write : access::read);
        if (is_written) { c->result = nb::borrow(x); }
        c->request.how = options_of(how.options);
    });
    auto const at_once = how.as == manner::kind::at_once;
    without_gil([&] {
        coll::detail::pair_call const what{how.what, c->in.type(), c->in.readable(),
                                           peer,     tag,          c->request.how};
        if (at_once) { return core()->run_pair(what); }
        c->started.emplace(core(), core()->start_pair(what), nullptr);
    });
    return at_once ? c->result : nb::cast(pending_call(std::move(c), use_));
}

nb::object communicator::send_recv(nb::handle x, int to, int source, int tag, nb::handle out,
                                   nb::kwargs const& options) {
    rank_use::stay const inside(*use_);
    call c;
    checked(collective::send, [&] {
        c.in.hold(x, "x", access::read);
        c.result = out.is_none() ? new_array(c.in.shape(), c.in.of()) : nb::borrow(out);
        c.out.hold(c.result, "out", access::write);  // whose type may be another
        c.request.how = options_of(options);
    });
    without_gil([&] {
        coll::detail::send_recv(core(), c.in.type(), c.in.readable(), to, c.out.type(),
                                c.out.writable(), source, tag, c.request.how);
    });
    return std::move(c.result);
}

std::optional<std::size_t> communicator::probe(int source, int tag) {
    rank_use::stay const inside(*use_);
    std::optional<std::size_t> bytes;
    without_gil([&] { bytes = comm_->probe(source, tag); });
    return bytes;
}

}  // namespace python
