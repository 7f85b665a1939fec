// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "../../../tools/csv_quoted.hpp"
#include "../../../tools/insert_between.hpp"
#include "../../../tools/processor.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace trainer::studies {
namespace {

constexpr char const* mark = "study";  // the page's, around what is measured

double load_now() {
    double load = 0;
    return ::getloadavg(&load, 1) == 1 ? load : 0;
}

void write(std::filesystem::path const& file, std::string const& text) {
    std::ofstream out(file);
    out << text;
    if (!out.flush()) { throw std::runtime_error("cannot write " + file.string()); }
}

std::string joined(std::vector<std::string> const& cells, std::string_view before,
                   std::string_view between, std::string_view after) {
    return fmt::format("{}{}{}\n", before, fmt::join(cells, between), after);
}

std::string as_markdown(table const& t) {
    auto text = joined(t.columns, "| ", " | ", " |");
    text += joined(std::vector<std::string>(t.columns.size(), "---"), "|", "|", "|");
    for (auto const& row : t.rows) { text += joined(row, "| ", " | ", " |"); }
    return text;
}

std::string as_csv(table const& t) {
    auto const line = [](std::vector<std::string> cells) {
        std::ranges::transform(cells, cells.begin(), tools::csv_quoted);
        return joined(cells, "", ",", "");
    };
    auto text = line(t.columns);
    for (auto const& row : t.rows) { text += line(row); }
    return text;
}

/// The words in lines of 100 columns at most.
std::string wrapped(std::string const& text) {
    constexpr std::size_t most = 100;
    std::istringstream words(text);
    std::string result;
    std::size_t column = 0;
    for (std::string word; words >> word;) {
        auto const fits = column + 1 + word.size() <= most;
        if (column > 0) { result += fits ? ' ' : '\n'; }
        column = (column > 0 && fits ? column + 1 : 0) + word.size();
        result += word;
    }
    return result;
}

std::string read(std::filesystem::path const& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The study's page, or a new one where there is none.
std::string page_at(std::filesystem::path const& file) {
    return std::filesystem::exists(file) ? read(file)
                                         : fmt::format("<!-- {0} -->\n<!-- end of {0} -->\n", mark);
}

std::filesystem::path page_of(std::string const& study, request const& what) {
    return what.output / (study + ".md");
}

std::string page_with(std::filesystem::path const& file, std::string const& text) {
    try {
        return tools::insert_between(page_at(file), mark, text);
    } catch (std::runtime_error const& e) {
        throw std::runtime_error(file.string() + ": " + e.what());
    }
}

}  // namespace

void check_page(std::string const& study, request const& what) {
    (void)page_with(page_of(study, what), "");
}

study_report::study_report(std::string name, request const& what)
    : name_(std::move(name)), what_(what), bar_(name_, true), load_(load_now()) {
    std::filesystem::create_directories(what_.output);
}

data_set const& study_report::data() {
    if (!data_) {
        std::string const own = what_.quick ? "digits" : "fashion";
        auto name = what_.data.empty() ? own : what_.data;
        auto path = what_.data_path;
        choose_data(name, path);
        data_ = load_data(name, path, 1);
    }
    return *data_;
}

std::filesystem::path study_report::file(std::string const& part, char const* kind) const {
    return what_.output / fmt::format("{}_{}.{}", name_, part, kind);
}

void study_report::say(std::string const& text) { put(wrapped(text)); }

void study_report::put(std::string const& text) {
    bar_.clear();
    fmt::print("{}\n\n", text);
    text_ += text + "\n\n";
}

void study_report::add(table const& t) {
    for (auto const& row : t.rows) {
        if (row.size() != t.columns.size()) {
            throw std::logic_error(t.name + ": a row has other columns than the table");
        }
    }
    write(file(t.name, "csv"), as_csv(t));
    auto rows = as_markdown(t);
    rows.pop_back();  // the end of its last line
    put(wrapped(t.caption) + "\n\n" + rows);
}

void study_report::add(figure const& f) {
    auto const where = file(f.name, "svg");
    draw(f).save(where);
    put(fmt::format("![{}]({})", f.title, where.filename().string()));
}

void study_report::at(int done, int of, std::string_view what) {
    bar_.show(done, of, fmt::format("{}/{}: {}", done, of, what));
}

void study_report::finish() {
    bar_.clear();
    auto const day = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    say(fmt::format(
        "(`sgd_trainer study {}{}{}`, {} cores of {}, {:%Y-%m-%d}; load average before it: "
        "{:.1f}.)",
        name_, what_.quick ? " --quick" : "", what_.data.empty() ? "" : " --data " + what_.data,
        std::thread::hardware_concurrency(), tools::processor_name(), fmt::gmtime(day), load_));
    auto const page = page_of(name_, what_);
    write(page, page_with(page, text_));
    fmt::print("{} is written\n", page.string());
}

}  // namespace trainer::studies
