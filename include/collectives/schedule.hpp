// SPDX-License-Identifier: BSD-3-Clause
// What only thinks: steps, schedules, algorithms, proofs, costs. No header of the system, so it
// builds wherever there is a compiler for C++20.
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/core/error.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>
