// SPDX-License-Identifier: BSD-3-Clause
// How many times slower small batches are over slow links, and what helps.
#pragma once

namespace trainer::studies {

class study_report;

/// Measures a step of one process and of four ranks over links of a known rate: each tensor by
/// itself, then cured step by step. Then how much of the communication overlap hides, by batch.
void synchronise(study_report& report);

}  // namespace trainer::studies
