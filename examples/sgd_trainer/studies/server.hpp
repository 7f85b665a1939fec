// SPDX-License-Identifier: BSD-3-Clause
// The ring against parameter servers: one, several, and such as wait for nobody.
#pragma once

namespace trainer::studies {

class study_report;

/// Four ranks that compute, over links of a known rate: time, traffic per link, staleness and
/// accuracy against time, without and with a slow one. Then what becomes of each where a rank dies.
void server(study_report& report);

}  // namespace trainer::studies
