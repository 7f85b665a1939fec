// SPDX-License-Identifier: BSD-3-Clause
// Lets ranks that have a communicator meet over their devices. Needs nothing of CUDA: what is used
// of it is passed in.
#pragma once

#include <collectives/communicator.hpp>
#include <collectives/core/text.hpp>
#include <collectives/launch/cuda_meeting.hpp>
#include <collectives/launch/hosts.hpp>
#include <collectives/space/cuda/reducer.hpp>
#include <collectives/transport/cuda/transport.hpp>
#include <collectives/transport/shm.hpp>
#include <collectives/transport/threads.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace collectives {

template <>
struct reducer_maker<cuda::space> {
    template <class T, reduction_op<T> Op>
    static reducer make(Op const& op) {
        return cuda::make_reducer<T>(op);
    }
    template <class Visit>
    static void for_each_shortening(Visit const& visit) {
        cuda::for_each_shortening(visit);
    }
    template <class Own, class Wire>
    static cuda::gather_function gather() {
        return cuda::kernels().find_gather(typeid(Own), typeid(Wire));
    }
};

namespace cuda {

namespace detail {

/// Who shares host memory for a communicator over `Base`: its own ranks, if they do.
template <class Base>
struct control_of : std::type_identity<shm::transport> {};
template <class Memory>
struct control_of<shared::shared_transport<Memory>>
    : std::type_identity<shared::shared_transport<Memory>> {};

}  // namespace detail

/// The ranks of `base`, which must be on one machine, for buffers in the memory of devices;
/// `device` is this rank's, as CUDA numbers them in its process; ranks may share one. Collective.
/// `base` may go.
///
/// Throws transport_error on all ranks where one has no device or CUDA refuses something,
/// usage_error for ranks on several machines.
template <transport Base>
auto communicate(collectives::communicator<Base>& base, int device, settings with) {
    using control = typename detail::control_of<Base>::type;
    if constexpr (std::is_same_v<control, Base>) {
        return detail::meeting<control>(base, device, std::move(with)).communicate();
    } else {
        auto const mine = collectives::detail::host_card_of_this_process();
        std::vector<collectives::detail::host_card> cards(static_cast<std::size_t>(base.size()));
        base.all_gather(std::span(&mine, 1), cards);
        auto const hosts = collectives::detail::hosts_of(cards);
        for (std::size_t r = 0; r < hosts.size(); ++r) {
            if (hosts[r] == hosts[0]) { continue; }
            throw usage_error(text_of("rank ", base.rank(), ", cuda::communicator: ranks 0 and ", r,
                                      " are on different hosts"));
        }
        auto inside = collectives::communicator<control>(
            collectives::detail::meet_on_host(base, cards, hosts, {}));
        return detail::meeting<control>(inside, device, std::move(with)).communicate();
    }
}

}  // namespace cuda

}  // namespace collectives
