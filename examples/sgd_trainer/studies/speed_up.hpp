// SPDX-License-Identifier: BSD-3-Clause
// How much quicker many ranks are than one, and where each millisecond goes.
#pragma once

namespace trainer::studies {

class study_report;

/// 1 to 16 ranks that compute for real, in turn and put on one clock; the same measured in slow
/// motion; and ResNet-50 on a cluster, from the cost model.
void speed_up(study_report& report);

}  // namespace trainer::studies
