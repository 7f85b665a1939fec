// SPDX-License-Identifier: BSD-3-Clause
// The library's errors as those of torch.
#pragma once

#include <collectives/core/error.hpp>

#include <c10/util/Exception.h>

#include <exception>
#include <string>

namespace collectives_torch {

namespace coll = collectives;

/// A DistBackendError of this group with what the exception being handled says. One that is torch's
/// own stays as it is.
[[noreturn]] inline void rethrow_as_torch(std::string const& group) {
    auto const refuse = [&](char const* kind, std::exception const& e) {
        C10_THROW_ERROR(DistBackendError, "collectives, group " + group + ":" + kind + e.what());
    };
    try {
        throw;
    } catch (c10::Error const&) { throw; } catch (coll::timeout_error const& e) {
        refuse(" Timed out in a call: ", e);
    } catch (coll::peer_lost_error const& e) {
        refuse(" Connection closed by a peer that was lost: ", e);
    } catch (coll::mismatch_error const& e) {
        refuse(" The ranks do not make the same call: ", e);
    } catch (coll::error const& e) { refuse(" ", e); }
    throw;
}

inline std::exception_ptr failure_as_torch(std::string const& group) {
    try {
        rethrow_as_torch(group);
    } catch (...) { return std::current_exception(); }
}

}  // namespace collectives_torch
