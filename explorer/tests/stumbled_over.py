# SPDX-License-Identifier: BSD-3-Clause
"""What readers stumbled over: it stays mended."""
from tasks_of_a_user import WRITTEN

HEAD = "#include <collectives/schedule/step.hpp>\nusing namespace collectives;\n"


def expect(true, words):
    if not true:
        raise AssertionError(words)


def check_not_covered(at):
    """In small windows the player is one line at the edge, and never covers what has the focus."""
    said = []
    for width, height in ((360, 640), (900, 480)):
        for tab in ("data", "time", "links", "cost"):
            with at.open(f"#algorithm=ring,tree&ranks=6&round=2&view={tab}", viewport={"width": width, "height": height}) as d:
                top, bottom = d.page.eval_on_selector("#player", "e => { const b = e.getBoundingClientRect(); return [b.top, b.bottom]; }")
                expect(bottom - top <= 56 and abs(bottom - height) < 1, f"{tab}, {width} x {height}: the player is at {top} to {bottom}")
                stops = 0
                for _ in range(200):
                    d.press("Tab")
                    covered = d.page.evaluate("""() => {
                        const on = document.activeElement, player = document.getElementById("player");
                        if (on === document.body) { return null; }
                        const a = on.getBoundingClientRect(), b = player.getBoundingClientRect();
                        const under = !player.contains(on) && a.bottom > b.top + 1 && a.top < b.bottom - 1;
                        return under && a.height < innerHeight / 2 ? on.outerHTML.slice(0, 90) : "";
                    }""")
                    if covered is None:
                        break
                    expect(covered == "", f"{tab}, {width} x {height}: the player covers {covered}")
                    stops += 1
                expect(stops > 15, f"{tab}: only {stops} places are reached")
                said.append(stops)
    return f"{sum(said)} places"


def check_rare_in_small_window(at):
    """What the player hides there is one press away."""
    with at.open("#algorithm=ring&ranks=4", viewport={"width": 360, "height": 640}) as d:
        expect(not d.page.is_visible("#speed") and not d.page.is_visible("#player-last"), "all of it is there at once")
        d.activate("#player-more")
        d.choose("#speed", "fast")
        expect(d.state()["speed"] == "fast", f"{d.state()}")
        d.page.click("#player-last")
        expect(d.state()["round"] == "5", f"{d.state()}")


def check_one_numbering(at):
    """The rounds of all that is read count from 0."""
    with at.open("#algorithm=ring&ranks=4&round=5") as d:
        expect(d.text("#player .where").split("\n") == ["Round 5", "of 0 to 5"], d.text("#player .where"))
        d.page.keyboard.press("ArrowLeft")
        expect(d.text("#player .where").split("\n") == ["Round 4", "of 0 to 5"], d.text("#player .where"))
        said = d.page.get_attribute("#slider", "aria-valuetext")
        expect(said == "Round 4, of 0 to 5", said)


def check_broken_arrow(at):
    """A message without its partner is drawn as broken, from its sender to its receiver."""
    with at.open("#algorithm=ring&ranks=4&view=write") as d:
        right = HEAD + WRITTEN
        for wrong, says in ((right.replace("emit(step{0, verb::send", "if (me != 1 || r > 1) emit(step{0, verb::send"), "rank 2 waits for this from rank 1"),
                            (right.replace("emit(step{0, verb::recv", "if (me != 3 || r > 1) emit(step{0, verb::recv"), "rank 2 sends this to rank 3")):
            d.page.fill("#write-text", wrong)
            d.until("document.getElementById('figures').dataset.proof !== 'ok'")
            d.page.click("#tab-proof")
            d.page.click("#prove-0")
            expect("a broken red arrow" in d.text("#verdict-0"), d.text("#verdict-0"))
            d.page.click("#verdict-0 button")
            broken = d.page.eval_on_selector_all("#view-data .broken title", "all => all.map(e => e.textContent)")
            expect(len(broken) == 1 and broken[0].startswith(says), f"{broken}")
            expect("sent, but not received" in d.text("#view-data .legend"), d.text("#view-data .legend"))
            d.page.click("#tab-write")
            d.page.fill("#write-text", right)
            d.until("document.getElementById('figures').dataset.proof === 'ok'")
        d.page.click("#tab-data")
        expect(d.page.query_selector("#view-data .broken") is None, "a right algorithm has a broken arrow")


