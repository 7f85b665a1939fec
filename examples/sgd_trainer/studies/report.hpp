// SPDX-License-Identifier: BSD-3-Clause
// What a study leaves behind: tables in Markdown and CSV, plots in SVG.
#pragma once

#include "../data.hpp"
#include "../progress.hpp"
#include "figure.hpp"
#include "studies.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainer::studies {

/// Cells are text, the same in the Markdown and in the CSV.
struct table {
    std::string name;  ///< of the file, without the study's name and .csv
    std::string caption;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
};

/// Throws std::runtime_error if there is a page of this study that has no place for the result.
void check_page(std::string const& study, request const& what);

/// A study's report. Tables are printed and written as they come; `finish` writes the page.
class study_report {
public:
    study_report(std::string name, request const& what);

    bool quick() const { return what_.quick; }
    /// The data set that the command line names, else the digits if quick, else Fashion-MNIST.
    data_set const& data();

    /// A paragraph of prose.
    void say(std::string const& text);
    void add(table const& t);
    void add(figure const& f);
    /// On a terminal: so many parts of the study are done, and this one is under way.
    void at(int done, int of, std::string_view what);

    /// Writes NAME.md. Throws std::runtime_error if that fails.
    void finish();

private:
    void put(std::string const& text);
    std::filesystem::path file(std::string const& part, char const* kind) const;

    std::string name_;
    request what_;
    std::optional<data_set> data_;
    std::string text_;
    progress bar_;
    double load_;  // of the machine, before
};

}  // namespace trainer::studies
