// SPDX-License-Identifier: BSD-3-Clause
// One call of a random program, and how rapidcheck makes it.
#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <ostream>

namespace random_programs {

struct instruction {
    int what = 0;  // 0..10, see `issue`
    int algorithm = 0;
    int root = 0;
    std::size_t n = 0;
    std::size_t segment = 0;
    bool in_place = false;
    bool started = false;
    bool counted = false;     // blocks by counts instead of coll::block; exscan instead of scan
    int reachable_ranks = 0;  // the ranks below this one pass allocated memory
};

inline std::ostream& operator<<(std::ostream& out, instruction const& i) {
    return out << "{what " << i.what << ", algorithm " << i.algorithm << ", root " << i.root
               << ", n " << i.n << ", segment " << i.segment << (i.in_place ? ", in place" : "")
               << (i.started ? ", started" : "") << (i.counted ? ", counted" : "")
               << ", reachable ranks " << i.reachable_ranks << "}";
}

inline rc::Gen<instruction> any_instruction() {
    using rc::gen::set;
    auto const counts =
        rc::gen::oneOf(rc::gen::inRange<std::size_t>(0, 12), rc::gen::inRange<std::size_t>(0, 600),
                       rc::gen::inRange<std::size_t>(0, 9000));
    return rc::gen::build<instruction>(
        set(&instruction::what, rc::gen::inRange(0, 11)),
        set(&instruction::algorithm, rc::gen::inRange(0, 10)),
        set(&instruction::root, rc::gen::inRange(0, 8)), set(&instruction::n, counts),
        set(&instruction::segment, rc::gen::element<std::size_t>(0, 0, 0, 512, 8192)),
        set(&instruction::in_place), set(&instruction::started), set(&instruction::counted),
        set(&instruction::reachable_ranks, rc::gen::element(0, 0, 3, 8, 8)));
}

}  // namespace random_programs

namespace rc {

template <>
struct Arbitrary<random_programs::instruction> {
    static Gen<random_programs::instruction> arbitrary() {
        return random_programs::any_instruction();
    }
};

}  // namespace rc
