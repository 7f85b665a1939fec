# SPDX-License-Identifier: BSD-3-Clause
"""Prices, late ranks and slow links of the clock; networks and what their links carry; the documented keys of a link."""
import pathlib
import re

TREE = pathlib.Path(__file__).resolve().parents[2]
TOPOLOGIES = ["crossbar", "ring", "torus", "torus:2x4", "fat_tree:4:2", "hosts:4"]


def expect(true, words):
    if not true:
        raise AssertionError(words)


def check_prices(at):
    """By keyboard: a preset changes the times, a late rank and a slow link cost what the page says, and go away again."""
    with at.open("#algorithm=ring,tree&ranks=6&view=time") as d:
        said = {}
        presets = d.page.eval_on_selector_all("#network option", "all => all.map(o => o.value)")
        expect({"ethernet", "infiniband", "nvlink", "shared"} <= set(presets), f"{presets}")
        for preset in presets:
            d.choose("#network", preset)
            d.settle()
            said[preset] = d.text("#verdict")
        expect(len(set(said.values())) == len(presets), f"{said}")
        d.choose("#network", "infiniband")
        total = lambda: d.page.eval_on_selector_all(".t-parts tbody tr", "all => all.map(r => r.children[1].textContent)")
        before = total()
        for key, words in (("late", "late"), ("slow", "the link from")):
            d.activate(f".t-unusual:nth-of-type({1 if key == 'late' else 2}) > button")
            d.until(f"location.hash.includes('{key}=')")
            d.settle()
            expect(words in d.text("#unusual").lower() and "That costs ring" in d.text("#unusual"), d.text("#unusual"))
            expect(total() != before, f"{key}: the times are as before")
            d.activate(f".t-unusual [aria-label^='Remove: {'rank' if key == 'late' else 'link'}']")
            d.until(f"!location.hash.includes('{key}=')")
            d.settle()
            expect(total() == before and not d.page.is_visible("#unusual"), f"{key}: removed, and {total()} instead of {before}")
        # By time: the player goes from arrival to arrival, and the pictures follow.
        d.choose("#clock", "time")
        d.activate("#player-next")
        first = float(d.state()["time"])
        d.press("Enter")
        expect(float(d.state()["time"]) > first > 0, f"{d.state()}")
        d.go("data")
        expect("steps are over" in d.text("#view-data"), d.text("#view-data")[:300])


def check_networks(at):
    """On each network: the busiest link is marked where not all are alike, the table has it first; fair sharing is no quicker than the bound."""
    for topology in TOPOLOGIES:
        with at.open(f"#algorithm=two_shot&ranks=8&view=links&topology={topology}&bytes=8388608") as d:
            d.page.click("#view-links summary:text-is('Links as a table')")
            rows = d.page.eval_on_selector_all("#view-links details[open] tbody tr", "all => all.map(r => [...r.children].map(c => c.textContent))")
            loads = [float(re.match(r"[\d.,]+", r[-1].replace(",", ""))[0]) for r in rows]
            expect(len(rows) >= 2 and loads == sorted(loads, reverse=True), f"{topology}: {rows[:3]}")
            marked, alike = d.page.eval_on_selector_all("#view-links .net .busiest", "all => all.length"), "Each of the" in d.text("#view-links .net-card")
            expect((marked > 0) != alike, f"{topology}: {marked} links are marked, and all are {'' if alike else 'not '}alike")
            factor = lambda: float(m[1]) if (m := re.search(r"in ([\d.]+) times the time", d.text("#view-links"))) else 1.0
            bound = factor()
            d.choose("#sharing", "fair")
            expect("by fair sharing (max-min)" in d.text("#view-links") and factor() >= bound, f"{topology}: {factor()} by fair sharing, {bound} is the bound")
            expect(topology != "hosts:4" or bound > 1.5, f"two hosts with one card each: {bound}")


def check_documented_keys(at):
    """docs/explorer_links.md has each key that the page declares, with its first value."""
    documented = {}
    for keys, first in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|.*\| (.*) \|$", (TREE / "docs/explorer_links.md").read_text(), re.M):
        for key in re.findall(r"`(\w+)`", keys):
            documented[key] = first
    declared = set()
    for file in (TREE / "explorer/page").glob("*.js"):
        for block in re.findall(r"declare\(\{(.*?)\n?\s*\}\);", file.read_text(), re.S):
            declared |= set(re.findall(r"(?:^|[\s,{])(\w+): (?:\{ initial|price\()", block))
    expect(len(declared) > 30 and declared == {k for k in documented if k in declared} and "algorithm" in documented, f"without a word in the document: {declared - set(documented)}")
    with at.open() as d:
        expect(d.page.evaluate("location.hash") == "", "a first value stands in the link")
        for key, first in documented.items():
            value = re.fullmatch(r"`(\S+)`.*", first)
            if key in declared and value:
                d.page.evaluate("hash => { location.hash = hash; }", f"#ranks=5&{key}={value[1]}")
                d.until(f"location.hash.includes('{key}=')")
                d.page.wait_for_timeout(20)
                expect(d.text("#complaints") == "", f"{key}={value[1]}: {d.text('#complaints')}")
        expect(re.search(r"Computed in your browser by collectives \d+\.\d+\.\d+", d.text("#computed")), d.text("#computed"))
    return f"{len(declared)} keys"
