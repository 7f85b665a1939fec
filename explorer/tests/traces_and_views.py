# SPDX-License-Identifier: BSD-3-Clause
"""Files that are dropped on the page, texts that load into its editor, and what each view shows, saves and lets change."""
import json
import pathlib
import re
import struct
import tempfile
import xml.dom.minidom

from axe_playwright_python.sync_playwright import Axe

HERE = pathlib.Path(__file__).resolve().parent
# Of examples/tracing.cpp, in which a split has the same number as the all-reduce; of the trainer; of coll_show's tests.
TRACES = [(HERE / "traces/example.json", 1), (HERE / "traces/trainer.json", 7), (HERE.parents[1] / "tests/tools/ring_4_trace.json", 3)]
SAVED = ("custom_algorithm.cpp", "two_shot")


def expect(true, words):
    if not true:
        raise AssertionError(words)


def drop(d, name, text):
    """As a person drops a file on the page."""
    d.page.evaluate("""([name, text]) => {
        const given = new DataTransfer();
        given.items.add(new File([text], name));
        for (const kind of ["dragover", "drop"]) { document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: given })); }
    }""", [name, text])


def in_seconds(text):
    number, unit = re.fullmatch(r"[+\u2212]?([\d.]+) (ns|µs|ms|s)", text).groups()
    return float(number) * {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}[unit]


def near(a, b):
    return abs(a - b) <= 0.006 * abs(b) + 1e-12  # three digits are shown


def check_dropped_traces(at):
    """Recorded traces, of traced and of the trainer: their algorithm is found, and measured stands beside simulated step by step."""
    for file, number in TRACES:
        events = [e for e in json.loads(file.read_text())["traceEvents"] if e["ph"] == "X" and e["args"]["operation"] == number and e["args"]["collective"] == "all_reduce"]
        begin = min(e["ts"] for e in events)
        last = {}  # of each step, over its segments
        for e in events:
            key = (e["args"]["round"], e["pid"], e["name"])
            last[key] = max(last.get(key, 0), (e["ts"] + e["dur"] - begin) * 1e-6)
        with at.open("#algorithm=tree&ranks=5") as d:
            drop(d, file.name, file.read_text())
            d.until("document.getElementById('trace-said').innerText.includes('does not belong to what is shown')")
            d.activate("[aria-label='A recorded trace'] button:not([hidden])")
            d.until("document.querySelector('.t-gaps') !== null")
            expect(d.figures()["rounds"] == "6" and d.figures()["proof"] == "ok", f"{file.name}: {d.figures()}")
            expect("ring, measured" in d.text("#view-time .time-panels"), d.text("#view-time .time-panels"))
            said = d.text("#trace-said")
            whole = re.match(r"Measured, ring takes (\S+ \S+), ([\d.]+) times as long as simulated \((\S+ \S+)\)", said)
            expect(whole and near(in_seconds(whole[1]), max(last.values())), f"{file.name}: {said}, not {max(last.values())}")
            expect(near(float(whole[2]), in_seconds(whole[1]) / in_seconds(whole[3])), said)
            d.page.click("#view-time button:text-matches('^All 48 steps$')")
            rows = d.page.eval_on_selector_all(".t-gaps tbody tr", "all => all.map(r => [...r.children].map(c => c.textContent))")
            expect(len(rows) == 48 == len(last), f"{file.name}: {len(rows)} of {len(last)} steps")
            verbs = {"sends to": "send to", "receives and adds from": "recv_reduce from", "receives from": "recv_copy from"}
            added = []
            for r, step, simulated, measured, behind, own in rows:
                rank, does, peer = re.fullmatch(r"rank (\d+) (.*) (\d+)", step).groups()
                wanted = last[(int(r), int(rank), f"{verbs[does]} {peer}")]
                expect(near(in_seconds(measured), wanted), f"{file.name}: {step} in round {r} ends at {measured}, not {wanted}")
                gap = in_seconds(measured) - in_seconds(simulated)
                expect(abs(gap - (-1 if behind[0] == "\u2212" else 1) * in_seconds(behind)) < 0.012 * in_seconds(measured), f"{step}: {behind} behind")
                added.append((-1 if own[0] == "\u2212" else 1) * in_seconds(own))
            expect(all(a >= b - 0.006 * abs(a) for a, b in zip(added, added[1:])), f"{file.name}: not the largest gap first")


