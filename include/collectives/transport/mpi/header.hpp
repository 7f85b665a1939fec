// SPDX-License-Identifier: BSD-3-Clause
// MPI's own header. That of Open MPI has C++ bindings, which -Wextra warns of.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-function-type"
#include <mpi.h>
#pragma GCC diagnostic pop
