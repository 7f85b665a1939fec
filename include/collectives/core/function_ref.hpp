// SPDX-License-Identifier: BSD-3-Clause
// A reference to something that can be called, without its type.
#pragma once

#include <type_traits>

namespace collectives::inline v0 {

template <class Signature>
class function_ref;

/// Refers to a callable that must outlive it. Two pointers; copies nothing, allocates nothing.
template <class Result, class... Args>
class function_ref<Result(Args...)> {
public:
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, function_ref>) &&
                    requires(F& f, Args... args) { f(static_cast<Args&&>(args)...); }
    function_ref(F&& f)  // NOLINT: any callable is one
        : of_(const_cast<void*>(static_cast<void const*>(&f))),
          call_(call<std::remove_reference_t<F>>) {}

    Result operator()(Args... args) const { return call_(of_, static_cast<Args&&>(args)...); }

private:
    template <class F>
    static Result call(void* of, Args... args) {
        return (*static_cast<F*>(of))(static_cast<Args&&>(args)...);
    }

    void* of_;
    Result (*call_)(void*, Args...);
};

}  // namespace collectives
