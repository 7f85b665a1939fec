// SPDX-License-Identifier: BSD-3-Clause
// Steps, schedules, algorithms, proofs, costs and pictures, without communication. It includes no
// system header, so it builds wherever there is a C++20 compiler.
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/core/error.hpp>
#include <collectives/schedule/any_algorithm.hpp>
#include <collectives/schedule/check.hpp>
#include <collectives/schedule/cost.hpp>
#include <collectives/schedule/draw.hpp>
#include <collectives/schedule/simulate.hpp>
#include <collectives/version.hpp>