def check_one_undo(at):
    """Undo takes back what was typed or loaded, and is the only thing of that name."""
    with at.open("#algorithm=ring&ranks=4&view=write") as d:
        first = d.page.input_value("#write-text")
        d.page.select_option("#write-load", label="ring")
        d.activate("#write-take")
        d.until("location.hash.includes('source=')")
        loaded = d.page.input_value("#write-text")
        expect(loaded != first and "now plays in place of ring" in d.text("#view-write"), "nothing was loaded")
        names = d.page.eval_on_selector_all("button", "all => all.map(e => e.innerText).filter(t => /undo/i.test(t))")
        expect(names == ["Undo"], f"{names}")
        # Another algorithm plays: the text is as it was.
        d.page.click("#write-instead")
        expect(d.state().get("algorithm", "ring") == "ring" and d.page.input_value("#write-text") == loaded, "the text is another one")
        d.page.click("#write-undo")
        d.until("!location.hash.includes('source=')")
        expect(d.page.input_value("#write-text") == first, "Undo does not give the text back")


def check_complaint_in_its_place(at):
    """A mistake in the text is told beside the text, and where the text plays, not beside the tasks."""
    with at.open("#algorithm=ring&ranks=4&view=write") as d:
        d.page.fill("#write-text", "struct mine { goto };")
        d.until("document.querySelector('#view-write .said').innerText.includes('1 mistake')")
        expect("goto" in d.text("#view-write .said") and d.text("#complaints") == "", "it is told above the editor, which then moves")
        d.page.click("#tab-tasks")
        expect(d.text("#complaints") == "", d.text("#complaints"))
        d.page.click("#tab-data")
        expect("of your text" in d.text("#complaints"), "it is told nowhere")


def check_bound_at_its_line(at):
    """The bound's label stands at the end of its line, whatever the bars are."""
    for fragment in ("ring&ranks=256", "star&ranks=256", "tree,two_shot&ranks=256", "halving,tree,ring&ranks=7"):
        with at.open(f"#algorithm={fragment}&view=cost") as d:
            apart = d.page.eval_on_selector_all("#view-cost .bars", """all => all.map(svg => {
                const line = svg.querySelector("line.bound").getBoundingClientRect(), box = svg.getBoundingClientRect();
                return [...svg.querySelectorAll(".bound-label:not(.halo)")].map(e => e.getBoundingClientRect())
                    .map(b => [b.left - line.right, Math.max(b.top - line.bottom, line.top - b.bottom), box.right - b.right]);
            })""")
            expect(len(apart) == fragment.count(",") + 1 and all(len(a) == 2 for a in apart), f"{apart}")
            for right, away, room in (n for a in apart for n in a):
                expect(0 < right < 12 and away < 8 and room >= 0, f"{fragment}: {apart}")


def check_editor_has_room(at):
    """The editor fills most of the window; on a phone lines wrap, each beside its number, and signs are buttons."""
    with at.open("#algorithm=ring&ranks=4&view=write", viewport={"width": 1280, "height": 800}) as d:
        wide, tall = d.page.eval_on_selector(".editor", "e => [e.clientWidth, e.clientHeight]")
        expect(wide > 700 and tall > 680, f"the editor has {wide} x {tall}")
        d.page.click("#write-text")
        d.press("Control+a")
        for key in ("{", "Enter", "x", "Enter", "}"):
            d.page.keyboard.press(key)
        expect(d.page.input_value("#write-text") == "{\n    x\n}", repr(d.page.input_value("#write-text")))
    with at.open("#algorithm=ring&ranks=4&view=write", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True) as d:
        d.page.select_option("#write-load", label="halving")
        d.page.tap("#write-take")
        d.until("location.hash.includes('source=')")
        apart = d.page.evaluate("""() => {
            const top = (e) => e.getBoundingClientRect().top, all = (css) => [...document.querySelectorAll(css)];
            const lines = all(".editor .under > div"), numbers = all(".editor .gutter > div"), field = document.getElementById("write-text");
            return { lines: lines.length, numbers: numbers.length, apart: Math.max(...lines.map((l, i) => Math.abs(top(l) - top(numbers[i])))),
                     wrapped: lines.filter((l) => l.offsetHeight > 30).length, hidden: field.scrollHeight - field.clientHeight, wide: field.scrollWidth - field.clientWidth };
        }""")
        expect(apart["lines"] == apart["numbers"] > 40 and apart["wrapped"] > 5, f"{apart}")
        expect(apart["apart"] < 1 and apart["hidden"] <= 0 and apart["wide"] <= 0, f"{apart}")
        d.page.evaluate("() => { const f = document.getElementById('write-text'); f.focus(); f.select(); }")
        for sign in ("{", "}", "Indent", ";"):
            d.page.tap(f".signs button:text-is('{sign}')" if sign != "Indent" else ".signs [aria-label=Indent]")
        expect(d.page.input_value("#write-text") == "{}  ;", repr(d.page.input_value("#write-text")))


