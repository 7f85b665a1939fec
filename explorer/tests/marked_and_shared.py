# SPDX-License-Identifier: BSD-3-Clause
"""Tasks by keyboard alone, the teacher's sheet, the files that are saved, and the page inside another one."""
import csv
import io
import json
import pathlib
import re
import tempfile
import xml.dom.minidom

def expect(true, words):
    if not true:
        raise AssertionError(words)


def check_mark(at):
    """Predicts a round of a ring: first wrong, then right."""
    with at.open("#view=tasks") as d:
        d.fill("#student", "Ada")
        d.choose("#task-algorithm", "ring")
        d.fill("#task-ranks", 4)
        d.activate("#start-predict")
        d.until("document.getElementById('mark') !== null")
        # The ring's pattern: rank r sends to r + 1 the chunk that it got in the round before.
        got = d.page.eval_on_selector_all(".task-steps li", "all => all.map(e => e.textContent)")
        came = {}
        for line in got:
            words = line.replace(":", "").replace(",", "").split()
            came[int(words[4])] = words[6]
        expect(len(came) == 4, f"{got}")
        for rank in range(4):
            d.choose(f"[aria-label='Rank {rank} sends to']", str((rank + 1) % 4))
            d.fill(f"[aria-label='Chunks that rank {rank} sends']", came[rank])
        d.choose("#predict-how", "both")
        d.activate("#mark")
        says = d.text(".task-result")
        expect("Not yet" in says and "\u2717 The receivers" in says and says.count("\u2713") == 4, says)
        for how in ("adds", "copies"):
            if d.page.query_selector(".task-result .task-code") is None:
                d.choose("#predict-how", how)
                d.activate("#mark")
        code = d.page.eval_on_selector(".task-result .task-code", "e => e.value")
        expect(code.startswith("coll1.predict:ring:4:all_reduce:"), code)
        why = d.text(".task-result .task-why")
        expect(re.match(r"Why: What these ranks send is what changed at them in round \d\. Round \d is a part of the (reduce-scatter|all-gather): every rank i sends chunk .* to rank i\s\+\s1", why), why)
        expect(".Ada." in code, code)
        # A code that was earned stays, whatever is marked after it.
        d.choose("#predict-how", "both")
        d.activate("#mark")
        says = d.text(".task-result")
        expect("not right" in says and "Hand this code to your teacher." in says, says)
        expect(d.page.eval_on_selector(".task-result .task-code", "e => e.value") == code, "a wrong answer takes the code away")
        # The tries are not forgotten when one looks elsewhere.
        d.go("data")
        d.go("tasks")
        expect(d.page.eval_on_selector(".task-result .task-code", "e => e.value") == code, "the code is gone")
        # Where one chooses, it is told what is done; another name has done nothing.
        d.page.click("#view-tasks button:text-is('\u2190 Choose another task')")
        expect(d.text("#done-predict") == "\u2713 1 done" and not d.page.is_visible("#done-bug"), d.text("#view-tasks"))
        d.fill("#student", "Bob")
        d.press("Tab")
        expect(not d.page.is_visible("#done-predict"), "what Ada did is told of Bob")
    with at.open("#view=tasks&teacher=yes") as d:
        d.page.fill("#check-codes", f"{code}\n{code.replace('Ada', 'Bob')}")
        d.activate("#check")
        says = d.text("#view-tasks [role=status] table")
        expect("\u2713 right" in says and "\u2717 the code was altered" in says, says)


