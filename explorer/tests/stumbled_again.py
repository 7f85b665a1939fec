# SPDX-License-Identifier: BSD-3-Clause
"""What a second reader without any help stumbled over: the text during a tour, the lines of a mistake, what plays and what is compared."""
from stumbled_over import HEAD, LEFT_RING, expect

# A ring whose sums never go back: chunk 0 of rank 0 is right alone, and no step that is there is at fault.
ONE_WAY = HEAD + LEFT_RING[:LEFT_RING.rindex("        for (int r")] + "    }\n};\n"


def write(d, text):
    """Puts in a text as a person pastes it, and waits until the page has it in its address."""
    d.page.focus("#write-text")
    d.press("Control+a")
    d.page.keyboard.insert_text(text)
    d.until("location.hash.includes('source=')")
    d.settle()


def tops(d, css):
    return d.page.eval_on_selector(css, "e => e.getBoundingClientRect().top")


def check_text_outlives_tours(at):
    """A tour leaves the text as it is, also one that was typed just before; Undo takes back what was typed, and never adds to it."""
    with at.open("#algorithm=ring&ranks=4&view=write") as d:
        first = d.page.input_value("#write-text")
        write(d, HEAD + LEFT_RING)
        d.page.keyboard.insert_text("// the end\n")
        typed = HEAD + LEFT_RING + "// the end\n"
        for tour, steps in (("#tour-ring", 5), ("#tour", 6)):
            d.page.click(tour)
            for step in range(2, steps + 1):
                d.page.click("#tour-next")
                d.until(f"document.querySelector('.tour p').innerText.startsWith('{step} of {steps}')")
                if (tour, step) == ("#tour", 5):
                    expect("Your own text is still there" in d.text(".tour p"), d.text(".tour p"))
                    expect(d.page.input_value("#write-text") == typed, "the tour shows another text")
            d.page.click("#tour-close" if tour == "#tour-ring" else "#tour-next")
            d.page.click("#tab-write")
            expect(d.page.input_value("#write-text") == typed, f"after {tour} the text has {len(d.page.input_value('#write-text'))} characters")
        expect("\u2713 left" in d.text("#view-write .said"), d.text("#view-write .said"))
        # The address has it too.
        d.page.reload()
        d.until("window.shownAt !== undefined")
        expect(d.page.input_value("#write-text") == typed, "the address has another text")
    with at.open("#algorithm=ring&ranks=4&view=write") as d:
        write(d, HEAD + LEFT_RING)
        d.page.click("#tour-ring")
        d.page.click("#tour-close")
        d.page.click("#tab-write")
        d.page.click("#write-undo")
        d.until(f"document.getElementById('write-text').value.length === {len(first)}")
        expect(d.page.input_value("#write-text") == first, "Undo gives another text")
        # A text from elsewhere, here the browser's Back, takes its place in the history.
        write(d, HEAD + LEFT_RING)
        d.page.evaluate("location.hash = '#ranks=4&view=write'")
        d.until(f"document.getElementById('write-text').value.length === {len(first)}")
        d.page.click("#write-undo")
        expect(d.page.input_value("#write-text") == HEAD + LEFT_RING, "Undo does not give back what a link replaced")
        d.page.click("#write-undo")
        expect(d.page.input_value("#write-text") == first, "two Undo give another text")


