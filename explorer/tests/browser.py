# SPDX-License-Identifier: BSD-3-Clause
"""browser.py PAGE [COLL_SHOW] [--only NAME] [--seed N]: uses the page as a person does. Started by explorer/tests/browser.
One check of 12 by the day, and that each tab opens; all with COLLECTIVES_TEST_ALL=1."""
import argparse
import itertools
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import time
import traceback

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

import coll_show_pages
import marked_and_shared
import networks
import stumbled_again
import stumbled_over
import tasks_of_a_user
import timing
import traces_and_views
import words_and_paper
from driven import Driven

MOST_BYTES = 500_000
STATES = ["#algorithm=ring&ranks=4&round=2", "#algorithm=tree,ring&ranks=7&collective=reduce&root=3&round=1",
          "#algorithm=star&ranks=5&collective=all_to_all&round=0", "#algorithm=hierarchical:2&ranks=6&round=3",
          "#algorithm=ring&ranks=40&round=5", "#algorithm=ring,butterfly,two_shot&ranks=8&clock=time"]


def expect(true, words):
    if not true:
        raise AssertionError(words)


def expect_same(text, wanted, words):
    for a, b in itertools.zip_longest(text.split("\n"), wanted.split("\n")):
        expect(a == b, f"{words} shows {a!r} instead of {b!r}")


def check_size(at):
    size = at.file.stat().st_size
    expect(size <= MOST_BYTES, f"the page has {size} bytes, more than {MOST_BYTES}")
    return f"{size / 1000:.0f} KB"


def check_states(at):
    """States of all kinds on each tab: nothing on the console, no request."""
    for fragment in at.some(STATES, 1):
        with at.open(fragment) as d:
            expect(d.figures()["proof"] == "ok", f"{fragment}: {d.figures()}")
            for tab in d.tabs():
                d.page.click(f"#tab-{tab}")
                d.settle()
                d.page.wait_for_timeout(30)
                expect(d.text(f"#view-{tab}").strip() != "", f"{fragment}: the tab {tab} is empty")


def check_every_algorithm(at):
    """What the page says of each algorithm and collective: proved, and not below the bound."""
    with at.open() as d:
        names = d.page.eval_on_selector_all("#algorithm-0 option", "all => all.map(o => o.value)")
        collectives = d.page.eval_on_selector_all("#collective option", "all => all.map(o => o.value)")
        expect(len(names) >= 11 and len(collectives) >= 10, f"{names} {collectives}")
        for name in names:
            for what in collectives:
                d.page.evaluate("hash => { location.hash = hash; }",
                                f"#algorithm={name}{'3' if name.endswith(':') else ''}&ranks=6&collective={what}")
                d.until(f"location.hash.includes('collective={what}')")
                d.page.wait_for_timeout(5)
                f = d.figures()
                expect(f["proof"] == "ok" and int(f["busiestSent"]) >= int(f["boundSent"]), f"{name} {what}: {f}")
        return f"{len(names) * len(collectives)} cases"


def check_restored(at):
    """A URL gives the same page again, and Back the page before."""
    with at.open() as d:
        names = d.page.eval_on_selector_all("#algorithm-0 option", "all => all.map(o => o.value)")
        d.choose("#algorithm-0", "butterfly")
        d.fill("#ranks", 6)
        d.activate("#player-next")
        d.press("Enter")
        d.page.keyboard.press("Escape")
        url, text, figures = d.page.evaluate("location.hash"), d.text("#view-data"), d.figures()
        expect(d.state().get("round") == "1", url)
        d.choose("#algorithm-0", "ring")
        expect(d.text("#view-data") != text, "another algorithm looks the same")
        for _ in names:  # each that the arrow key passed
            d.page.go_back()
            if d.page.evaluate("location.hash") == url:
                break
        for _ in range(100):
            if d.text("#view-data") == text:
                break
        expect_same(d.text("#view-data"), text, "Back")
    with at.open(url) as d:
        expect_same(d.text("#view-data"), text, url)
        expect(d.figures() == figures, f"{url}: {d.figures()}, not {figures}")


def check_wrong_urls(at):
    for fragment in ("#algorithm=rong", "#ranks=0", "#ranks=1000", "#colour=red", "#collective=all_reduced",
                     "#algorithm=hierarchical:4&ranks=6", "#round=99999&ranks=3", "#algorithm=%00%3Cb%3E", "#ranks=%zz"):
        with at.open(fragment) as d:
            said = d.text("#complaints")
            expect(said.strip() != "" or fragment.startswith("#round"), f"{fragment}: nobody complains")
            expect(d.page.locator("#complaints b").count() == 0, f"{fragment}: the link's text became a part of the page")


