// SPDX-License-Identifier: BSD-3-Clause
// Files that the tools read: tables, models, traces, flight reports and measurements. Each is read,
// or refused with a std::runtime_error.
#include "bytes.hpp"
#include "folder.hpp"

#include <coll_plot/chart.hpp>
#include <coll_plot/compare.hpp>
#include <coll_plot/csv_table.hpp>
#include <coll_plot/table.hpp>
#include <coll_predict/prices.hpp>
#include <coll_scale/model.hpp>
#include <coll_show/flight.hpp>
#include <coll_show/trace_file.hpp>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// What coll_plot does with a table.
void plot(std::vector<coll_plot::csv_row> const& all) {
    auto const rows = coll_plot::select(all, {});
    (void)coll_plot::compare(rows, rows, {});
    for (auto const* const over : {"bytes", "ranks"}) {
        auto const curves = coll_plot::curves_of(rows, over);
        (void)coll_plot::as_markdown(curves, {});
        coll_plot::axis const axis{over[0] == 'r', 8, coll_plot::crossings_of(curves)};
        (void)coll_plot::as_svg(curves, coll_plot::quantity::latency, "", "", axis);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static fuzz::folder const own;
    auto const file = (own.path / "flight-0.json").string();
    fuzz::bytes from(data, size);
    auto const what = from.take<std::uint8_t>();
    auto const text = from.text();
    try {
        if (what % 5 == 0) {
            plot(coll_plot::parse_csv(text));
            return 0;
        }
        coll_plot::write_file(file, text);
        switch (what % 5) {
            case 1: (void)coll_scale::read_model(file); break;
            case 2:
                (void)coll_show::read_trace(file, collectives::collective::all_reduce, -1);
                break;
            case 3:
                for (auto const& of : coll_show::read_flights(own.path.string())) {
                    (void)coll_show::as_text(of);
                }
                break;
            case 4:
                for (auto const& row : coll_predict::read_measured(file)) {
                    fuzz::require(row.size >= 2 && row.bytes >= 0 && row.seconds > 0 &&
                                  std::isfinite(row.seconds));
                }
                break;
        }
    } catch (std::runtime_error const&) {}
    return 0;
}
