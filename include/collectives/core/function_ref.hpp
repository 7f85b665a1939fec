// SPDX-License-Identifier: BSD-3-Clause
// A reference to something that can be called, without its type.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace collectives::inline v0 {

template <class Signature>
class function_ref;

/// Refers to a callable that must outlive it. Two pointers; copies nothing, allocates nothing.
template <class Result, class... Args>
class function_ref<Result(Args...)> {
public:
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, function_ref>) &&
                    requires(F& f, Args... args) { f(std::forward<Args>(args)...); }
    function_ref(F&& f)  // NOLINT: any callable is one
        : of_(const_cast<void*>(static_cast<void const*>(std::addressof(f)))),
          call_([](void* of, Args... args) -> Result {
              return (*static_cast<std::remove_reference_t<F>*>(of))(std::forward<Args>(args)...);
          }) {}

    Result operator()(Args... args) const { return call_(of_, std::forward<Args>(args)...); }

private:
    void* of_;
    Result (*call_)(void*, Args...);
};

}  // namespace collectives
