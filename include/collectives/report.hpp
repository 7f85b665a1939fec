// SPDX-License-Identifier: BSD-3-Clause
// Makes COLLECTIVES_REPORT=DIRECTORY work in a program that uses the headers alone: include it in
// one of its files. A program that links collectives::compiled needs no such line.
#pragma once

#include <collectives/run/flight_report.hpp>
