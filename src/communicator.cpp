// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/communicator.ipp>
#include <collectives/communicator/memory_block.ipp>
#include <collectives/communicator/pending.ipp>
#include <collectives/communicator/persistent.ipp>
#include <collectives/communicator/request_maker.ipp>
#include <collectives/run/flight_report.ipp>
