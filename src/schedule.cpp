// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/algorithm/all.ipp>
#include <collectives/schedule/any_algorithm.ipp>
#include <collectives/tune.ipp>
