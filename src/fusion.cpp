// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/fusion/buffer.ipp>
#include <collectives/fusion/plan.ipp>
#include <collectives/fusion/unordered.ipp>
