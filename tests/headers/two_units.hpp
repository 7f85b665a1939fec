// SPDX-License-Identifier: BSD-3-Clause
// What the two halves of a program say to each other, each of which includes the whole library.
#pragma once

#include <collectives/collectives.hpp>

#include <vector>

std::vector<float> summed_by_the_other(int ranks);