def check_lines_of_mistake(at):
    """A mistake has a link to its lines where there are any: it names the ranks, goes to the line; mended, the ranks are as before."""
    with at.open("#algorithm=ring&ranks=8&view=write", viewport={"width": 1280, "height": 700}) as d:
        write(d, ONE_WAY)
        d.until("document.querySelector('[id^=write-show-]') !== null")
        expect("sends chunk" in d.text(".results .mistakes") or "lacks" in d.text(".results .mistakes"), d.text(".results .mistakes"))
        expect(d.page.query_selector("[id^=write-lines-]") is None, "a link to lines, but none is at fault")
        # A text longer than the editor, with the mistake in its last lines.
        wrong = HEAD + "\n" * 60 + LEFT_RING.replace("recv_copy", "recv_reduce")
        write(d, wrong)
        d.until("document.querySelector('[id^=write-lines-]') !== null")
        link = d.text("[id^=write-lines-]")
        expect(link.endswith(" with 3 ranks") or link.endswith(" with 2 ranks"), link)
        d.page.evaluate("scrollTo(0, document.body.scrollHeight)")
        d.page.click("[id^=write-lines-]")
        d.settle()
        seen = d.page.evaluate("""() => {
            const line = document.querySelector(".editor .under .wrong"), box = line.getBoundingClientRect(), all = [...line.parentNode.children];
            const paper = document.querySelector(".editor .paper"), on = paper.getBoundingClientRect(), field = document.getElementById("write-text");
            return { line: all.indexOf(line), top: Math.max(0, on.top), bottom: Math.min(innerHeight, on.bottom), at: [box.top, box.bottom], strayed: paper.scrollTop,
                     caret: field.value.slice(0, field.selectionStart).split("\\n").length - 1, focus: document.activeElement.id };
        }""")
        expect(seen["top"] <= seen["at"][0] and seen["at"][1] <= seen["bottom"] and seen["strayed"] == 0, f"the line is out of sight: {seen}")
        expect(seen["line"] == seen["caret"] and seen["focus"] == "write-text", f"{seen}")
        shown = d.state()["ranks"]
        expect(shown in link and f"{shown} ranks now" in d.text("#ranks-changed"), d.text("#ranks-changed"))
        write(d, HEAD + LEFT_RING)
        d.until("location.hash.includes('ranks=8')")
        expect("It is right: 8 ranks again." in d.text("#ranks-changed") and "Counted: 8 ranks" in d.text("#view-write .results"), d.text("#ranks-changed"))
        d.page.click("#tab-data")
        expect(d.text("#ranks-changed") == "", d.text("#ranks-changed"))
        # On a phone the line is below what stands at the top.
        d.page.click("#tab-write")
        d.page.set_viewport_size({"width": 360, "height": 740})
        write(d, wrong)
        d.until("document.querySelector('[id^=write-lines-]') !== null")
        d.page.click("[id^=write-lines-]")
        d.settle()
        expect(tops(d, ".editor .under .wrong") >= d.page.eval_on_selector("#write-running", "e => e.getBoundingClientRect().bottom") - 1, "the line is covered")
        write(d, HEAD + LEFT_RING)
        d.until("location.hash.includes('ranks=8')")
        d.page.set_viewport_size({"width": 1280, "height": 700})
        # Who chooses other ranks meanwhile keeps them.
        d.page.click("#tab-write")
        write(d, wrong)
        d.until("document.querySelector('[id^=write-lines-]') !== null")
        d.page.click("[id^=write-lines-]")
        d.page.fill("#ranks", "5")
        write(d, HEAD + LEFT_RING)
        d.await_figures(proof="ok")
        expect(d.state()["ranks"] == "5", f"{d.state()}")


def check_crossing_said(at):
    """Which of those shown is quicker: of what network, of how many, and where to see all."""
    with at.open("#algorithm=ring,tree&ranks=8&view=time") as d:
        for network, name in (("infiniband", "InfiniBand"), ("ethernet", "Ethernet"), ("shared", "shared memory")):
            d.page.select_option("#network", network)
            d.until(f"document.getElementById('crossing').innerText.startsWith('With {name}, of these two, ')")
            expect("tree is quicker below about" in d.text("#crossing") and d.text("#crossing").endswith("ring above."), d.text("#crossing"))
        d.page.fill("#field-gap", "3")
        d.press("Tab")
        d.until("document.getElementById('crossing').innerText.startsWith('With this network, of these two, ')")
        d.page.click("#crossing-all")
        expect(not d.page.is_hidden("#view-cost") and -20 < tops(d, "#curves-card") < 300, f"{tops(d, '#curves-card')}")
    with at.open("#algorithm=ring&ranks=8&view=time") as d:
        expect(not d.page.is_visible("#crossing-all"), "one algorithm has no crossing")
        legend, lanes = tops(d, ".time-legend"), tops(d, ".t-lanes")
        expect(legend < lanes, "the legend is below the pictures")
    # What the tour says is of the network that it names, whatever is chosen after it.
    with at.open() as d:
        d.page.click("#tour-ring")
        for step in range(2, 6):
            d.page.click("#tour-next")
            d.until(f"document.querySelector('.tour p').innerText.startsWith('{step} of 5')")
        d.settle()
        expect("With InfiniBand, of these two, tree is quicker below about" in d.text(".tour p"), d.text(".tour p"))