def check_wrong_files(at):
    """What is no trace, or of no step, is told; the page goes on."""
    for text, words in (("{", "no JSON"), ("{}", "no list traceEvents"), ('{"traceEvents": [{"ph": "X", "name": "paint"}]}', "is no step as coll::traced writes it")):
        with at.open("#algorithm=ring&ranks=4") as d:
            drop(d, "wrong.json", text)
            d.until("document.getElementById('trace-said')?.innerText !== ''")
            expect(words in d.text("#trace-said") and "wrong.json" in d.text("#trace-said"), d.text("#trace-said"))
            d.page.click("#tab-data")
            expect(d.figures()["proof"] == "ok", f"{d.figures()}")


def check_dropped_machine(at):
    """The file that coll_tune writes sets the prices: "my machine"."""
    with at.open("#algorithm=ring,tree&ranks=4&view=time") as d:
        before = d.text("#verdict")
        drop(d, "here.model", "# measured\ncall 1e-07\nround 2e-06\nmessage 4e-07\nbyte 1e-10\nreduced_byte 2e-11\nsmall_byte 0\n")
        d.until("document.getElementById('network').value === 'machine'")
        state = d.state()
        expect([float(state.get(k, v)) for k, v in (("alpha", "1e-6"), ("overhead", "3e-7"), ("gap", "1e-7"), ("beta", "8e-11"), ("gamma", "2e-11"))] == [2e-6, 2e-7, 0, 1e-10, 2e-11], f"{state}")
        expect(d.text("#verdict") != before, "the times are as before")


def check_every_text_loads(at):
    """Each text that the editor offers, all of the library's algorithms among them, plays and proves; it is saved, and linked elsewhere."""
    with at.open("#ranks=6&view=write", accept_downloads=True) as d, tempfile.TemporaryDirectory() as room:
        names = d.page.eval_on_selector_all("#write-load option", "all => all.map(o => o.textContent)")
        library = d.page.eval_on_selector_all("#algorithm-0 option", "all => all.map(o => o.value.replace(':', ''))")
        expect({"custom_algorithm.cpp", *(n for n in library if n != "my_first")} <= set(names), f"{names} lacks some of {library}")
        linked = 0
        taken = [n for n in names[1:] if n in SAVED] + at.some([n for n in names[1:] if n not in SAVED], 3)
        for name in taken:
            d.page.select_option("#write-load", label=name)
            before = d.page.input_value("#write-text")
            d.page.click("#write-take")
            d.until("document.getElementById('write-text').value !== " + json.dumps(before))
            d.settle()
            own = d.state()["algorithm"].split(":")[0]
            expect(d.figures()["proof"] == "ok" and d.text("#complaints") == "", f"{name}: {d.figures()} {d.text('#complaints')}")
            expect(name == "custom_algorithm.cpp" or own == f"my_{name}", f"{name} plays as {own}")
            expect("\u2713" in d.text("#view-write .results") and "wrong for" not in d.text("#view-write .results"), f"{name}: {d.text('#view-write .results')[:300]}")
            if name in SAVED:
                with d.page.expect_download() as download:
                    d.page.click("#write-save")
                file = pathlib.Path(room) / download.value.suggested_filename
                download.value.save_as(file)
                expect(file.suffix == ".hpp" and "static_assert(collectives::" in file.read_text(), f"{name}: {file.name}")
            link = d.page.query_selector("#write-elsewhere")
            linked += link is not None and link.get_attribute("href").startswith("https://godbolt.org/clientstate/")
            expect(link is not None or "too long for a link" in d.text("#view-write"), f"{name} has no link to Compiler Explorer, and nobody says why")
        expect(linked >= len(taken) - 2, f"only {linked} of {len(taken)} texts have a link")
        return f"{', '.join(taken)}: {linked} with a link to Compiler Explorer"