def check_labels_apart(at):
    """What links carry is told in numbers that do not touch each other."""
    count = 0
    for fragment in ("ring&ranks=16&topology=ring", "two_shot&ranks=16&topology=ring", "halving&ranks=16&topology=torus", "two_shot&ranks=16&topology=torus",
                     "halving&ranks=16&topology=crossbar", "halving&ranks=40&topology=crossbar", "halving&ranks=64&topology=fat_tree:8:4", "tree&ranks=32&topology=hosts:4"):
        with at.open(f"#bytes=1060921&view=links&algorithm={fragment}") as d:
            boxes, touching = d.page.eval_on_selector_all("#view-links .net .load, #view-links .net .node-name", """all => {
                const b = all.map(e => e.getBoundingClientRect()), found = [];
                b.forEach((p, i) => b.forEach((q, j) => { if (i < j && p.left < q.right - 0.5 && q.left < p.right - 0.5 && p.top < q.bottom - 2.5 && q.top < p.bottom - 2.5) {
                    found.push(`${all[i].textContent} and ${all[j].textContent}`); } }));
                return [b.length, found];
            }""")
            expect(boxes >= 8 and touching == [], f"{fragment}: {touching[:4]} of {boxes}")
            count += boxes
    return f"{count} numbers"


def check_player_in_one_line(at):
    """The player has one line, however wide the window is."""
    with at.open("#algorithm=ring,tree&ranks=256&round=200") as d:
        for width in (1400, 1080, 1060, 1000, 900, 841, 840, 800, 760, 700, 640, 500, 400, 360):
            d.page.set_viewport_size({"width": width, "height": 800})
            tall = d.page.eval_on_selector("#player", "e => e.offsetHeight")
            expect(tall <= 64, f"at {width} pixels the player is {tall} pixels tall")


def check_task_beside_text(at):
    """The Write view says the goal of the task that one writes for, counts the same vector, and leads back."""
    with at.open("#view=tasks&task=build:ring:4:all_reduce:1&bytes=1024") as d:
        d.page.set_viewport_size({"width": 360, "height": 740})
        goal = d.text("#view-tasks .task-goal")
        most = goal.split("at most ")[1].split(" round")[0]
        d.page.click("#view-tasks button:text-is('Write it')")
        says = d.text("#write-task")
        expect(f"all-reduce over 4 ranks, in at most {most} round" in says and "1 MiB" in says, f"{says!r}, but {goal!r}")
        expect("Counted: 4 ranks, 1 MiB each" in d.text("#view-write .results"), d.text("#view-write .results"))
        expect(d.page.eval_on_selector("#write-task", "e => e.getBoundingClientRect().top") >= 0, "the goal is above what is seen")
        d.page.click("#write-back")
        d.page.click("#view-tasks button:text-is('\u2190 Choose another task')")
        d.page.click("#tab-write")
        expect(not d.page.is_visible("#write-task"), "the goal of a task that was left still stands there")


def check_vector_whole(at):
    """Tasks say "the vector", as their tables do, where it has one chunk; and what the algorithm should do."""
    with at.open("#view=tasks&task=bug:star:4:all_reduce:1") as d:
        says = d.text("#view-tasks .task")
        expect("the vector" in says and "chunk 0" not in says and "star as it should be: one rank adds up" in says, says)


