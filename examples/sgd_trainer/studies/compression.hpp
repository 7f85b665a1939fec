// SPDX-License-Identifier: BSD-3-Clause
// Accuracy against the bytes that gradients travel in.
#pragma once

namespace trainer::studies {

class study_report;

/// Trains with each codec of codecs.hpp over four ranks, and counts the bytes.
void compression(study_report& report);

}  // namespace trainer::studies
