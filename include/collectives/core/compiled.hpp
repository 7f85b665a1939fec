// SPDX-License-Identifier: BSD-3-Clause
// Header-only, or compiled once. A program that links collectives::compiled is given the macro
// COLLECTIVES_COMPILED: then headers leave out the definitions that this library holds, which stand
// in the .ipp files. The sources of the library define COLLECTIVES_COMPILING besides.
#pragma once

#ifdef COLLECTIVES_COMPILING
#define COLLECTIVES_INLINE
#else
#define COLLECTIVES_INLINE inline
#endif
