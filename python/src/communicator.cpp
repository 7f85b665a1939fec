// SPDX-License-Identifier: BSD-3-Clause
// The collectives and messages.
#include "communicator.hpp"

#include <collectives/communicator/core.hpp>
#include <collectives/core/text.hpp>

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>

namespace python {

using coll::collective;
using access = array::access;

namespace {

using sizes = std::vector<std::size_t>;

std::size_t product(sizes const& of, std::size_t from) {
    return std::accumulate(of.begin() + static_cast<std::ptrdiff_t>(std::min(from, of.size())),
                           of.end(), std::size_t{1}, std::multiplies<>());
}
sizes with_first(std::size_t first, sizes const& rest, std::size_t from) {
    sizes result{first};
    result.insert(result.end(), rest.begin() + static_cast<std::ptrdiff_t>(from), rest.end());
    return result;
}

/// The number of rows: of elements along the first axis.
std::size_t rows_of(sizes const& shape) {
    if (shape.empty()) { throw coll::usage_error("x has no axis that could be cut"); }
    return shape[0];
}

/// The shape of such blocks one after the other.
sizes joined(sizes const& rows, sizes const& shape) {
    rows_of(shape);
    return with_first(std::accumulate(rows.begin(), rows.end(), std::size_t{0}), shape, 1);
}

/// What the program gives as counts; nothing for None.
std::optional<sizes> counts_of(nb::handle given, int size) {
    if (given.is_none()) { return {}; }
    sizes result;
    for (nb::handle const n : given) {
        std::size_t count = 0;
        if (!nb::try_cast(n, count)) { throw coll::usage_error("counts are numbers, from 0 on"); }
        result.push_back(count);
    }
    if (result.size() != static_cast<std::size_t>(size)) {
        throw coll::usage_error(coll::text_of(result.size(), " counts for ", size, " ranks"));
    }
    return result;
}
coll::detail::part_counts elements_of(sizes const& rows, std::size_t row) {
    coll::detail::part_counts result;
    for (auto const n : rows) { result.push_back(n * row); }
    return result;
}

}  // namespace

communicator::communicator(coll::communicator comm, std::shared_ptr<rank_use> use)
    : comm_(new coll::communicator(std::move(comm)),
            [](coll::communicator* c) {
                nb::gil_scoped_release const others_run;
                delete c;
            }),
      use_(std::move(use)) {
    look_at_signals(*comm_);
}

/// `fill` takes hold of the arguments and makes the request.
template <class Fill>
nb::object communicator::perform(collective what, bool wait, Fill const& fill) {
    rank_use::stay const inside(*use_);
    auto const prepare = [&](call& c) {
        try {
            fill(c);
        } catch (coll::usage_error const& e) {  // the library's own begin with the rank
            auto const text = std::string_view(e.what());
            if (text.starts_with("rank ")) { throw; }
            make().refuse(what, text);
        }
    };
    if (wait) {
        call c;
        prepare(c);
        without_gil([&] { comm_->core()->run(c.request); });
        return std::move(c.result);
    }
    auto c = std::make_shared<call>();
    prepare(*c);
    without_gil([&] {
        auto const& core = comm_->core();
        c->started.emplace(core, core->start_operation<coll::detail::operation>(c->request),
                           nullptr);
    });
    return nb::cast(pending_call(std::move(c), use_));
}

void communicator::hold_out(call& c, nb::handle out, sizes const& shape) const {
    c.result = out.is_none() ? new_array(shape, c.in.of()) : nb::borrow(out);
    c.out.hold(c.result, "out", access::write);
    c.require_one_type();
}

nb::object communicator::all_reduce(nb::handle x, char const* op, nb::handle out, bool wait,
                                    nb::kwargs how) {
    return perform(collective::all_reduce, wait, [&](call& c) {
        auto const in_place = out.is_none() || out.is(x);
        c.in.hold(x, "x", in_place ? access::write : access::read);
        if (!in_place) {
            c.out.hold(out, "out", access::write);
            c.require_one_type();
        }
        c.result = nb::borrow(in_place ? x : out);
        c.reduce_by(op);
        c.request = make().vector(collective::all_reduce, c.in.type(), c.in.readable(),
                                  in_place ? c.in.writable() : c.out.writable(), c.reducer, 0,
                                  options_of(how));
    });
}

nb::object communicator::reduce(nb::handle x, char const* op, int root, nb::handle out, bool wait,
                                nb::kwargs how) {
    return perform(collective::reduce, wait, [&](call& c) {
        c.in.hold(x, "x", access::read);
        if (rank() == root) { hold_out(c, out, c.in.shape()); }
        c.reduce_by(op);
        c.request = make().vector(collective::reduce, c.in.type(), c.in.readable(),
                                  c.out.writable(), c.reducer, root, options_of(how));
    });
}

nb::object communicator::reduce_scatter(nb::handle x, char const* op, nb::handle out,
                                        nb::handle counts, bool wait, nb::kwargs how) {
    return perform(collective::reduce_scatter, wait, [&](call& c) {
        c.in.hold(x, "x", access::read);
        auto const shape = c.in.shape();
        auto rows = counts_of(counts, size());
        if (!rows) {
            rows.emplace();
            for (int r = 0; r < size(); ++r) {
                rows->push_back(coll::block(rows_of(shape), size(), r).size);
            }
        } else if (std::accumulate(rows->begin(), rows->end(), std::size_t{0}) != rows_of(shape)) {
            throw coll::usage_error(
                coll::text_of("x has ", rows_of(shape), " rows, and the counts another sum"));
        }
        auto const mine = (*rows)[static_cast<std::size_t>(rank())];
        hold_out(c, out, with_first(mine, shape, 1));
        c.reduce_by(op);
        auto const even = counts.is_none() && rows->front() == rows->back();
        c.request = make().to_block(
            collective::reduce_scatter, c.in.type(), c.in.readable(), c.out.writable(),
            even ? coll::detail::part_counts{} : elements_of(*rows, product(shape, 1)), &c.reducer,
            0, options_of(how));
    });
}

nb::object communicator::broadcast(nb::object x, int root, bool wait, nb::kwargs how) {
    return perform(collective::broadcast, wait, [&](call& c) {
        c.in.hold(x, "x", access::write);
        c.result = x;
        c.request = make().broadcast(c.in.type(), c.in.writable(), root, options_of(how));
    });
}

nb::object communicator::gather_to(collective what, nb::handle x, int root, nb::handle out,
                                   nb::handle counts, bool wait, nb::kwargs const& how) {
    return perform(what, wait, [&](call& c) {
        c.in.hold(x, "x", access::read);
        auto const shape = c.in.shape();
        auto const n = static_cast<std::size_t>(size());
        auto const given = counts_of(counts, size());
        if (what == collective::all_gather || rank() == root) {
            hold_out(c, out, given ? joined(*given, shape) : with_first(n, shape, 0));
        }
        coll::detail::part_counts parts;
        if (given) {
            parts = elements_of(*given, product(shape, 1));
        } else if (what == collective::gather) {
            parts = elements_of(sizes(n, 1), c.in.count());
        }
        c.request = make().to_whole(what, c.in.type(), c.in.readable(), c.out.writable(),
                                    std::move(parts), root, options_of(how));
    });
}

nb::object communicator::all_gather(nb::handle x, nb::handle out, nb::handle counts, bool wait,
                                    nb::kwargs how) {
    return gather_to(collective::all_gather, x, 0, out, counts, wait, how);
}
nb::object communicator::gather(nb::handle x, int root, nb::handle out, nb::handle counts,
                                bool wait, nb::kwargs how) {
    return gather_to(collective::gather, x, root, out, counts, wait, how);
}

nb::object communicator::scatter(nb::handle x, nb::object out, int root, nb::handle counts,
                                 bool wait, nb::kwargs how) {
    return perform(collective::scatter, wait, [&](call& c) {
        c.out.hold(out, "out", access::write);
        c.result = out;
        if (rank() == root) {
            c.in.hold(x, "x", access::read);
            c.require_one_type();
        }
        auto const given = counts_of(counts, size());
        auto const parts =
            given ? elements_of(*given, product(c.out.shape(), 1))
                  : elements_of(sizes(static_cast<std::size_t>(size()), 1), c.out.count());
        c.request = make().to_block(collective::scatter, c.out.type(), c.in.readable(),
                                    c.out.writable(), parts, nullptr, root, options_of(how));
    });
}

nb::object communicator::all_to_all(nb::handle x, nb::handle out, bool wait, nb::kwargs how) {
    return perform(collective::all_to_all, wait, [&](call& c) {
        c.in.hold(x, "x", access::read);
        auto const shape = c.in.shape();
        if (rows_of(shape) % static_cast<std::size_t>(size()) != 0) {
            throw coll::usage_error(coll::text_of("the ", rows_of(shape), " rows of x do not make ",
                                                  size(), " equal blocks"));
        }
        hold_out(c, out, shape);
        c.request = make().exchange(c.in.type(), c.in.readable(), c.out.writable(), {}, {},
                                    options_of(how));
    });
}

nb::object communicator::barrier(bool wait, nb::kwargs how) {
    return perform(collective::barrier, wait, [&](call& c) {
        c.request = make().begin(collective::barrier, coll::detail::element_type_of<std::byte>(),
                                 options_of(how));
    });
}

/// A message: `start` takes hold of x and starts it.
template <class Start>
nb::object communicator::exchange(collective what, bool wait, Start const& start) {
    rank_use::stay const inside(*use_);
    auto c = std::make_shared<call>();
    try {
        start(*c);
    } catch (coll::usage_error const& e) {
        auto const text = std::string_view(e.what());
        if (text.starts_with("rank ")) { throw; }
        make().refuse(what, text);
    }
    if (!wait) { return nb::cast(pending_call(std::move(c), use_)); }
    without_gil([&] { c->started->wait(); });
    return c->result;
}

nb::object communicator::send(nb::handle x, int to, int tag, bool wait, nb::kwargs how) {
    return exchange(collective::send, wait, [&](call& c) {
        c.in.hold(x, "x", access::read);
        auto const& core = comm_->core();
        c.started.emplace(core,
                          core->start_pair(collective::send, c.in.type(), c.in.readable(), to, tag,
                                           options_of(how)),
                          nullptr);
    });
}

nb::object communicator::recv(nb::object x, int source, int tag, bool wait, nb::kwargs how) {
    return exchange(collective::recv, wait, [&](call& c) {
        c.in.hold(x, "x", access::write);
        c.result = x;
        auto const& core = comm_->core();
        c.started.emplace(core,
                          core->start_pair(collective::recv, c.in.type(), c.in.readable(), source,
                                           tag, options_of(how)),
                          nullptr);
    });
}

}  // namespace python
