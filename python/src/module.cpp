// SPDX-License-Identifier: BSD-3-Clause
#include "communicator.hpp"
#include "errors.hpp"
#include "fusion.hpp"
#include "job.hpp"
#include "pictures.hpp"
#include "schedule.hpp"

NB_MODULE(_core, m) {
    nanobind::set_leak_warnings(false);  // what is alive at the end of the interpreter stays so
    python::translate_errors();
    python::bind_calls(m);
    python::bind_communicator(m);
    python::bind_fusion(m);
    python::bind_schedule(m);
    python::bind_pictures(m);
    python::bind_job(m);
}
