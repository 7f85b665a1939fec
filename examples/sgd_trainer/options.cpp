// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "choice.hpp"
#include "compare/options.hpp"
#include "option_checks.hpp"
#include "studies/options.hpp"

#include "../../tools/launched/launched.hpp"
#include "../../tools/load/load.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <stdexcept>
#include <string>

namespace trainer {
namespace {

std::map<std::string, format> const formats{
    {"float", format::single}, {"float16", format::half}, {"bfloat16", format::brain}};

void add_ranks(CLI::App& app, settings& s) {
    auto const g = "Ranks";
    choice<transport>(app, "--transport", s.where,
                      "shm (processes, the default), threads; or, of ranks that mpiexec, srun, "
                      "torchrun or collrun started: mpi (the default under mpiexec), ucx, hosts "
                      "(ucx between them, memory inside each), join (what COLLECTIVES_TRANSPORT "
                      "says, else memory on one machine and ucx on several)",
                      {{"shm", transport::processes},
                       {"threads", transport::threads},
                       {"join", transport::joined},
                       {"mpi", transport::mpi},
                       {"ucx", transport::ucx},
                       {"hosts", transport::hosts}})
        ->group(g);
    app.add_option("--ranks", s.ranks, "how many, unless they join")
        ->check(CLI::Range(1, 64))
        ->capture_default_str()
        ->group(g);
    choice<loss>(
        app, "--on-loss", s.on_loss,
        "of a rank: end (the default), or continue: the others take over its images and go "
        "on from the last step",
        {{"end", loss::end}, {"continue", loss::go_on}})
        ->group(g);
    app.add_option("--data-path", s.data_path, "the file or folder of the data")->group(g);
}

void add_straggler(CLI::App& app, settings& s) {
    auto const read = [&s](std::string const& text) {
        auto const colon = text.find(':');
        auto const rank = text.substr(0, colon);
        auto factor = colon == text.npos ? "" : text.substr(colon + 1);
        if (factor.ends_with('x')) { factor.pop_back(); }
        bool const reads = CLI::detail::lexical_cast(rank, s.straggler.rank) &&
                           CLI::detail::lexical_cast(factor, s.straggler.factor);
        bool const fits = s.straggler.factor >= 1 && s.straggler.factor <= 1000;
        if (!reads || s.straggler.rank < 0 || !fits) {
            throw CLI::ValidationError(
                "--straggle", "'" + text + "' is no rank and factor from 1 to 1000, as 2:3x");
        }
    };
    app.add_option_function<std::string>(
           "--straggle", read, "RANK:FACTOR, as 2:3x: that rank takes so many times as long")
        ->group("Communication");
}

void add_training(CLI::App& app, settings& s) {
    auto const number = [&](char const* group, char const* name, auto& to, char const* help,
                            double least, double most) {
        return app.add_option(name, to, help)
            ->check(CLI::Range(least, most))
            ->capture_default_str()
            ->group(group);
    };
    auto const g = "Model and data";
    app.add_option(
           "--data", s.data,
           "digits; fashion: Fashion-MNIST; with --data-path mnist, cifar10; the file or folder of "
           "a set itself; or synthetic:IMAGESxSIDExSIDE, made from the seed without a file (with "
           "x3 after it in colour; synthetic alone is 10000x28x28)")
        ->capture_default_str()
        ->group(g);
    app.add_option("--model", s.model, "dense, or conv: convolutions")
        ->check(CLI::IsMember({"dense", "conv"}))
        ->capture_default_str()
        ->group(g);
    number(g, "--hidden", s.hidden, "units of the hidden layer; 0: 64 for digits, else 128", 0,
           1e5);
    number(g, "--prefetch", s.prefetch, "batches that threads prepare ahead; 0: no thread", 0, 64);
    number(g, "--loaders", s.loaders, "threads of a rank that prepare them", 1, 64);
    number(g, "--disk-rate", s.disk_rate, "bytes per second of each rank's disk; 0: as memory", 0,
           1e12);
    number(g, "--disk-delay", s.disk_delay, "seconds until it answers; of several requests at once",
           0, 10);
    number(g, "--seed", s.seed, "of the first parameters, the shuffling and synthetic images", 0,
           4e9);

    auto const l = "Learning";
    number(l, "--epochs", s.epochs, "how often all images are seen; 30 for digits, else 10", 1,
           1e4);
    number(l, "--batch", s.batch,
           "images of a pass, over all ranks together; 60 for digits, else 128", 1, 1e6);
    number(l, "--accumulate", s.accumulate, "passes per step", 1, 1e4);
    number(l, "--rate", s.rate, "the learning rate", 0, 1e3);
    number(l, "--rate-batch", s.rate_batch,
           "the rate is for steps of so many images and grows with them; 0: for any", 0, 1e6);
    number(l, "--warm-up", s.warm_up, "epochs in which the rate rises", 0, 1e4);
    choice<decay>(app, "--decay", s.falls,
                  "of the rate: none (of digits), step, exponential or cosine (else)",
                  {{"none", decay::none},
                   {"step", decay::step},
                   {"exponential", decay::exponential},
                   {"cosine", decay::cosine}})
        ->group(l);
    number(l, "--decay-factor", s.decay_factor, "of step and exponential decay", 0, 1);
    number(l, "--decay-epochs", s.decay_epochs, "after which the factor has been applied once",
           1e-3, 1e4);
    number(l, "--momentum", s.momentum, "", 0, 1);
    choice<format>(
        app, "--precision", s.precision,
        "of activations, gradients and the weights they see: float, float16 or bfloat16; "
        "the weights that learn are floats",
        formats)
        ->group(l);
    number(l, "--loss-scale", s.loss_scale, "with float16, to begin with", 1, 1e7);

    auto const c = "Communication";
    choice<method>(
        app, "--method", s.how,
        "all-reduce; or by a parameter server, rank 0: server waits for all its workers, "
        "async for none",
        {{"all-reduce", method::all_reduce},
         {"server", method::server},
         {"async", method::async_server}})
        ->group(c);
    number(c, "--servers", s.servers, "ranks that are servers, each with a part of the parameters",
           1, 63);
    number(c, "--staleness", s.staleness,
           "async: so many steps may a worker be ahead of the slowest; -1: any", -1, 1e6);
    app.add_flag("--damp", s.damped, "async: gradients that are staler than usual count less")
        ->group(c);
    number(c, "--average-every", s.average_every,
           "local SGD: ranks learn by themselves and average their weights after so many steps, "
           "instead of gradients in each; 0: off",
           0, 1e6);
    add_straggler(app, s);
    app.add_option("--algorithm", s.algorithm, "of the all-reduce")
        ->capture_default_str()
        ->group(c);
    app.add_option("--threshold", s.threshold, "bytes of a bucket of gradients; 0: each by itself")
        ->capture_default_str()
        ->group(c);
    choice<overlap>(app, "--overlap", s.moves,
                    "what moves gradients while others are computed: calls (as they are handed "
                    "over, the default), thread (one of its own) or off",
                    {{"off", overlap::off}, {"calls", overlap::calls}, {"thread", overlap::thread}})
        ->group(c);
    choice<format>(app, "--compress", s.wire, "what gradients travel as: float, float16, bfloat16",
                   formats)
        ->group(c);
    app.add_flag("--reproducible", s.reproducible, "the same bits whatever the algorithm")
        ->group(c);
    app.add_flag("--count", s.counted, "count the bytes of steps, which are sent as messages then")
        ->group(c);
    number(c, "--link", s.link, "bytes per second of each rank's link; 0: as fast as it goes", 0,
           1e12);

    choice<processor>(app, "--device", s.on,
                      "what computes: cpu (the default), or cuda: a GPU for each rank, or shared; "
                      "dense layers by cuBLAS",
                      {{"cpu", processor::host}, {"cuda", processor::device}});

    auto const o = "Files";
    app.add_option("--checkpoint", s.checkpoint, "is written to here at the end")->group(o);
    number(o, "--checkpoint-every", s.checkpoint_every, "steps, and then too", 0, 1e9);
    app.add_option("--resume", s.resume, "a checkpoint to go on from")->group(o);
    number(o, "--stop-after", s.stop_after, "steps; 0: when all epochs are done", 0, 1e9);
    app.add_option("--log", s.log, "JSON, a line per step and epoch")->group(o);
    app.add_option("--report", s.page, "an HTML page with pictures")->group(o);
}

void add_inference(CLI::App& app, settings& s, bool& speed_up) {
    s.batch = 250;
    app.add_option("--batch", s.batch, "images that a rank classifies at once")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    app.add_flag("--speed-up", speed_up,
                 "instead: images per second over 1, 2, 4 ... ranks, up to --ranks, by batch");
}

void check_speed_up(CLI::App const& app, settings const& s) {
    for (auto const* const name : {"--batch", "--transport", "--on-loss"}) {
        if (app.count(name) == 0) { continue; }
        throw std::runtime_error(std::string(name) + " has no effect with --speed-up");
    }
    if (s.where != transport::processes) {
        throw std::runtime_error("--speed-up is for one process, without a launcher");
    }
}

/// What ranks the launcher says, where the command line does not.
void complete_ranks(CLI::App const& app, settings& s) {
    if (app.count("--transport") == 0 && !launched::mpi_of_launcher().empty()) {
        s.where = transport::mpi;
    }
    bool const starts_them = s.where == transport::processes || s.where == transport::threads;
    if (app.count("--ranks") != 0 && !starts_them) {
        throw std::runtime_error(
            "--ranks has no effect without --transport shm or threads: the launcher says how many "
            "join");
    }
}

}  // namespace

std::optional<command> read_command(int argc, char** argv, int& status) {
    command c;
    CLI::App app(
        "Data-parallel SGD on real images. Without a subcommand: the digits with every all-reduce "
        "algorithm, counted, timed and drawn");
    app.require_subcommand(0, 1);
    add_comparison(app, c.compare);
    load::option(app);
    auto& train = *app.add_subcommand("train", "train as the options say");
    add_training(train, c.train);
    add_ranks(train, c.train);
    load::option(train);
    auto& infer = *app.add_subcommand("infer", "classify the test images over ranks");
    infer.add_option("checkpoint", c.train.resume, "what has been learnt")->required();
    auto& study = *app.add_subcommand("study", "tables and plots for docs/studies, in minutes");
    studies::add_options(study, c.study);
    auto& differ = *app.add_subcommand("differ", "how far two checkpoints' parameters lie apart");
    differ.add_option("one", c.differ.one)->required();
    differ.add_option("other", c.differ.other)->required();
    differ.add_option("--tolerance", c.differ.tolerance, "more than that is a failure")
        ->capture_default_str();
    settings elsewhere;  // infer has options of the same names as train
    add_ranks(infer, elsewhere);
    add_inference(infer, elsewhere, c.speed_up);
    try {
        app.parse(argc, argv);
    } catch (CLI::ParseError const& e) {
        status = app.exit(e) == 0 ? 0 : 2;
        return {};
    }
    for (auto const* const before : app.get_options()) {  // they are those of the comparison
        auto const& name = before->get_name();
        if (!app.get_subcommands().empty() && before->count() != 0 && name != "--load") {
            throw std::runtime_error(name + " has no effect before a subcommand");
        }
    }
    if (train) {
        c.does = command::what::train;
        complete_ranks(train, c.train);
        complete(train, c.train);
    } else if (infer) {
        c.does = command::what::infer;
        complete_ranks(infer, elsewhere);
        if (c.speed_up) { check_speed_up(infer, elsewhere); }
        elsewhere.resume = c.train.resume;
        c.train = elsewhere;
    } else if (study) {
        c.does = command::what::study;
    } else if (differ) {
        c.does = command::what::compare_checkpoints;
    }
    return c;
}

}  // namespace trainer
