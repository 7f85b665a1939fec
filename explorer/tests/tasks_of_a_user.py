# SPDX-License-Identifier: BSD-3-Clause
"""What a person does with the page, by keyboard alone."""


def expect(true, words):
    if not true:
        raise AssertionError(words)


def check_choose(at):
    with at.open() as d:
        d.choose("#algorithm-0", "tree")
        d.choose("#collective", "reduce")
        d.fill("#ranks", 9)
        d.fill("#root", 4)
        d.fill("#bytes", 3)
        d.choose("#unit", "KiB")
        state = d.state()
        wanted = {"algorithm": "tree", "collective": "reduce", "ranks": "9", "root": "4", "bytes": "3072"}
        expect(all(state.get(k) == v for k, v in wanted.items()), f"{state}, not {wanted}")
        d.await_figures(rounds="4", proof="ok")


def check_play(at):
    with at.open("#algorithm=ring&ranks=4", reduced_motion="no-preference") as d:
        before = d.text("#view-data")
        d.activate("#player-next")
        d.press("Enter")
        expect(d.state()["round"] == "1", f"{d.state()}")
        expect(d.text("#view-data") != before, "two rounds later the page looks the same")
        d.activate("#player-play")
        d.until("location.hash.includes('round=5')")  # the last
        d.activate("#player-first")
        expect("round" not in d.state(), f"{d.state()}")
        d.reach("#slider")
        d.press("ArrowRight")
        expect(d.state()["round"] == "0", f"{d.state()}")


def check_space(at):
    """Space plays after a click on a button of the player, and is that button's if Tab has reached it."""
    with at.open("#algorithm=ring&ranks=4", reduced_motion="no-preference") as d:
        d.page.click("#player-next")
        expect(d.state()["round"] == "0", f"{d.state()}")
        d.press("Space")
        d.until("location.hash.includes('round=2')")
        d.press("Space")
        expect(d.page.get_attribute("#player-play", "aria-label") == "Play", "it goes on")
        d.press("End")
        expect(d.state()["round"] == "5", f"End: {d.state()}")
        d.press("Home")
        expect("round" not in d.state(), f"Home: {d.state()}")
        d.reach("#player-next")
        d.press("Space")
        d.page.wait_for_timeout(300)
        expect(d.state()["round"] == "0", f"{d.state()}")
        expect(d.page.get_attribute("#player-next", "aria-label") == "One round forward", "another name")
        expect("of 0 to 5" in d.text("#player"), d.text("#player"))


def check_out_of_range(at):
    with at.open("#ranks=4&collective=reduce") as d:
        d.fill("#ranks", 300)
        expect("Ranks: 1 to 256. Still 4." in d.text("#field-note"), d.text("#field-note"))
        d.fill("#ranks", 5)
        expect(d.text("#field-note") == "" and d.state()["ranks"] == "5", d.text("#field-note"))
        d.fill("#root", 5)
        expect("Root: 0 to 4. Still 0." in d.text("#field-note"), d.text("#field-note"))
        d.fill("#root", 4)
        d.fill("#bytes", 0)
        expect("Vector per rank: 1 B to 64 TiB. Still 1 MiB." in d.text("#field-note"), d.text("#field-note"))


def check_one_entry(at):
    """Choosing with the arrow keys makes one entry in the browser's history, whatever they pass."""
    with at.open("#algorithm=ring&ranks=4") as d:
        before = d.page.evaluate("history.length")
        d.choose("#algorithm-0", "star")
        d.press("ArrowDown", "ArrowDown")
        expect(d.page.evaluate("history.length") == before + 1, "an entry for each algorithm")
        d.page.go_back()
        d.until("location.hash.includes('algorithm=ring') || !location.hash.includes('algorithm')")


def check_compare(at):
    with at.open("#algorithm=ring&ranks=6") as d:
        d.activate("#compare")
        d.choose("#algorithm-1", "star")
        expect(d.state()["algorithm"] == "ring,star", f"{d.state()}")
        d.reach("#compare")
        d.press("Enter")
        expect(len(d.state()["algorithm"].split(",")) == 3, f"{d.state()}")
        text = d.text("#view-data")
        expect("ring" in text and "star" in text, text)


def check_prove(at):
    with at.open("#algorithm=circulant&ranks=7") as d:
        d.go("proof")
        d.activate("#view-proof button")
        d.until("/correct|proved|right/i.test(document.getElementById('view-proof').innerText)")
        d.await_figures(proof="ok")


WRITTEN = """struct mine {
    static constexpr std::string_view name = "mine";
    static constexpr int chunks(int) { return 1; }
    static constexpr void steps(int me, int size, auto&& emit) {
        for (int r = 1; r < size; ++r) {
            int const to = (me + r) % size, from = (me - r + size) % size;
            emit(step{0, verb::send, to, {0}});
            emit(step{0, verb::recv_reduce, from, {0}});
        }
    }
};
"""


def check_write(at):
    with at.open("#algorithm=ring&ranks=5&view=write") as d:
        d.fill("#write-text", "#include <collectives/schedule/step.hpp>\nusing namespace collectives;\n" + WRITTEN)
        d.until("location.hash.includes('mine')")
        d.await_figures(rounds="1", proof="ok")
        d.press("Escape", "Tab")
        d.fill("#ranks", 7)
        d.await_figures(busiestSent=str(6 * 2**20), proof="ok")
        url = d.page.evaluate("location.hash")
    with at.open(url) as d:  # the text is in the link
        expect(d.figures()["proof"] == "ok" and d.figures()["rounds"] == "1", f"{d.figures()}")
        # A receive too few: wrong, with a place; then what the editor cannot read: its line.
        right = d.page.eval_on_selector("#write-text", "e => e.value")
        d.fill("#write-text", right.replace("emit(step{0, verb::recv", "if (r > 1) emit(step{0, verb::recv"))
        d.until("document.getElementById('figures').dataset.proof !== 'ok'")
        d.until("/rank \\d/.test(document.getElementById('view-write').innerText)")
        # Its lines are those of fewer ranks, and there is a way back.
        d.press("Escape")
        d.activate("[id^='write-lines-']")
        d.until("document.getElementById('ranks-back') !== null")
        d.press("Escape")  # the focus is in the text, at the line
        expect(d.state().get("ranks", "4") == "2" and "2 ranks now" in d.text("#ranks-changed"), f"{d.state()}")
        d.activate("#ranks-back")
        d.until("location.hash.includes('ranks=7')")
        expect(d.page.query_selector("#ranks-back") is None, "the way back stays")
        # So it is where the data are shown, and the button says so before.
        expect(d.text("#write-show-2") == "Show it with 2 ranks", d.text("#write-show-2"))
        d.reach("#write-text")
        d.press("Escape")
        d.activate("#write-show-2")
        d.until("!document.getElementById('view-data').hidden")
        expect("2 ranks now" in d.text("#controls") and d.state()["ranks"] == "2", d.text("#controls"))
        d.fill("#ranks", 7)
        expect(d.text("#ranks-changed") == "", d.text("#ranks-changed"))
        d.go("write")
        d.fill("#write-text", right.replace("int const to", "goto to; int const to"))
        d.until("/line 8/i.test(document.getElementById('view-write').innerText)")
