// SPDX-License-Identifier: BSD-3-Clause
// The collectives: from arrays to requests.
#include "communicator.hpp"

#include <collectives/core/text.hpp>

#include <utility>

namespace python {

using coll::collective;
using access = array::access;

template <class Fill>
nb::object communicator::perform(manner const& how, Fill const& fill) {
    rank_use::stay const inside(*use_);
    auto const prepare = [&](call& c) { checked(how.what, [&] { fill(c); }); };
    if (how.as == manner::kind::at_once) {
        call c;
        prepare(c);
        without_gil([&] { core()->run(c.request); });
        return std::move(c.result);
    }
    auto c = std::make_shared<call>();
    prepare(*c);
    if (how.as == manner::kind::planned) {
        without_gil([&] { c->planned.emplace(core(), c->request, nullptr); });
        return nb::cast(persistent_call(std::move(c), use_));
    }
    without_gil([&] {
        c->started.emplace(core(), core()->start_operation<coll::detail::operation>(c->request),
                           nullptr);
    });
    return nb::cast(pending_call(std::move(c), use_));
}

nb::object communicator::rooted_vector(manner const& how, nb::handle x, nb::handle op, int root,
                                       nb::handle out) {
    return perform(how, [&](call& c) {
        auto const what = how.what;
        auto const gets_result = coll::has(coll::traits_of(what).output, rank(), root, -1);
        auto const in_place = out.is(x) || (out.is_none() && what == collective::all_reduce);
        c.in.hold(x, "x", gets_result && in_place ? access::write : access::read);
        if (gets_result && !in_place) {
            c.hold_out(out, [&] { return new_array(c.in.shape(), c.in.of()); });
        } else if (gets_result || what == collective::exscan) {
            c.result = nb::borrow(in_place ? x : out);  // rank 0's out of exscan, which stays
        }
        c.reduce_by(op);
        if (coll::is_prefix(what) && c.reducer.finishes) {
            throw coll::usage_error(coll::text_of(
                c.op.name(), " is for the whole reduction, and a scan gives parts of it"));
        }
        c.request = make().vector(what, c.in.type(), c.in.readable(),
                                  in_place && gets_result ? c.in.writable() : c.out.writable(),
                                  c.reducer, root, options_of(how.options));
    });
}

nb::object communicator::reduce_scatter(manner const& how, nb::handle x, nb::handle op,
                                        nb::handle out, nb::handle counts,
                                        nb::handle displacements) {
    return perform(how, [&](call& c) {
        c.in.hold(x, "x", access::read);
        auto const shape = c.in.shape();
        row_blocks blocks(counts, displacements, size());
        auto const are_given = blocks.are_given();
        if (!are_given) { blocks = row_blocks(rows_of(shape), size()); }
        auto const mine = of_rows(blocks.count(rank()), shape);
        c.hold_out(out, [&] { return new_array(mine, c.in.of()); });
        c.reduce_by(op);
        auto parts = !are_given && blocks.are_equal() ? coll::detail::part_counts{}
                                                      : blocks.parts(row_of(shape));
        c.request = make().to_block(how.what, c.in.type(), c.in.readable(), c.out.writable(),
                                    std::move(parts), &c.reducer, 0, options_of(how.options));
    });
}

nb::object communicator::broadcast(manner const& how, nb::handle x, int root) {
    return perform(how, [&](call& c) {
        c.in.hold(x, "x", access::write);
        c.result = nb::borrow(x);
        c.request = make().broadcast(c.in.type(), c.in.writable(), root, options_of(how.options));
    });
}

nb::object communicator::gather(manner const& how, nb::handle x, int root, nb::handle out,
                                nb::handle counts, nb::handle displacements) {
    return perform(how, [&](call& c) {
        c.in.hold(x, "x", access::read);
        auto shape = c.in.shape();
        auto const ranks = static_cast<std::size_t>(size());
        row_blocks const blocks(counts, displacements, size());
        coll::detail::part_counts parts;
        if (blocks.are_given()) {
            parts = blocks.parts(row_of(shape));
        } else if (how.what == collective::gather) {
            parts = coll::detail::part_counts(ranks, c.in.count());
        }
        if (coll::has(coll::traits_of(how.what).output, rank(), root, -1)) {
            c.hold_out(out, [&] {
                if (blocks.are_given()) {
                    shape = of_rows(blocks.end(), shape);
                } else {
                    shape.insert(shape.begin(), ranks);
                }
                return new_array(shape, c.in.of(), blocks.have_places());
            });
        }
        c.request = make().to_whole(how.what, c.in.type(), c.in.readable(), c.out.writable(),
                                    std::move(parts), root, options_of(how.options));
    });
}

nb::object communicator::scatter(manner const& how, nb::handle x, nb::handle out, int root,
                                 nb::handle counts, nb::handle displacements) {
    return perform(how, [&](call& c) {
        c.out.hold(out, "out", access::write);
        c.result = nb::borrow(out);
        if (rank() == root) {
            c.in.hold(x, "x", access::read);
            c.require_one_type();
        }
        row_blocks const blocks(counts, displacements, size());
        auto parts = blocks.are_given() ? blocks.parts(row_of(c.out.shape()))
                                        : coll::detail::part_counts(
                                              static_cast<std::size_t>(size()), c.out.count());
        c.request = make().to_block(how.what, c.out.type(), c.in.readable(), c.out.writable(),
                                    std::move(parts), nullptr, root, options_of(how.options));
    });
}

nb::object communicator::all_to_all(manner const& how, nb::handle x, nb::handle out,
                                    nb::handle send_counts, nb::handle recv_counts,
                                    nb::handle send_displacements, nb::handle recv_displacements) {
    return perform(how, [&](call& c) {
        c.in.hold(x, "x", access::read);
        auto const shape = c.in.shape();
        row_blocks const sends(send_counts, send_displacements, size(), "send_");
        row_blocks const receives(recv_counts, recv_displacements, size(), "recv_");
        if (sends.are_given() != receives.are_given()) {
            throw coll::usage_error("send_counts and recv_counts come together");
        }
        if (!sends.are_given() && rows_of(shape) % static_cast<std::size_t>(size()) != 0) {
            throw coll::usage_error(coll::text_of("the ", rows_of(shape), " rows of x do not make ",
                                                  size(), " equal blocks; pass counts"));
        }
        c.hold_out(out, [&] {
            return new_array(receives.are_given() ? of_rows(receives.end(), shape) : shape,
                             c.in.of(), receives.have_places());
        });
        c.request = make().exchange(c.in.type(), c.in.readable(), c.out.writable(),
                                    sends.parts(row_of(shape)), receives.parts(row_of(shape)),
                                    options_of(how.options));
    });
}

nb::object communicator::barrier(manner const& how) {
    return perform(how, [&](call& c) {
        c.request = make().begin(how.what, coll::detail::element_type_of<std::byte>(),
                                 options_of(how.options));
    });
}

}  // namespace python
