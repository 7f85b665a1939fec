# SPDX-License-Identifier: BSD-3-Clause
"""Words that the page explains, by pointer, keyboard and touch; and what it prints."""
import json
import pathlib
import re

GLOSSARY = pathlib.Path(__file__).resolve().parents[2] / "docs/glossary.md"


def expect(true, words):
    if not true:
        raise AssertionError(words)


def meaning(word):
    found = re.search(rf"^- \*\*{re.escape(word)}\*\*: (.*(?:\n  .*)*)", GLOSSARY.read_text(), re.M)
    return f"{word}: " + re.sub(r"[*`]", "", re.sub(r"\s+", " ", found[1]))


def tip(d):
    return d.page.eval_on_selector("#term-tip", "e => (e.hidden ? null : e.innerText)")


def marked(d, view):
    return d.page.eval_on_selector_all(f"#view-{view} .term", "all => all.map(e => e.dataset.word)")


def check_words(at):
    """Each view explains words, each once, with the text of the glossary; the foot lists all of them."""
    with at.open("#algorithm=ring,tree&ranks=6&round=2") as d:
        for view in d.tabs():
            d.go(view)
            d.until(f"document.querySelector('#view-{view} .term') !== null")
            words = marked(d, view)
            expect(len(words) == len(set(words)), f"{view}: {words}")
        d.go("data")
        d.until("document.querySelector('#view-data .term[data-word=chunk]') !== null")
        chunk, rank = "#view-data .term[data-word=chunk]", "#view-data .term[data-word=rank]"
        d.page.hover(chunk)
        expect(tip(d) == meaning("chunk"), f"the pointer shows {tip(d)}")
        d.page.hover("h1")
        d.until("document.getElementById('term-tip').hidden")
        d.reach(chunk)
        expect(tip(d) == meaning("chunk"), f"the focus shows {tip(d)}")
        described = d.page.evaluate("document.activeElement.getAttribute('aria-describedby')")
        expect(described == "term-tip", f"the word is described by {described}")
        d.press("Escape")
        expect(tip(d) is None, "Escape leaves it")
        d.press("Enter")
        expect(tip(d) == meaning("chunk"), "Enter does not show it again")
        d.page.hover(rank)
        expect(tip(d) == meaning("chunk"), "what a key showed goes away by itself")
        # A change redraws the view: the word is there again, and has the focus.
        d.press("ArrowRight")
        d.until("location.hash.includes('round=3') && document.activeElement.dataset.word === 'chunk'")
        d.activate(".foot details:nth-of-type(2) summary")
        listed = d.text(".foot details[open]")
        for word in ("bandwidth-optimal", "fair sharing", "all-reduce"):
            expect(meaning(word)[len(word) + 2:] in listed, f"the foot lacks {word}")
    with at.open("#algorithm=ring&ranks=6", viewport={"width": 360, "height": 740}, has_touch=True) as d:
        d.until("document.querySelector('#view-data .term[data-word=chunk]') !== null")
        d.page.tap("#view-data .term[data-word=chunk]")
        expect(tip(d) == meaning("chunk"), f"a touch shows {tip(d)}")
        box = d.page.eval_on_selector("#term-tip", "e => { const b = e.getBoundingClientRect(); return [b.left, b.right]; }")
        expect(box[0] >= 0 and box[1] <= 360, f"it stands at {box}")
        d.page.tap("h1")
        expect(tip(d) is None, "a touch elsewhere leaves it")


def check_paper(at):
    """What is printed of all views: each on its own pages, proved, in light colours, without what cannot be used there."""
    with at.open("#algorithm=ring,tree&ranks=6&round=2&theme=dark") as d:
        d.page.evaluate("window.print = () => { window.printed = true; }")
        d.activate("#share")
        d.activate("#print-all")
        d.until("window.printed === true")
        d.page.emulate_media(media="print")
        d.until("!document.documentElement.classList.contains('dark')")
        shown = d.page.eval_on_selector_all(".view", "all => all.filter(e => !e.hidden).map(e => e.id.slice(5))")
        expect(shown == ["data", "time", "links", "cost", "proof"], f"{shown}")
        text = d.text("#view")
        for words in ("Rank 4 sends its whole vector", "ends first", "What each link carries", "Counted exactly", "Proved"):
            expect(words in text, f"the print lacks {words!r}")
        expect("Looking where" not in text and "Prove it" not in text, "the print is not finished")
        seen = d.page.eval_on_selector_all("button, summary, input[type=range], input[type=file]",
                                           "all => all.filter(e => e.offsetParent && !e.closest('details[open]')).map(e => e.id || e.innerText)")
        expect(seen == [], f"there is on paper {seen}")
        # Paper may be narrower than the window in which the timelines were drawn: then they are smaller, with the moment in its place.
        wide = d.page.evaluate("""() => {
            const panels = document.querySelector(".time-panels"), place = panels.querySelector(".t-lanes");
            const at = () => { const [m, b] = [place.querySelector(".t-moment"), place].map((e) => e.getBoundingClientRect()); return (m.left - b.left) / b.width; };
            const before = at();
            panels.style.width = "500px";
            const found = [...panels.querySelectorAll(":scope > svg, .t-lanes > svg")].map((e) => e.getBoundingClientRect().width), moved = Math.abs(at() - before);
            panels.style.width = "";
            return [Math.max(...found), moved];
        }""")
        expect(wide[0] <= 500 and wide[1] < 0.01, f"a timeline is {wide[0]} pixels wide on paper of 500, and the moment is off by {wide[1]}")
        pages = d.page.pdf(format="A4").count(b"/Type /Page\n")
        expect(5 <= pages <= 9, f"{pages} pages")
        d.page.emulate_media(media="screen")
        d.page.evaluate("dispatchEvent(new Event('afterprint'))")
        d.until("document.querySelectorAll('.view:not([hidden])').length === 1")
        expect(d.state()["theme"] == "dark", "the state is another one")