def check_accessible(at):
    count = 0
    for scheme in ("light", "dark"):
        for tab in at.tabs:
            with at.open(f"#algorithm=ring,tree&ranks=5&round=1&view={tab}", color_scheme=scheme) as d:
                word = f"#view-{tab} .term"
                d.until(f"document.querySelector('{word}') !== null")
                d.page.hover(f"{word} >> nth=0")
                found = Axe().run(d.page).response["violations"]
                words = [f"{v['id']}: {n['html'][:150]}" for v in found for n in v["nodes"][:2]]
                expect(not found, f"{tab}, {scheme}: " + "\n      ".join(words))
                count += 1
    return f"{count} pages"


def check_narrow(at):
    """360 pixels wide: nothing to scroll sideways."""
    for tab in at.tabs:
        with at.open(f"#algorithm=ring,tree&ranks=8&round=1&view={tab}", viewport={"width": 360, "height": 740},
                     has_touch=True) as d:
            d.page.wait_for_timeout(50)
            wide = d.page.evaluate("document.documentElement.scrollWidth")
            widest = d.page.evaluate("""() => [...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right
                > innerWidth + 1).slice(0, 3).map((e) => e.outerHTML.slice(0, 80))""")
            expect(wide <= 360, f"the tab {tab} is {wide} pixels wide: {widest}")


def check_told_once(at):
    """A round is told once, by one live region."""
    with at.open("#algorithm=ring&ranks=4") as d:
        d.page.evaluate("""() => {
            window.told = [];
            const look = new MutationObserver((all) => { for (const m of all) {
                const live = (m.target.nodeType === 1 ? m.target : m.target.parentElement)?.closest("[aria-live], [role=status], output");
                if (live && live.textContent.trim()) { told.push(live.textContent.trim()); }
            } });
            look.observe(document.body, { subtree: true, childList: true, characterData: true });
        }""")
        d.activate("#player-next")
        d.page.wait_for_timeout(100)
        told = d.page.evaluate("told")
        expect(len(told) == 1 and re.search(r"rank|round", told[0]), f"a round is told as {told}")


def day_seed():
    """The seed of the tests that run in turn."""
    return int(os.environ.get("COLLECTIVES_TEST_SEED") or time.time() // 86400)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("coll_show", nargs="?", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    options = parser.parse_args()
    others = vars(timing) | vars(tasks_of_a_user) | vars(marked_and_shared) | vars(words_and_paper) | vars(coll_show_pages) | vars(stumbled_over) | vars(stumbled_again) | vars(traces_and_views) | vars(networks)
    checks = {n: f for n, f in (globals() | others).items()
              if n.startswith("check_") and options.only in n}
    whole, day = os.environ.get("COLLECTIVES_TEST_ALL") == "1", day_seed()
    if not whole and not options.only:    # all take six minutes
        checks = {n: f for i, (n, f) in enumerate(checks.items()) if i % 12 == day % 12 or f is check_states}
    failed = 0
    with sync_playwright() as p, tempfile.TemporaryDirectory() as room:
        browser = p.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        print(json.dumps({"chromium": browser.version, "seed": options.seed, "day": day, "checks": len(checks)}))

        class at:
            file, coll_show, folder = options.page, options.coll_show, pathlib.Path(room)
            tabs = []

            @staticmethod
            def some(of, count):
                """So many of a list, by the seed; all of it with COLLECTIVES_TEST_ALL=1."""
                return of if whole else random.Random(options.seed).sample(of, count)

            @staticmethod
            def open(fragment="", file=options.page, **context):
                return Driven(browser, file, fragment, **context)

        with at.open() as d:
            at.tabs = d.tabs()
        for name, check in checks.items():
            began = time.monotonic()
            try:
                said = check(at) or ""
                print(f"{name[6:]:24} {time.monotonic() - began:5.1f} s  {said}", flush=True)
            except Exception as e:  # of any kind: the other checks go on
                failed += 1
                where = traceback.extract_tb(e.__traceback__)[-1]
                print(f"FAILED: {name[6:]}: {e} ({pathlib.Path(where.filename).name}:{where.lineno})", flush=True)
        browser.close()
    sys.exit(1 if failed else 0)


main()
