// SPDX-License-Identifier: BSD-3-Clause
// A training that can be left and gone on with.
#pragma once

#include "network.hpp"
#include "optimizer.hpp"

#include <filesystem>

namespace trainer {

/// What a file holds: what was trained, and how far it is.
struct checkpoint {
    settings how;  ///< data, model, hidden, batch, accumulate and seed; the rest is not kept
    state now;
};

/// Writes `file` beside its place and then puts it there, so that no crash leaves half of one.
void save_checkpoint(std::filesystem::path const& file, settings const& how, state const& now);

/// Throws std::runtime_error if the file is missing or damaged.
checkpoint load_checkpoint(std::filesystem::path const& file);

/// Throws std::runtime_error where the parameters are not as many as the network has: a file may
/// say anything.
void require_fits(checkpoint const& from, network const& net);

/// Throws std::runtime_error that names what differs where `how` cannot go on from there.
void require_same(checkpoint const& from, settings const& how);

}  // namespace trainer