def check_play_it(at):
    """Play it shows the picture from its top, and plays; who wants no motion sees the first round. It stands out only when the text is right."""
    for motion in ("no-preference", "reduce"):
        with at.open("#algorithm=ring&ranks=8&view=write", reduced_motion=motion, viewport={"width": 1280, "height": 700}) as d:
            write(d, HEAD + LEFT_RING)
            d.until("document.querySelector('#write-play.strong') !== null")
            d.page.evaluate("scrollTo(0, document.body.scrollHeight)")
            d.page.click("#write-play")
            if motion == "reduce":
                expect(d.state()["round"] == "0" and d.page.get_attribute("#player-play", "aria-label") == "Play", f"{d.state()}")
            else:
                d.until("location.hash.includes('round=1')")
                expect(d.page.get_attribute("#player-play", "aria-label") == "Pause", "it does not play")
            expect(-5 < tops(d, "#tabs") < 60 and tops(d, "#player") < 700, f"the page stands {tops(d, '#tabs')} pixels off")
            d.page.click("#tab-write")
            write(d, ONE_WAY)
            d.until("document.querySelector('#write-play:not(.strong)') !== null")


def check_compare_with_ring(at):
    """A ring comes beside what is shown, which is seen from its top; where it takes another's place, that is said."""
    with at.open("#algorithm=tree&ranks=8&view=write", viewport={"width": 1280, "height": 700}) as d:
        write(d, HEAD + LEFT_RING)
        d.page.evaluate("location.hash = location.hash.replace(/algorithm=[^&]*/, 'algorithm=left,tree')")
        d.until("location.hash.includes('left,tree')")
        d.page.evaluate("scrollTo(0, document.body.scrollHeight)")
        d.page.click("#write-compare")
        expect(d.state()["algorithm"] == "left,tree,ring" and not d.page.is_visible("#replaced"), f"{d.state()}")
        expect(-5 < tops(d, "#tabs") < 60 and 0 < tops(d, "#view-cost .bars") < 400, f"the bars stand at {tops(d, '#view-cost .bars')}")
        d.page.evaluate("location.hash = location.hash.replace(/algorithm=[^&]*/, 'algorithm=left,tree,star').replace('view=cost', 'view=write')")
        d.until("location.hash.includes('left,tree,star')")
        d.page.click("#write-compare")
        expect(d.state()["algorithm"] == "left,tree,ring" and "ring takes the place of star." in d.text("#replaced"), d.text("#replaced"))
        d.page.click("#replaced button")
        expect(d.state()["algorithm"] == "left,tree,star" and not d.page.is_visible("#replaced"), f"{d.state()}")