def check_tabs_without_bar(at):
    """The tabs do not scroll up and down."""
    with at.open("#algorithm=ring&ranks=4") as d:
        before, after = d.page.eval_on_selector("#tabs", "e => { const was = e.offsetWidth - e.clientWidth; e.scrollTop = 9; return [was, getComputedStyle(e).overflowY]; }")
        expect(before == 0 and after == "hidden", f"a bar of {before} pixels, {after}")


LEFT_RING = """struct left {
    static constexpr std::string_view name = "left";
    static constexpr int chunks(int size) { return size; }
    static constexpr void steps(int me, int size, auto&& emit) {
        auto const wrap = [size](int i) { return (i + 2 * size) % size; };
        for (int r = 0; r < size - 1; ++r) {
            emit(step{r, verb::send, wrap(me - 1), {wrap(me + r)}});
            emit(step{r, verb::recv_reduce, wrap(me + 1), {wrap(me + r + 1)}});
        }
        for (int r = 0; r < size - 1; ++r) {
            emit(step{size - 1 + r, verb::send, wrap(me - 1), {wrap(me - 1 + r)}});
            emit(step{size - 1 + r, verb::recv_copy, wrap(me + 1), {wrap(me + r)}});
        }
    }
};
"""


def check_keys_after_click(at):
    """A tab that was clicked has the focus, also where a browser gives it to no button, and the arrow keys go from it to the next."""
    with at.open("#algorithm=ring&ranks=4") as d:
        d.page.evaluate("addEventListener('mousedown', (e) => e.preventDefault(), true)")  # as Safari does
        tabs = d.tabs()
        for i, tab in enumerate(tabs):
            for key, to in (("ArrowRight", tabs[(i + 1) % len(tabs)]), ("ArrowLeft", tabs[i - 1]), ("Home", tabs[0]), ("End", tabs[-1])):
                d.page.click(f"#tab-{tab}")
                expect(d.page.evaluate("document.activeElement.id") == f"tab-{tab}", f"{tab} has no focus after a click")
                d.press(key)
                d.until(f"!document.getElementById('view-{to}').hidden")
                expect(d.page.evaluate("document.activeElement.id") == f"tab-{to}" and "round" not in d.state(), f"{key} on {tab}: {d.state()}")
        d.page.click("#tab-time")
        d.page.keyboard.press("Alt+ArrowRight")  # the browser's own
        expect(d.state() == {"view": "time"}, f"{d.state()}")


def check_reason_of_built(at):
    """A right answer of each kind says why; its code is seen whole."""
    with at.open("#view=tasks&task=build:ring:4:all_reduce:1&algorithm=ring&ranks=4", viewport={"width": 900, "height": 900}) as d:
        d.page.click("#view-tasks button:text-is('Write it')")
        d.page.fill("#write-text", HEAD + LEFT_RING)
        d.until("location.hash.includes('left')")
        d.await_figures(rounds="6", proof="ok")
        d.page.click("#write-back")
        d.page.click("#mark")
        expect("\u2713 Right" in d.text(".task-result"), d.text("#view-tasks"))
        why = d.text(".task-result .task-why")
        for words in ("Proof: In the end every rank has the sum of all vectors.", "two phases: reduce-scatter, then all-gather", "Rounds: It takes 6; the library\u2019s ring takes 6.",
                      "1.00 times the bound (1.5 MiB)", "= 1.5 MiB: of each byte of the vector"):
            expect(words in why, why)
        for width in (900, 360):
            d.page.set_viewport_size({"width": width, "height": 900})
            d.page.wait_for_timeout(60)
            tall, whole = d.page.eval_on_selector(".task-result .task-code", "e => [e.clientHeight, e.scrollHeight]")
            expect(whole <= tall and (width > 360 or tall > 60), f"at {width} pixels the box is {tall} high, its code {whole}")
        # After the page was loaded again the code that is kept says so too.
        d.page.reload()
        d.until("document.querySelector('.task-why') !== null")
        expect(d.text(".task-result .task-why") == why, d.text(".task-result"))
