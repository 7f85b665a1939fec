// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/mpi.ipp>
