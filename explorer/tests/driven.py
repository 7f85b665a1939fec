# SPDX-License-Identifier: BSD-3-Clause
"""The page in Chromium, and a person at its keyboard."""
import pathlib
import time

SLOW = 20000  # milliseconds after which something will not happen any more


class Driven:
    """One tab with the page in it. What it says on the console, and what it asks for, are kept."""

    def __init__(self, browser, file, fragment="", **context):
        # What moves is shown at its end, so that tests need not wait for it.
        self.context = browser.new_context(**{"reduced_motion": "reduce"} | context)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = self.context.new_page()
        self.page.set_default_timeout(SLOW)
        self.wrong = []
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.wrong.append(f"console: {m.text}"))
        self.page.on("pageerror", lambda e: self.wrong.append(f"error: {e}"))
        self.page.on("request", self.asked)
        self.page.add_init_script("""
            const look = setInterval(() => {
                if (document.getElementById("figures")?.dataset.proof === undefined) { return; }
                clearInterval(look);
                requestAnimationFrame(() => setTimeout(() => { window.shownAt = performance.now(); }));
            }, 2);""")
        self.page.goto(pathlib.Path(file).resolve().as_uri() + fragment)
        self.until("window.shownAt !== undefined")
        self.settle()

    def asked(self, request):
        if request.is_navigation_request() and request.url.startswith("file:"):
            return
        if not request.url.startswith(("data:", "blob:")):
            self.wrong.append(f"request: {request.url[:100]}")

    def close(self):
        self.context.close()
        if self.wrong:
            raise AssertionError("; ".join(self.wrong))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.close()
        else:
            self.context.close()

    # --- what the page says

    def settle(self):
        """Waits until nothing is being computed, and what is there is drawn."""
        self.until("document.getElementById('figures').dataset.busy !== 'true'")
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def figures(self):
        self.settle()
        return self.page.eval_on_selector("#figures", "e => ({...e.dataset})")

    def state(self):
        """The URL's fragment, as a dictionary."""
        return dict(self.page.evaluate("[...new URLSearchParams(location.hash.slice(1))]"))

    def text(self, css):
        self.settle()
        return self.page.eval_on_selector(css, "e => e.innerText")

    def tabs(self):
        """The names of the tabs: data, time, ..."""
        return self.page.eval_on_selector_all("[role=tab]", "all => all.map(e => e.id.replace('tab-', ''))")

    def until(self, expression):
        """Waits until JavaScript's `expression` is true. (Playwright's own waiting needs an eval, which the page
        refuses.)"""
        end = time.monotonic() + SLOW / 1000
        while not self.page.evaluate(expression):
            if time.monotonic() > end:
                raise AssertionError(f"this never came true: {expression}")
            self.page.wait_for_timeout(10)

    def await_figures(self, **wanted):
        for name, value in wanted.items():
            self.until(f"document.getElementById('figures').dataset.{name} === '{value}'")

    # --- by keyboard alone

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def reach(self, css):
        """Presses Tab until an element that matches has the focus, which must be seen."""
        for _ in range(400):
            if self.page.evaluate("css => document.activeElement?.matches(css) ?? false", css):
                self.expect_seen_focus(css)
                return
            self.press("Tab")
        raise AssertionError(f"the Tab key never reaches {css}")

    def expect_seen_focus(self, css):
        seen = self.page.evaluate("""() => {
            const on = document.activeElement, around = [on, on.parentElement, on.parentElement?.parentElement];
            return around.filter((e) => e).some((e) => {
                const s = getComputedStyle(e);
                return ((s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1) || s.boxShadow !== "none");
            });
        }""")
        if not seen:
            raise AssertionError(f"nothing shows that {css} has the focus")

    def activate(self, css):
        self.reach(css)
        self.press("Enter")

    def choose(self, css, value):
        """Of a list that one chooses from: goes down from its first line."""
        self.reach(css)
        values = self.page.evaluate("[...document.activeElement.options].map(o => o.value)")
        self.press("Home", *["ArrowDown"] * values.index(value))
        if self.page.evaluate("document.activeElement.value") != value:
            raise AssertionError(f"{css} cannot be set to {value} by keys")

    def fill(self, css, text):
        self.reach(css)
        self.press("Control+a")
        self.page.keyboard.insert_text(str(text))

    def go(self, tab):
        """To a tab, by the arrow keys."""
        self.reach("[role=tab][aria-selected=true]")
        for _ in self.tabs():
            if self.page.evaluate("document.activeElement.id") == f"tab-{tab}":
                break
            self.press("ArrowRight")
        self.until(f"!document.getElementById('view-{tab}').hidden")
