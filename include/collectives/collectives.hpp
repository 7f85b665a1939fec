// SPDX-License-Identifier: BSD-3-Clause
// Everything that needs no third-party header: threads and shared memory, and the adaptors.
// Only the writer of traces is apart, in schedule/trace.hpp.
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/communicator.hpp>
#include <collectives/core/half.hpp>
#include <collectives/core/op.hpp>
#include <collectives/fusion/buffer.hpp>
#include <collectives/launch/join.hpp>
#include <collectives/launch/shm.hpp>
#include <collectives/launch/threads.hpp>
#include <collectives/transport/counted.hpp>
#include <collectives/transport/throttled.hpp>
#include <collectives/transport/traced.hpp>

#ifdef COLLECTIVES_COMPILED  // what collectives::compiled holds
#include COLLECTIVES_COMPILED
#endif
