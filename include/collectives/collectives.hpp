// SPDX-License-Identifier: BSD-3-Clause
// What most programs need, without any third-party header: all collectives and algorithms over
// threads and shared memory, tensor fusion, and the adaptors. Not included are the headers of
// devices, MPI and UCX, which need more, and those for special uses: tune.hpp, launch/hosts.hpp,
// fusion/plan.hpp, fusion/unordered.hpp, schedule/draw.hpp, schedule/simulate.hpp,
// schedule/trace.hpp, schedule/goal.hpp and select/closed_form.hpp.
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/communicator.hpp>
#include <collectives/core/narrow_float.hpp>
#include <collectives/core/op.hpp>
#include <collectives/fusion/buffer.hpp>
#include <collectives/launch/join.hpp>
#include <collectives/launch/shm.hpp>
#include <collectives/launch/threads.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>
#include <collectives/transport/adapted.hpp>
#include <collectives/transport/counted.hpp>
#include <collectives/transport/throttled.hpp>
#include <collectives/transport/traced.hpp>
#include <collectives/version.hpp>
