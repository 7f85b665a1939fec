// SPDX-License-Identifier: BSD-3-Clause
// What 16-bit numbers cost and bring, which gradients vanish in them, and what the loss scale and
// float masters are for.
#pragma once

namespace trainer::studies {

class study_report;

/// Trains one network in float, float16 and bfloat16, with two losses: the mean over the images,
/// and the mean over the positions of a large map, of which one in 1,048,576 holds an image.
void precision(study_report& report);

}  // namespace trainer::studies
