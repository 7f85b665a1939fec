// SPDX-License-Identifier: BSD-3-Clause
// Apart from the schedules, so that a program that draws nothing links none of it.
#include <collectives/schedule/draw.ipp>