def check_tour(at):
    """The tour by keyboard: each step is a state that the page takes without complaint, and what it says is so."""
    with at.open() as d:
        d.activate("#tour")
        steps = []
        while True:
            d.settle()
            expect(d.page.eval_on_selector("#complaints", "e => e.innerText") == "", f"{d.state()}")
            steps.append(d.text(".tour p"))
            fragment = d.page.evaluate("location.hash")
            if len(steps) == 2:
                f = d.figures()
                expect(int(f["busiestSent"]) * 2 == 3 * 1048576 and f["busiestSent"] == f["boundSent"] and "1.5 vectors" in steps[-1], f"{f}")
                # What is quoted as something to open is a button that opens it.
                d.reach(".tour p button")
                d.press("Enter")
                opened = d.page.evaluate("[document.activeElement.tagName, document.activeElement.innerText, document.getElementById('why-not-less').open]")
                expect(opened == ["SUMMARY", "Why can nobody send less?", True], f"{opened}")
                expect(d.page.evaluate("document.activeElement.getBoundingClientRect().bottom < innerHeight"), "what was opened is not seen")
                d.page.focus("#tour-next")
            if len(steps) in (3, 4):
                first = ("ring", "tree")[len(steps) - 3]
                d.until(f"document.getElementById('verdict').innerText.startsWith('{first} ends first')")
                expect(f"the {first} is done first" in steps[-1], steps[-1])
            if len(steps) == 4:  # the crossing is where the visitor is
                d.until("/below/.test(document.getElementById('crossing').innerText)")
                expect(d.text("#crossing") in steps[-1] and "Cost" not in steps[-1], steps[-1])
            if d.text("#tour-next") == "Done":
                break
            d.press("Enter")
            d.until(f"location.hash !== '{fragment}'")
        expect(len(steps) == 6 and steps[0].startswith("1 of 6."), f"{steps}")
        d.activate("#tour-back")
        expect("5 of 6" in d.text(".tour p") and d.state() == {"view": "write"}, f"{d.state()}")
        d.activate("#tour-close")
        expect(d.page.evaluate("document.activeElement.id") == "tour", "the focus is lost")


def check_tour_waits(at):
    """On another tab the tour says that it waits, and leads back; it goes on where it was."""
    with at.open() as d:
        d.activate("#tour")
        for _ in range(2):
            d.press("Enter")
            d.settle()
        d.until("document.querySelector('.tour p').innerText.startsWith('3 of 6. ')")
        said = d.text(".tour p")
        d.page.click("#tab-links")
        expect(d.text(".tour p") == "The tour waits at step 3 of 6: put a tree beside it.", d.text(".tour p"))
        expect(not d.page.is_visible("#tour-next") and not d.page.is_visible("#tour-back"), "it goes on from elsewhere")
        d.page.click("#tab-time")
        expect(d.text(".tour p").startswith("3 of 6. "), "the tab of the step is another place")
        d.page.click("#tab-data")
        d.activate("#tour-again")
        d.until("!document.getElementById('view-time').hidden")
        d.until(f"document.querySelector('.tour p').innerText === {json.dumps(said)}")
        expect(d.page.evaluate("document.activeElement.id") == "tour-next", "the focus is lost")
        d.page.click("#tour-back")
        d.page.click("#tour-back")
        d.settle()
        expect(d.page.evaluate("document.activeElement.id") == "tour-next" and d.page.is_disabled("#tour-back"), "a button that does nothing keeps the focus")


def check_ring_tour(at):
    """The short tour: what it says of the ring is what the page counts and times there."""
    with at.open() as d:
        d.activate("#tour-ring")
        steps = []
        while True:
            d.until(f"document.querySelector('.tour p').innerText.startsWith('{len(steps) + 1} of 5')")
            d.settle()
            steps.append(d.text(".tour p"))
            expect(d.page.eval_on_selector("#complaints", "e => e.innerText") == "", f"{d.state()}")
            f, said = d.figures(), steps[-1]
            sent, least = int(f["busiestSent"]) / int(d.state().get("bytes", 2**20)), f["busiestSent"] == f["boundSent"]
            if len(steps) == 2:
                expect(f"{sent:g} vectors" in said and least and "it is bandwidth-optimal" in said and "2 \u00d7 3/4 = 1.5 vectors" in said, said)
            if len(steps) == 3:
                expect(f"a ring sends {sent:.4g} vectors: 2 \u00d7 63/64" in said and "That of a tree sends 6. But the ring has 126 rounds, the tree 12." in said, said)
            if len(steps) in (4, 5):
                who = ("tree", "ring")[len(steps) - 4]
                d.until(f"document.getElementById('verdict').innerText.startsWith('{who} ends first')")
                after = re.search(r"after ([\d.]+ \S+)", d.text("#verdict"))[1]
                expect(f"the {who} is done first, after {after};" in said, f"{said} {after}")
            if len(steps) == 5:
                d.until("document.getElementById('crossing').innerText.startsWith('With ')")  # "Looking where ..." before
                expect(d.text("#crossing") in said, f"{said} {d.text('#crossing')}")
                break
            d.press("Enter")
        expect(d.text("#tour-next") == "Done" and len(" ".join(steps).split()) < 300, f"{steps}")
        d.press("Enter")
        expect(d.page.evaluate("document.activeElement.id") == "tour-ring", "the focus is lost")
