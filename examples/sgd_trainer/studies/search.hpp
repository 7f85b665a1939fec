// SPDX-License-Identifier: BSD-3-Clause
// Hyper-parameters, searched in parallel.
#pragma once

namespace trainer::studies {

class study_report;

/// A grid of learning rates and batches, and successive halving over it: trials are dealt to groups
/// of ranks. Also where a rank is killed in a trial; and all trials again by one process.
void search_study(study_report& report);

}  // namespace trainer::studies