def check_editor_stays(at):
    """What the page says while one types moves the editor nowhere; a mistake is said in sight, at the line where it is."""
    for width in (1280, 800):
        with at.open("#algorithm=ring&ranks=4&view=write&round=1", viewport={"width": width, "height": 800}) as d:
            places = lambda: d.page.evaluate("""() => [".write-columns", ".write-left", ".editor"].map((css) => document.querySelector(css).getBoundingClientRect().top)
                .map((top, i, all) => Math.round(i === 0 ? top + scrollY : top - all[1]))""")
            before = places()
            for text in (HEAD + LEFT_RING, HEAD + LEFT_RING.replace("{wrap(me + r)}});", "{wrap(me + r)}})", 1), ONE_WAY, HEAD + LEFT_RING):
                write(d, text)
                d.page.wait_for_timeout(300)
                expect(places() == before, f"at {width} pixels the editor moved from {before} to {places()}")
            expect("now plays in place of ring" in d.text("#view-write .instead"), d.text("#view-write"))
            # A semicolon that is missing is missing at the end of its line.
            write(d, HEAD + "\n" * 40 + LEFT_RING.replace("{wrap(me + r)}});", "{wrap(me + r)}})", 1))
            d.until("document.querySelector('.editor .gutter .wrong') !== null")
            line = d.page.eval_on_selector(".editor .gutter .wrong", "e => e.innerText")
            wrong = d.page.input_value("#write-text").split("\n")[int(line) - 1]
            expect(wrong.endswith("{wrap(me + r)}})"), f"line {line}: {wrong}")
            d.page.evaluate("scrollTo(0, document.querySelector('.editor').getBoundingClientRect().bottom + scrollY - 500)")
            d.settle()
            said = d.page.eval_on_selector("#write-running", "e => [e.getBoundingClientRect().top, e.innerText, e.getBoundingClientRect().bottom]")
            expect(said[0] >= 0 and said[2] <= 800 and f"Line {line}: expected ;" in said[1], f"{said}")


def check_words_of_beginners(at):
    """What a beginner asks for: the proof in numbers of the ranks shown, words of networks, what the editor found, the frame of a mistake."""
    for ranks, says in ((4, "3 of the 4 ranks must each send their number at least once before anybody can know the sum; then the sum must be sent to 3 others."),
                        (2, "1 of the 2 ranks must send its number at least once before anybody can know the sum; then the sum must be sent to 1 other.")):
        with at.open(f"#algorithm=ring&ranks={ranks}&view=cost") as d:
            d.page.click("#why-not-less summary")
            expect(says in d.text("#why-not-less"), d.text("#why-not-less"))
    with at.open("#algorithm=ring,tree&ranks=4&view=time") as d:
        d.until("['gap', 'tree'].every((w) => document.querySelector(`#view-time [data-word=\"${w}\"]`) !== null)")
        words = d.page.eval_on_selector_all(".foot dt", "all => all.map(e => e.textContent)")
        missing = {"communicator", "vector", "tree", "bandwidth", "gap", "\u03b1", "\u03b2", "\u03b3"} - set(words)
        expect(not missing, f"{missing} of {words}")
        # A field in which one types has the colour of text, not that of its label.
        colours = d.page.eval_on_selector_all("#bytes, #ranks, #unit", "all => [...new Set(all.map(e => getComputedStyle(e).color))]")
        expect(len(colours) == 1, f"{colours}")
    with at.open("#algorithm=ring&ranks=2&view=write") as d:
        write(d, HEAD + LEFT_RING.replace("recv_copy", "recv_reduce"))
        expect("left is understood. Found: steps. That is an all-reduce" in d.text("#view-write .said"), d.text("#view-write .said"))
        d.page.click("[id^=write-show-]")
        d.until("document.querySelector('#view-data rect.fault') !== null")
        expect("where the checker found the mistake" in d.text("#view-data .legend"), d.text("#view-data .legend"))
        d.page.click("#player-first")
        expect(d.page.query_selector("#view-data rect.fault") is None and "the checker" not in d.text("#view-data .legend"), d.text("#view-data .legend"))


def check_typed_while_playing(at):
    """What is typed while the page plays stays as it was typed, letter by letter, and Undo takes back the last of it."""
    with at.open("#algorithm=ring&ranks=64&view=write&speed=fast", reduced_motion="no-preference") as d:
        write(d, HEAD + LEFT_RING)
        d.page.click("#player-play")
        d.until("location.hash.includes('round=1')")
        d.page.focus("#write-text")
        d.press("Control+End")
        d.page.keyboard.type("// typed while the page plays", delay=60)
        d.page.wait_for_timeout(800)  # two rounds
        typed = HEAD + LEFT_RING + "// typed while the page plays"
        expect(d.page.input_value("#write-text") == typed, repr(d.page.input_value("#write-text")[-60:]))
        d.page.click("#write-undo")
        left = d.page.input_value("#write-text")
        expect(len(left) < len(typed) and typed.startswith(left), repr(left[-60:]))
