// SPDX-License-Identifier: BSD-3-Clause
#include <collectives/space/host.hpp>

#include <complex>

namespace collectives::inline v0::host::detail {

COLLECTIVES_COMPLEX_KERNELS(, std::complex<float>)
COLLECTIVES_COMPLEX_KERNELS(, std::complex<double>)

}  // namespace collectives::host::detail
