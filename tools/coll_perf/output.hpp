// SPDX-License-Identifier: BSD-3-Clause
// What people see while coll_perf measures, and what it leaves behind.
#pragma once

#include "campaign.hpp"
#include "options.hpp"
#include "table.hpp"
#include "traces.hpp"

#include <memory>
#include <string>
#include <vector>

namespace coll_perf {

class output {
public:
    /// Prints what all tables have in common: `ranks` says which ranks these are.
    output(options const& o, std::vector<std::string> peers, std::string const& ranks);
    ~output();

    /// A campaign that prints its rows.
    campaign make_campaign(settings const& how);
    /// Takes over what it has measured.
    void add(campaign const& done);
    /// Prints the table's foot and writes the files. The status of the program.
    int finish();

private:
    class printer;

    options options_;
    table_style style_;
    std::string head_;
    std::unique_ptr<printer> printer_;
    std::vector<measurement> all_;
    traces traces_;
    std::string start_;
    bool failed_ = false;
    int repeated_ = 0;
};

}  // namespace coll_perf
