// SPDX-License-Identifier: BSD-3-Clause
#include "option_checks.hpp"

#include "data.hpp"

#include <initializer_list>
#include <stdexcept>
#include <string>

namespace trainer {
namespace {

/// What depends on other options.
void fill_in(CLI::App const& app, settings& s) {
    auto const is_default = [&](char const* name) { return app.count(name) == 0; };
    choose_data(s.data, s.data_path);
    auto const large = s.data != "digits";
    if (large && is_default("--batch")) { s.batch = 128; }
    if (large && is_default("--epochs")) { s.epochs = 10; }
    if (large && is_default("--decay")) { s.falls = decay::cosine; }
    if (s.hidden == 0) { s.hidden = large ? 128 : 64; }
    if (is_default("--compress")) { s.wire = s.precision; }  // gradients travel as they are
    if (s.precision != format::half && s.wire != format::half) { s.loss_scale = 1; }
    if (s.wire == format::half && s.precision != format::half && is_default("--loss-scale")) {
        s.loss_scale = 1024;
    }
}

void refuse(CLI::App const& app, std::initializer_list<char const*> names, std::string const& why) {
    for (auto const* const name : names) {
        if (app.count(name) != 0) { throw std::runtime_error(name + why); }
    }
}

void check_device(CLI::App const& app, settings const& s) {
    if (s.on == processor::device &&
        (s.where == transport::mpi || s.where == transport::ucx || s.where == transport::hosts)) {
        throw std::runtime_error("--device cuda is for --transport shm, threads and join");
    }
    if (s.on == processor::device &&
        (s.model != "dense" || s.precision != format::single || s.wire == format::half ||
         s.how != method::all_reduce || s.counted || s.link != 0)) {
        throw std::runtime_error(
            "--device cuda is for --model dense and --method all-reduce, in floats that travel as "
            "such or as bfloat16, without --count and --link");
    }
    if (s.on == processor::device) {
        refuse(app, {"--straggle", "--average-every"}, " is for processors");
    }
}

}  // namespace

void complete(CLI::App const& app, settings& s) {
    fill_in(app, s);
    auto const expect = [&](char const* name, bool has_effect, char const* with) {
        if (has_effect) { return; }
        refuse(app, {name}, std::string(" has no effect without ") + with);
    };
    expect("--loaders", s.prefetch > 0, "--prefetch of 1 or more");
    expect("--loss-scale", s.precision == format::half || s.wire == format::half,
           "--precision float16 or --compress float16");
    auto const by_factor = s.falls == decay::step || s.falls == decay::exponential;
    expect("--decay-factor", by_factor, "--decay step or exponential");
    expect("--decay-epochs", by_factor, "--decay step or exponential");
    expect("--checkpoint-every", !s.checkpoint.empty(), "--checkpoint");
    check_device(app, s);
    if (s.on_loss == loss::go_on && s.on != processor::host) {
        throw std::runtime_error("--on-loss continue is for processors");
    }
    expect("--staleness", s.how == method::async_server, "--method async");
    expect("--damp", s.how == method::async_server, "--method async");
    expect("--servers", s.how != method::all_reduce, "--method server or async");
    if (s.on_loss == loss::go_on && s.servers > 1) {
        throw std::runtime_error("--on-loss continue is for one server");
    }
    if (s.average_every > 0) {
        refuse(app,
               {"--overlap", "--threshold", "--compress", "--loss-scale", "--checkpoint-every",
                "--on-loss"},
               " is for averages of gradients, not for --average-every");
        if (s.precision == format::half) {
            throw std::runtime_error("--average-every is not for --precision float16");
        }
    }
    if (s.how != method::all_reduce) {
        refuse(app,
               {"--average-every", "--precision", "--compress", "--overlap", "--threshold",
                "--algorithm", "--reproducible", "--loss-scale", "--checkpoint-every"},
               " is for --method all-reduce");
    }
}

}  // namespace trainer
