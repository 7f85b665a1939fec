// SPDX-License-Identifier: BSD-3-Clause
// What gradients can travel as.
#pragma once

#include "settings.hpp"

#include <collectives/fusion/element.hpp>

namespace trainer {

/// The demo, whose gradients are floats, has a definition of its own: it links no kernels of 16
/// bits.
collectives::compression wire_format(format f);

}  // namespace trainer
