// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/launch/hosts.ipp>
#include <collectives/launch/join.ipp>
#include <collectives/launch/shm.ipp>
#include <collectives/launch/threads.ipp>
