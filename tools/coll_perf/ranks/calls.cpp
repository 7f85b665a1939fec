// SPDX-License-Identifier: BSD-3-Clause
#include "calls.hpp"

#include "types.hpp"

#include <collectives/core/error.hpp>

#include <array>
#include <utility>

namespace coll_perf {
namespace {

using alias = std::pair<std::string_view, std::string_view>;

constexpr std::array aliases{alias{"half", "float16"},         alias{"prod", "product"},
                             alias{"avg", "average"},          alias{"mulsum", "premultiplied_sum"},
                             alias{"float32", "float"},        alias{"float64", "double"},
                             alias{"f8e4m3", "float8_e4m3"},   alias{"f8e5m2", "float8_e5m2"},
                             alias{"fp8_e4m3", "float8_e4m3"}, alias{"fp8_e5m2", "float8_e5m2"}};

std::string_view full_name(std::string_view name) {
    for (auto const& [given, full] : aliases) {
        if (name == given) { return full; }
    }
    return name;
}

}  // namespace

std::vector<typed_calls> const& all_types() {
    static std::vector<typed_calls> const list{
        int8_calls(),   uint8_calls(),  float8_e4m3_calls(),   float8_e5m2_calls(),
        int16_calls(),  uint16_calls(), float16_calls(),       bfloat16_calls(),
        int32_calls(),  uint32_calls(), float_calls(),         int64_calls(),
        uint64_calls(), double_calls(), complex_float_calls(), complex_double_calls()};
    return list;
}

std::vector<std::string_view> const& all_operators() {
    static auto const list = [] {
        std::vector<std::string_view> names;
        for (auto const& o : find_type("int32").operators) { names.push_back(o.op); }
        return names;
    }();
    return list;
}

typed_calls const& find_type(std::string_view name) {
    std::string names;
    for (auto const& t : all_types()) {
        if (t.type == full_name(name)) { return t; }
        names.append(names.empty() ? "" : ", ").append(t.type);
    }
    throw coll::usage_error("there is no type \"" + std::string(name) + "\"; the types are " +
                            names);
}

std::string_view find_operator(std::string_view name) {
    std::string names;
    for (auto const o : all_operators()) {
        if (o == full_name(name)) { return o; }
        names.append(names.empty() ? "" : ", ").append(o);
    }
    throw coll::usage_error("there is no operator \"" + std::string(name) +
                            "\"; the operators are " + names);
}

}  // namespace coll_perf
