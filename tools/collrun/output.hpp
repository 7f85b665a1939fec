// SPDX-License-Identifier: BSD-3-Clause
// What a rank writes, line by line, each marked with the rank.
#pragma once

#include <collectives/core/descriptor.hpp>

#include <string>

namespace collrun {

class output {
public:
    /// From a pipe's end to a descriptor of this process.
    output(collectives::descriptor from, int to, int rank);

    /// -1 once there is nothing more.
    int get() const { return from_.get(); }
    /// Passes on the lines of what is there now; false if that is nothing.
    bool pass_on();
    /// Passes on all that is there, also a line without its end.
    void finish();

private:
    void write_lines(std::size_t end);

    collectives::descriptor from_;
    int to_;
    std::string mark_;
    std::string begun_;  // a line without its end
};

}  // namespace collrun
