// SPDX-License-Identifier: BSD-3-Clause
// A transport over which a job can be joined.
#pragma once

namespace collectives::inline v0 {

class communicator;
struct job_place;
class timeout;

namespace detail {

/// Whether a transport reaches all ranks of a job, as far as its launcher says.
enum class reach : unsigned char { not_all, unknown, all };

struct joiner {
    char const* transport;  // as COLLECTIVES_TRANSPORT names it
    int slowness;           // the quicker, the less
    reach (*reaches)(job_place const&);
    communicator (*join)(timeout);
};

}  // namespace detail

}  // namespace collectives