def check_find(at):
    """Finds the planted mistake where the teacher's solutions say that it is."""
    with at.open("#view=tasks&teacher=yes&sheet=bug:ring:4:all_reduce") as d:
        d.fill("#solutions-student", "Ada")
        expect(d.page.query_selector(".task-solutions li") is None, "solutions that nobody asked for")
        d.reach("#solutions-show")
        d.press("Space")
        says = d.text(".task-solutions li")
        students = d.page.eval_on_selector("#sheet-students", "e => e.value")
        expect("teacher" not in students, students)
    rank = int(re.search(r": .*?rank (\d)", says, re.IGNORECASE).group(1))
    with at.open("#" + students.split("#")[1]) as d:
        expect("Type your name" in d.text("#view-tasks"), d.text("#view-tasks"))
        d.fill("#student", "Ada")
        d.press("Enter")
        d.until("document.getElementById('mark') !== null")
        found = d.page.evaluate("""async () => {
            const tick = () => new Promise((done) => setTimeout(done));
            const slider = document.getElementById("bug-round");
            let tried = 0;
            for (let round = 0; round <= Number(slider.max); ++round) {
                slider.value = round;
                slider.dispatchEvent(new Event("input"));
                for (let i = 0; ; ++i) {
                    const choice = document.querySelectorAll("[name=bug-step]")[i];
                    if (choice === undefined) { break; }
                    choice.click();
                    document.getElementById("mark").click();
                    ++tried;
                    await tick();
                    const code = document.querySelector(".task-result .task-code")?.value;
                    if (code) { return {round, rank: choice.closest("fieldset").textContent, code, tried}; }
                }
            }
            return null;
        }""")
        expect(found is not None, "no place is the right one")
        expect(found["rank"].startswith(f"Rank {rank}"), f"{found}, but the solution is: {says}")
        expect(f".{found['tried']}.Ada." in found["code"], f"{found}")
        expect("1 of 1 done" in d.text(".task-sheet"), d.text(".task-sheet"))
        expect(found["code"] in d.page.eval_on_selector(".task-sheet .task-code", "e => e.value"), "not to be handed in")


def check_build(at):
    """Marks the algorithm of the Write tab: the one that stands there at first is too costly for a ring's goal, and the
    library's one_shot as it stands."""
    with at.open("#view=tasks&task=build:ring:4:all_reduce:1") as d:
        d.activate("#mark")
        says = d.text(".task-result")
        expect("Not yet (1 try so far)" in says and "Bytes" in says and "times the bound (" in says and "MiB" in says, says)
    with at.open("#view=tasks&task=build:one_shot:4:all_reduce:1") as d:
        d.activate("#mark")
        says = d.text(".task-result")
        expect("This is the library\u2019s one_shot as it stands" in says and "1 try so far" in says, says)
        d.activate("#mark")
        d.activate("#hint")
        d.activate("#hint-play")
        state = d.state()
        expect(state.get("algorithm") == "one_shot" and state.get("view", "data") == "data", f"{state}")
    with at.open("#view=tasks&task=build:one_shot:2:all_reduce:1") as d:
        d.fill("#student", "Ada")
        d.activate("#mark")
        code = d.page.eval_on_selector(".task-result .task-code", "e => e.value")
        expect(code.startswith("coll1.build:one_shot:2:all_reduce:1.1.Ada."), code)


def saved(d, kind, room):
    with d.page.expect_download() as download:
        d.activate(f"#save-{kind}")
    file = pathlib.Path(room) / download.value.suggested_filename
    download.value.save_as(file)
    return file


def check_saved(at):
    with tempfile.TemporaryDirectory() as room, at.open("#algorithm=ring,tree&ranks=5&round=2", accept_downloads=True) as d:
        d.activate("#share")
        link = d.page.eval_on_selector("#share-link", "e => e.value")
        expect(link.endswith("#algorithm=ring,tree&ranks=5&round=2"), link)
        expect("?embed=1#" in d.page.eval_on_selector("#share-frame", "e => e.value"), "no frame")
        drawing = saved(d, "svg", room).read_text()
        xml.dom.minidom.parseString(drawing)
        expect("foreignObject" not in drawing and "var(--" not in drawing and "class=" not in drawing, "the drawing does not stand alone")
        for words in ("ring", "tree", "rank 4", "chunk 3", "all-reduce over 5 ranks", "ranks=5"):
            expect(words in drawing, f"the drawing lacks {words}")
        png = saved(d, "png", room).read_bytes()
        expect(png.startswith(b"\x89PNG") and len(png) > 20000, f"{len(png)} bytes of PNG")
        gif = saved(d, "gif", room).read_bytes()
        expect(gif.startswith(b"GIF89a") and gif.endswith(b";") and gif.count(b"\x21\xf9\x04") >= 9, f"{len(gif)} bytes of GIF")
        expect(d.state()["round"] == "2", f"the GIF leaves {d.state()}")
        rows = list(csv.reader(io.StringIO(saved(d, "csv", room).read_text())))
        expect(len(rows) == 2 + 8 + 2 + 6 + 2, f"{len(rows)} rows")
        goal = saved(d, "goal", room).read_text()
        expect("num_ranks 5" in goal and goal.startswith("// ring"), goal[:200])
        d.press("Escape")
        expect(d.page.eval_on_selector("#share-panel", "e => e.hidden"), "Escape leaves the menu open")


