// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/core/copy.ipp>
#include <collectives/core/failure.ipp>
#include <collectives/core/fingerprint.ipp>
#include <collectives/core/isa.ipp>
#include <collectives/core/streaming_copy.ipp>
#include <collectives/core/text.ipp>
#include <collectives/core/timeout.ipp>
#include <collectives/run/wait_chain.ipp>