def check_saved_views(at):
    """Each view as a drawing that stands alone, and as a picture: with few ranks, and with many, which canvases show."""
    for fragment in ("ring,tree&ranks=5&round=2", "ring&ranks=40&round=9"):
        with tempfile.TemporaryDirectory() as room, at.open(f"#algorithm={fragment}", accept_downloads=True) as d:
            for tab in [t for t in d.tabs() if t not in ("write", "tasks")]:
                d.page.click(f"#tab-{tab}")
                d.settle()
                d.page.wait_for_timeout(250)
                for kind in ("svg", "png"):
                    d.page.click("#share")
                    with d.page.expect_download() as download:
                        d.page.click(f"#save-{kind}")
                    file = pathlib.Path(room) / f"{tab}.{kind}"
                    download.value.save_as(file)
                    d.page.keyboard.press("Escape")
                    if kind == "svg":
                        drawing = file.read_text()
                        parsed = xml.dom.minidom.parseString(drawing).documentElement
                        expect(parsed.tagName == "svg" and "ring" in drawing and not any(w in drawing for w in ("foreignObject", "var(--", "class=", "blob:")),
                               f"{tab}: the drawing does not stand alone")
                        wide = float(parsed.getAttribute("width"))
                    else:
                        data = file.read_bytes()
                        expect(data.startswith(b"\x89PNG") and len(data) > 8000, f"{tab}: {len(data)} bytes")
                        expect(struct.unpack(">I", data[16:20])[0] == round(2 * wide), f"{tab}: {struct.unpack('>I', data[16:20])[0]} dots for {wide} pixels")


def check_motion(at):
    """What is sent travels; for who wants no motion it does not, and nothing on the page moves by itself."""
    moving = """() => new Promise((done) => {
        document.getElementById("player-next").click();
        let seen = 0, frames = 0;
        const look = () => {
            seen += document.querySelectorAll("#view-data g[transform^='translate']").length + document.getAnimations().length;
            if (++frames < 8) { requestAnimationFrame(look); } else { done(seen); }
        };
        requestAnimationFrame(look);
    })"""
    for wish, wanted in (("reduce", False), ("no-preference", True)):
        with at.open("#algorithm=ring&ranks=4", reduced_motion=wish) as d:
            expect((d.page.evaluate(moving) > 0) == wanted, f"{wish}: {'nothing moves' if wanted else 'something moves'}")


def check_accessible_states(at):
    """axe on what the tabs show when they are used: tasks, sheets, mistakes, menus, tours, traces."""
    states = {"predict": "#view=tasks&task=predict:ring:5:all_reduce:1", "bug": "#view=tasks&task=bug:ring:4:all_reduce:1", "build": "#view=tasks&task=build:ring:4:all_reduce:1",
              "teacher": "#view=tasks&teacher=yes&sheet=predict:ring:5:all_reduce*2,bug:any:6:all_reduce", "numbers": "#algorithm=ring,tree&ranks=5&round=1&cells=numbers&numbers=tenths",
              "bracket": "#algorithm=ring&ranks=4&round=5&cells=bracket", "fair": "#algorithm=ring,tree&ranks=8&round=1&view=links&load=round&sharing=fair&topology=fat_tree:4:2",
              "many": "#algorithm=ring&ranks=40&round=5", "clock": "#algorithm=ring,tree&ranks=5&view=time&clock=time&time=0.0001&late=1:0.0001&slow=0-1:4", "link": "#algorithm=rong&ranks=7&colour=1"}
    states |= {"menu": "", "tour": "", "opened": "#algorithm=ring,tree&ranks=5&round=1&view=cost", "wrong": "#view=write", "trace": "#algorithm=ring&ranks=4&view=time"}
    taken = at.some([(scheme, name) for scheme in ("light", "dark") for name in states], 6)
    for scheme, name in taken:
        with at.open(states[name], color_scheme=scheme) as d:
            if name == "menu":
                d.page.click("#share")
            elif name == "tour":
                d.page.click("#tour")
                d.page.click("#tour-next")
                d.until("document.querySelector('.tour p button') !== null")
            elif name == "opened":
                d.page.evaluate("() => { for (const e of document.querySelectorAll('details')) { e.open = true; } }")
            elif name == "wrong":
                d.page.fill("#write-text", d.page.input_value("#write-text").replace("recv_reduce, peer", "recv_copy, peer"))
                d.until("document.getElementById('view-write').innerText.includes('wrong for') || document.getElementById('view-write').innerText.includes('Wrong for')")
            elif name == "trace":
                drop(d, "trace.json", TRACES[2][0].read_text())
                d.until("document.querySelector('.t-gaps') !== null")
            d.settle()
            d.page.wait_for_timeout(120)
            found = Axe().run(d.page).response["violations"]
            words = [f"{v['id']}: {n['html'][:150]}" for v in found for n in v["nodes"][:2]]
            expect(not found, f"{name}, {scheme}: " + "\n      ".join(words))
    return ", ".join(f"{name} {scheme}" for scheme, name in taken)


