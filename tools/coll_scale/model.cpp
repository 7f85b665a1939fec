// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

#include "../coll_plot/csv_table.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <stdexcept>

namespace coll_scale {
namespace {

namespace fs = std::filesystem;

constexpr auto most_elements = std::size_t{1} << 34, most_flops = std::size_t{1} << 53;

std::size_t whole_number(coll_plot::csv_row const& row, char const* column, std::string const& file,
                         std::size_t most) {
    auto const& text = row.text(column);
    std::size_t value = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || value > most) {
        throw std::runtime_error(file + ": " + column + " of '" + row.text("tensor") + "' is '" +
                                 text + "', not a whole number up to " + std::to_string(most));
    }
    return value;
}

}  // namespace

std::size_t model::elements() const {
    return std::accumulate(gradients.begin(), gradients.end(), std::size_t{0},
                           [](auto sum, auto const& g) { return sum + g.elements; });
}

double model::backward_flops() const {
    return std::accumulate(gradients.begin(), gradients.end(), 0.0,
                           [](auto sum, auto const& g) { return sum + g.flops; });
}

model read_model(std::string const& file) {
    model m;
    m.name = fs::path(file).stem();
    for (auto const& row : coll_plot::read_csv(file)) {
        m.gradients.push_back({row.text("tensor"),
                               whole_number(row, "elements", file, most_elements),
                               static_cast<double>(whole_number(row, "flops", file, most_flops))});
    }
    if (!(m.backward_flops() > 0)) { throw std::runtime_error(file + " has nothing to compute"); }
    if (m.elements() == 0) { throw std::runtime_error(file + " has nothing to send"); }
    std::reverse(m.gradients.begin(), m.gradients.end());
    return m;
}

model find_model(std::string const& name_or_file, std::string const& folder) {
    auto const known = fs::path(folder) / (name_or_file + ".csv");
    if (name_or_file.find('/') == name_or_file.npos && fs::exists(known)) {
        return read_model(known);
    }
    if (fs::exists(name_or_file)) { return read_model(name_or_file); }
    std::string names;
    std::error_code none;
    for (auto const& entry : fs::directory_iterator(folder, none)) {
        if (entry.path().extension() == ".csv") { names += " " + entry.path().stem().string(); }
    }
    throw std::runtime_error("no model '" + name_or_file + "': " + folder + " has" +
                             (names.empty() ? " none" : names));
}

std::string own_models() {
    auto const here = fs::read_symlink("/proc/self/exe").parent_path();
    auto const installed = here.parent_path() / "share/collectives/models";
    return fs::is_directory(installed) ? installed : here / "models";
}

std::vector<coll::ready_tensor> backward_pass(model const& m, double seconds, std::size_t shrink) {
    std::vector<coll::ready_tensor> pass;
    auto const all = m.backward_flops();
    double done = 0;
    for (auto const& g : m.gradients) {
        done += g.flops;
        auto const elements = (g.elements + shrink - 1) / shrink;
        pass.push_back({{1, sizeof(float), elements, 0}, seconds * done / all});
    }
    return pass;
}

}  // namespace coll_scale
