// SPDX-License-Identifier: BSD-3-Clause
#include "errors.hpp"

#include <collectives/core/error.hpp>

#include <nanobind/stl/vector.h>

#include <exception>

namespace python {

namespace nb = nanobind;
namespace coll = collectives;

namespace {

nb::object instance(char const* name, coll::error const& e) {
    return nb::module_::import_("collectives._errors").attr(name)(e.what());
}
void raise(nb::object const& e) { PyErr_SetObject(e.type().ptr(), e.ptr()); }

void translate(std::exception_ptr const& what, void*) {
    try {
        std::rethrow_exception(what);
    } catch (coll::usage_error const& e) {
        raise(instance("UsageError", e));
    } catch (coll::mismatch_error const& e) {
        raise(instance("MismatchError", e));
    } catch (coll::timeout_error const& e) {
        auto const error = instance("TimeoutError", e);
        error.attr("missing") = e.missing();
        raise(error);
    } catch (coll::peer_lost_error const& e) {
        auto const error = instance("PeerLostError", e);
        error.attr("peer") = e.peer();
        raise(error);
    } catch (coll::transport_error const& e) {
        raise(instance("TransportError", e));
    } catch (coll::error const& e) { raise(instance("Error", e)); }
}

}  // namespace

void translate_errors() { nb::register_exception_translator(&translate); }

}  // namespace python
