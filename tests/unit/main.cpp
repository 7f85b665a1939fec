// SPDX-License-Identifier: BSD-3-Clause
// The entry point of the test programs.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
