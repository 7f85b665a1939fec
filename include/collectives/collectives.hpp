// SPDX-License-Identifier: BSD-3-Clause
// What most programs need, without any third-party header: all collectives and algorithms over
// threads and shared memory, tensor fusion, and the adaptors. Apart are cuda.hpp, mpi.hpp and
// ucx.hpp, which need more; tune.hpp; and, for few, launch/hosts.hpp, fusion/plan.hpp,
// fusion/unordered.hpp, schedule/trace.hpp, schedule/goal.hpp and select/closed_form.hpp.
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
