// SPDX-License-Identifier: BSD-3-Clause
// When loading images is what training waits for, and what more loaders do about it.
#pragma once

namespace trainer::studies {

class study_report;

/// Trains with images from disks of several speeds, read by one to eight threads.
void loading(study_report& report);

}  // namespace trainer::studies
