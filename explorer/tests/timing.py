# SPDX-License-Identifier: BSD-3-Clause
"""How soon the page answers. The machine may be busy with other tests: times are those of the processor, or are
divided by what a loop takes longer than its time on the processor."""
import statistics


def expect(true, words):
    if not true:
        raise AssertionError(words)


MOST_IN_A_TASK = 120  # milliseconds

CHANGE = """async ([id, value, rounds]) => {
    const figures = document.getElementById("figures"), field = document.getElementById(id);
    let longest = 0, last = performance.now();
    const tick = setInterval(() => { longest = Math.max(longest, performance.now() - last); last = performance.now(); }, 4);
    await new Promise((done) => setTimeout(done, 60));
    longest = 0;
    const began = last = performance.now();
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    while (figures.dataset.busy === "true" || figures.dataset.rounds !== rounds) { await new Promise((done) => setTimeout(done)); }
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    await frame();
    await frame();
    document.body.offsetHeight;
    const took = performance.now() - began;
    clearInterval(tick);
    return [took, longest];
}"""


LOOP = """() => { const began = performance.now(); let x = 1;
    for (let i = 0; i < 3e7; ++i) { x = (x * 48271) % 2147483647; }
    return performance.now() - began + (x === 0); }"""


class Meter:
    """What the page's thread takes on the processor, in milliseconds."""

    def __init__(self, d):
        self.d = d
        self.session = d.context.new_cdp_session(d.page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def now(self, *names):
        metrics = {m["name"]: m["value"] for m in self.session.send("Performance.getMetrics")["metrics"]}
        return 1000 * sum(metrics[n] for n in names)

    def of(self, script, argument=None, names=("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")):
        before = self.now(*names)
        result = self.d.page.evaluate(script, argument)
        return self.now(*names) - before, result

    def slowdown(self):
        """How many times as long as on its own the machine takes now."""
        busy, took = self.of(LOOP, names=("TaskDuration",))
        return max(1, took / busy)


def change(ranks):
    return ["ranks", str(ranks), str(2 * (ranks - 1))]


def check_first_picture(at):
    """Within a second, with all figures."""
    times = []
    for _ in range(5):
        with at.open("#algorithm=ring&ranks=8") as d:
            times.append(round(d.page.evaluate("shownAt") / Meter(d).slowdown()))
    expect(statistics.median(times) <= 1000, f"first picture after {times} ms")
    return f"{statistics.median(times)} ms"


def check_changes(at):
    """Within 50 ms up to 64 ranks, on each tab: script, style and layout."""
    said = []
    for tab in at.tabs:
        with at.open(f"#algorithm=ring&ranks=4&view={tab}") as d:
            meter = Meter(d)
            for ranks in (5, 6, 8):
                meter.of(CHANGE, change(ranks))
            medians = []
            for sizes in ([64, 7, 48, 9, 62], [61, 16, 47, 10, 60], [59, 15, 46, 11, 58]):
                medians.append(statistics.median(meter.of(CHANGE, change(p))[0] for p in sizes))
                if medians[-1] <= 50:
                    break
            expect(min(medians) <= 50, f"a change on the tab {tab} takes {[round(m) for m in medians]} ms")
            said.append(f"{tab} {min(medians):.0f}")
    return ", ".join(said) + " ms"


def check_large(at):
    """256 ranks within a second, and the page answers meanwhile."""
    said = []
    for tab in at.tabs:
        tries = []
        for _ in range(3):
            with at.open(f"#algorithm=ring&ranks=4&view={tab}") as d:
                meter = Meter(d)
                meter.of(CHANGE, change(5))
                before = meter.slowdown()
                took, longest = meter.of(CHANGE, change(256))[1]
                slow = max(before, meter.slowdown())
                tries.append([round(took / slow), round(longest / slow)])
            if tries[-1][0] <= 1000 and tries[-1][1] <= 250:
                break
        else:
            raise AssertionError(f"256 ranks on the tab {tab}: [takes, does not answer for] {tries} ms")
        said.append(f"{tab} {tries[-1][0]}/{tries[-1][1]}")
    return ", ".join(said) + " ms until it is there/without an answer"


def longest_tasks(d, act):
    """The tasks of the page's thread while `act()` runs, in milliseconds of the processor: the longest before the others."""
    session, events, ended = d.context.browser.new_browser_cdp_session(), [], []
    session.on("Tracing.dataCollected", lambda m: events.extend(m["value"]))
    session.on("Tracing.tracingComplete", lambda _: ended.append(True))
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": {"includedCategories": ["toplevel"]}})
    act()
    session.send("Tracing.end")
    while not ended:
        d.page.wait_for_timeout(20)
    threads = {(e["pid"], e["tid"]) for e in events if e.get("name") == "thread_name" and e["args"]["name"] == "CrRendererMain"}
    tasks = {}
    for e in events:
        if (e["pid"], e["tid"]) in threads and e["name"].endswith("RunTask") and "tdur" in e:
            tasks.setdefault(e["pid"], []).append(e["tdur"] / 1000)
    return sorted(max(tasks.values(), key=sum), reverse=True)


def check_large_in_parts(at):
    """256 ranks, and a round further: no task holds the page's thread for long, whatever else the machine does."""
    said = []
    for names in ("ring", "ring,tree,two_shot"):
        for tab in at.tabs[:4] if "," in names else at.tabs:
            tries = []
            for _ in range(3):
                with at.open(f"#algorithm={names}&ranks=5&view={tab}") as d:
                    def act():
                        d.page.evaluate(CHANGE, change(256))
                        d.page.wait_for_timeout(700)  # what is told, drawn and counted afterwards
                        d.page.evaluate("() => document.getElementById('player-next').click()")
                        d.page.wait_for_timeout(200)
                    tries.append(round(longest_tasks(d, act)[0]))
                if tries[-1] <= MOST_IN_A_TASK:
                    break
            else:
                raise AssertionError(f"256 ranks of {names} on the tab {tab}: a task of {tries} ms")
            said.append(f"{tab} {tries[-1]}")
    return ", ".join(said) + " ms of the processor in one task, of one algorithm and of three"
