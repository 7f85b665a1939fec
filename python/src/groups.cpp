// SPDX-License-Identifier: BSD-3-Clause
// What makes other communicators, memory, and explanations.
#include "communicator.hpp"

#include "schedule.hpp"

#include <cstdint>
#include <optional>

namespace python {

communicator::communicator(coll::communicator comm, std::shared_ptr<rank_use> use)
    : comm_(new coll::communicator(std::move(comm)),
            [](coll::communicator* c) {
                nb::gil_scoped_release const others_run;
                delete c;
            }),
      use_(std::move(use)) {
    look_at_signals(*comm_);
}

communicator communicator::split(int color, int key) {
    rank_use::stay const inside(*use_);
    std::optional<coll::communicator> part;
    without_gil([&] { part.emplace(comm_->split(color, key)); });
    return {std::move(*part), use_};
}

communicator communicator::shrink(nb::handle timeout) {
    rank_use::stay const inside(*use_);
    coll::options const how{.timeout = timeout_of(timeout)};
    std::optional<coll::communicator> rest;
    without_gil([&] { rest.emplace(comm_->shrink(how)); });
    return {std::move(*rest), use_};
}

void communicator::abort(std::string_view why) {
    nb::gil_scoped_release const others_run;
    comm_->abort(why);
}

nb::object communicator::allocate(std::size_t bytes) {
    struct memory {
        coll::buffer<std::byte> bytes;
        std::shared_ptr<rank_use> use;
    };
    rank_use::stay const inside(*use_);
    std::shared_ptr<memory> mine;
    without_gil([&] {
        mine = std::make_shared<memory>(memory{comm_->allocate<std::byte>(bytes), use_});
    });
    auto* const data = mine->bytes.data();
    using owner_type = std::shared_ptr<memory>;
    nb::capsule const owner(new owner_type(std::move(mine)), [](void* p) noexcept {
        std::unique_ptr<owner_type> const last(static_cast<owner_type*>(p));
        auto const use = (*last)->use;
        use->drop(std::move(*last));
    });
    return nb::cast(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(data, {bytes}, owner));
}

std::string communicator::explain(std::size_t bytes, std::string_view what) {
    rank_use::stay const inside(*use_);
    auto const found = comm_->explain(bytes, collective_of(what));
    return found.why;
}

}  // namespace python