def check_point_moves(at):
    """The points of the plots are dragged by the pointer and moved by keys, and the page follows; the crossings are told."""
    with at.open("#algorithm=ring,tree&ranks=8&view=cost") as d:
        d.until("document.getElementById('point-bytes') !== null")
        d.page.locator("#point-bytes").scroll_into_view_if_needed()
        box = d.page.eval_on_selector("#point-bytes", "e => { const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; }")
        d.page.mouse.move(*box)
        d.page.mouse.down()
        for i in range(1, 9):
            d.page.mouse.move(box[0] - 12 * i, box[1])
        d.page.mouse.up()
        d.until("location.hash.includes('bytes=')")
        dragged = int(d.state()["bytes"])
        expect(dragged < 2**20, f"the drag leads to {dragged} bytes")
        d.page.wait_for_timeout(80)
        expect(int(d.figures()["busiestSent"]) <= 2 * dragged, f"{d.figures()} after a drag to {dragged} bytes")
        d.page.focus("#curves")
        for _ in range(12):  # over the words that the text explains
            d.press("Tab")
            if d.page.evaluate("document.activeElement.id") == "point-bytes":
                break
        else:
            raise AssertionError("the Tab key does not reach the point")
        expect(d.page.eval_on_selector("#point-bytes .touch", "e => getComputedStyle(e).strokeWidth") == "3px", "nothing shows that the point has the focus")
        d.press("ArrowRight")
        d.until(f"Number(new URLSearchParams(location.hash.slice(1)).get('bytes')) > {dragged}")
        d.press("Tab")
        expect(d.page.evaluate("document.activeElement.id") == "point-ranks", "the second point is not the next place")
        d.press("ArrowRight")
        d.until("location.hash.includes('ranks=9')")
        expect("quicker below" in d.text("#view-cost") or "the quickest" in d.text("#view-cost"), "no crossing is told")


def check_numbers_are_edited(at):
    """Real numbers in the cells, added in the order of the bracket and rounded to floats; where two algorithms bracket differently is pointed out."""
    single = lambda x: struct.unpack("f", struct.pack("f", x))[0]
    with at.open("#algorithm=ring,tree&ranks=4&round=5&cells=numbers") as d:
        numbers = [0.1, 1e8, -1e8, 3.0]
        for rank, x in enumerate(numbers):
            d.page.fill(f".numbers label:nth-child({rank + 1}) input", repr(x))
        d.settle()
        floats = [single(x) for x in numbers]
        # The ring's chunk 0 begins at rank 1, and the lower rank stands left; the tree adds 0+1 and 2+3, and then both.
        ring = single(floats[0] + single(single(floats[1] + floats[2]) + floats[3]))
        tree = single(single(floats[0] + floats[1]) + single(floats[2] + floats[3]))
        note = d.text("#view-data .data-note")
        found = re.search(r"ring and tree add .* in different orders: (\S+) and (\S+)\. So their bits may differ\. With these numbers they get (\S+) and (\S+)\.", note)
        expect(found and found[1] == "0+((1+2)+3)" and found[2] == "(0+1)+(2+3)", note)
        expect([single(float(found[3])), single(float(found[4]))] == [ring, tree], f"{note}, not {ring} and {tree}")
        d.choose("#cells", "bracket")
        expect("0+((1+2)+3)" in d.text("#view-data"), "the bracket stands nowhere")
        d.choose("#algorithm-1", "circulant")
    with at.open("#algorithm=one_shot,two_shot&ranks=4&cells=bracket") as d:
        expect("in the same order: their sums of floats have the same bits" in d.text("#view-data .data-note"), d.text("#view-data .data-note"))
