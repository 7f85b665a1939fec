// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/transport/counted.ipp>
#include <collectives/transport/shm.ipp>
#include <collectives/transport/threads.ipp>
#include <collectives/transport/throttled.ipp>
#include <collectives/transport/traced.ipp>
