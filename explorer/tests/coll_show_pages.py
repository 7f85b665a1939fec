# SPDX-License-Identifier: BSD-3-Clause
"""Pages that coll_show writes: opened at what it was asked for."""
import pathlib
import subprocess

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tests/tools"


def expect(true, words):
    if not true:
        raise AssertionError(words)


def written(at, *arguments):
    """The page of coll_show with these arguments; none where there is no coll_show to write it."""
    file = at.folder / "page.html"
    subprocess.run([at.coll_show, *arguments, "--html", file], check=True, stdout=subprocess.DEVNULL)
    return file


def check_coll_show(at):
    if at.coll_show is None:
        return "left out: there is no coll_show"
    file = written(at, "tree", "6", "--collective", "reduce", "--root", "2", "--bytes", "4096", "--compare", "star")
    with at.open(file=file) as d:
        said = d.text("#controls"), d.figures()
        shown = d.page.evaluate("[...document.querySelectorAll('select, input')].map(e => e.value)")
        expect({"tree", "star", "reduce", "6", "2"} <= set(shown), f"{said} {shown}")
    with at.open("#algorithm=ring&ranks=3", file=file) as d:  # a link goes before
        expect(d.figures()["rounds"] == "4", f"{d.figures()}")


def check_coll_show_loaded(at):
    if at.coll_show is None:
        return "left out: there is no coll_show"
    file = written(at, "--load", TOOLS / "pairwise.hpp", "pairwise", "5", "--compare", "ring")
    with at.open(file=file) as d:
        expect(d.figures()["proof"] == "ok" and d.figures()["rounds"] == "8", f"{d.figures()}")
        d.fill("#ranks", 6)  # the editor reads it
        d.await_figures(rounds="10", proof="ok")
    # The editor does not know sizeof, so the page has the steps of one case.
    strange = at.folder / "strange.hpp"
    text = (TOOLS / "pairwise.hpp").read_text().replace('"pairwise"', '"strange"')
    strange.write_text(text.replace("for (int r = 0;", "static_cast<void>(sizeof(int)); for (int r = 0;", 1))
    file = written(at, "--load", f"{strange}:pairwise", "strange", "5")
    with at.open(file=file) as d:
        expect(d.figures()["proof"] == "ok" and d.figures()["rounds"] == "8", f"{d.figures()}")
        d.fill("#ranks", 6)
        d.until("document.getElementById('complaints').innerText.includes('strange.hpp, line')")


def check_coll_show_trace(at):
    if at.coll_show is None:
        return "left out: there is no coll_show"
    file = written(at, "ring", "4", "--trace", TOOLS / "ring_4_trace.json")
    with at.open(file=file) as d:
        d.go("time")
        d.until("/measured/i.test(document.getElementById('view-time').innerText)")