def check_name_is_kept(at):
    """No address has what a student typed, name or number; the window has it, also after the page was loaded again."""
    for name in ("Mia", "7654321"):
        with at.open("#view=tasks") as d:
            d.fill("#student", name)
            d.activate("#start-bug")
            d.until("document.getElementById('mark') !== null")
            expect(d.state() == {"view": "tasks", "task": "bug:ring:4:all_reduce"}, f"{d.state()}")
            first = d.text(".task")
            d.activate("#share")
            texts = [d.page.eval_on_selector(f, "e => e.value") for f in ("#share-link", "#share-frame", "#share-markdown")]
            expect(not any(name in t for t in texts), f"{texts}")
            d.page.reload()
            d.until("document.getElementById('mark') !== null")
            expect(d.text(".task") == first, "another task after the page was loaded again")
            d.fill("#student", "Ada")
            d.press("Enter")
            d.until(f"document.querySelector('.task').innerText !== {json.dumps(first)}")


def check_embedded(at):
    with tempfile.TemporaryDirectory() as room, at.open() as d:
        slides = pathlib.Path(room) / "slides.html"
        page = pathlib.Path(at.file).resolve().as_uri()
        slides.write_text(f"""<!DOCTYPE html><title>Slides</title><iframe title="explorer" width="900" height="600"></iframe><script>
            const got = [], frame = document.querySelector("iframe");
            addEventListener("message", (e) => got.push(e.data.collectives));
            frame.src = "{page}?embed=1#algorithm=ring&ranks=6";
            window.say = (m) => frame.contentWindow.postMessage({{collectives: m}}, "*");
            window.answer = async (m) => {{
                const id = got.length + Math.random();
                say({{...m, id}});
                for (;;) {{
                    const a = got.find((g) => g.id === id);
                    if (a) {{ return a; }}
                    await new Promise((done) => setTimeout(done, 10));
                }}
            }};</script>""")
        tab = d.context.new_page()
        tab.goto(slides.as_uri())
        for _ in range(500):
            if tab.evaluate("got.length") > 0:
                break
            tab.wait_for_timeout(10)
        expect("ready" in tab.evaluate("got[0]"), "the frame is never ready")
        ask = lambda message: tab.evaluate(f"answer({json.dumps(message)})")
        expect(ask({"ask": "figures"})["figures"]["rounds"] == "10", "another number of rounds")
        expect("round=3" in ask({"go": 3, "ask": "state"})["state"], "go: 3")
        state = ask({"set": {"algorithm": "tree", "ranks": "5"}, "go": "end", "ask": "state"})["state"]
        expect("algorithm=tree" in state and "round=5" in state, state)
        expect("not possible" in ask({"set": {"ranks": "900"}})["error"], "900 ranks")
        expect("does not know" in ask({"set": {"rank": "9"}})["error"], "a key that does not exist")
        expect("round" not in ask({"go": "start", "ask": "state"})["state"], "start")
        ask({"play": True})
        tab.wait_for_timeout(2500)
        expect("round=" in ask({"play": False, "ask": "state"})["state"], "it does not play")
        source = """#include <string_view>
            struct mine {
                static constexpr std::string_view name = "mine";
                static constexpr int chunks(int) { return 1; }
                static constexpr void steps(int me, int size, auto&& emit) { }
            };"""
        proof = ask({"source": source, "ask": "figures"})["figures"]["proof"]
        expect("missing" in proof, f"an algorithm that does nothing: {proof}")
        frame = tab.frames[1]
        expect(not frame.is_visible("#tabs") and not frame.is_visible("#controls"), "the embedded page has its controls")
