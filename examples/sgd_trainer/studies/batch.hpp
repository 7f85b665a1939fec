// SPDX-License-Identifier: BSD-3-Clause
// What the size of the batch does to time and accuracy, and how far the linear rule goes.
#pragma once

namespace trainer::studies {

class study_report;

/// Trains with every size of batch from 8 to 4096: with one learning rate for all, with a rate in
/// proportion to the batch (Goyal et al. 2017), and with that after a warm-up. Then with one
/// process and with four ranks.
void batch_study(study_report& report);

}  // namespace trainer::studies
