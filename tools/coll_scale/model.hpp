// SPDX-License-Identifier: BSD-3-Clause
// A network as data-parallel training sees it: the gradients of a backward pass, and what each
// takes to compute.
#pragma once

#include <collectives/fusion/plan.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace coll_scale {

namespace coll = collectives;

struct gradient {
    std::string tensor;
    std::size_t elements = 0;
    double flops = 0;  // for one sample, after the gradient before it
};

struct model {
    std::string name;
    std::vector<gradient> gradients;  // in the order in which they are ready: the last layer first

    std::size_t elements() const;
    double backward_flops() const;  // for one sample
};

/// The CSV with the columns tensor, elements and flops, from the first layer to the last. Throws
/// std::runtime_error where there is none, or where it holds something else.
model read_model(std::string const& file);

/// A model by its name, from the folder in which the tool has them; or by its file.
model find_model(std::string const& name_or_file, std::string const& folder);

/// Where this program has its models: models/ beside it, or where both are installed.
std::string own_models();

/// The gradients as floats, and when each is ready in a backward pass of so many seconds. A
/// `shrink`th of each, rounded up.
std::vector<coll::ready_tensor> backward_pass(model const& m, double seconds,
                                              std::size_t shrink = 1);

}  // namespace coll_scale
