// SPDX-License-Identifier: BSD-3-Clause
// The player: steps through rounds, or through time, by buttons, slider and keys.
import { h, s } from "./dom.js";
import { asOneOf, declare } from "./state.js";
import { seconds } from "./numbers.js";
import { preparations, told as describe } from "./told.js";

const ICONS = {
  first: "M4 4h2.5v16H4zM20 4v16L8 12z", back: "M17 4v16L6 12z", play: "M6 3.5v17L20 12z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z", next: "M7 4v16l11-8z", last: "M17.5 4H20v16h-2.5zM4 4v16l12-8z",
};
const SPEEDS = { slow: 2000, normal: 1000, fast: 350 };
const SWEEP = 8000;  // milliseconds that the whole time takes at normal speed

export function mountPlayer(at, told, app) {
  declare({ clock: { initial: "round", ...asOneOf("round", "time") }, speed: { initial: "normal", ...asOneOf(...Object.keys(SPEEDS)) } });
  let timer = 0, frame = 0;
  const icon = (name) => s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
  const button = (name, label, act) => h("button", { type: "button", class: name, id: `player-${name}`, "aria-label": label, title: label,
    onclick: act }, icon(name));
  const first = button("first", "To the start", () => go(-1));
  const back = button("back", "One round back", () => step(-1));
  const play = button("play", "Play", toggle);
  const next = button("next", "One round forward", () => step(1));
  const last = button("last", "To the end", () => go(Infinity));
  play.classList.add("strong");
  const slider = h("input", { type: "range", id: "slider", oninput: () => { stop(); move(Number(slider.value)); } });
  const where = h("div", { class: "where" }, h("b", {}), h("span", {}));
  const clock = h("select", { id: "clock", onchange: () => { stop(); app.set({ clock: clock.value }); } },
    h("option", { value: "round" }, "by round"), h("option", { value: "time" }, "by time"));
  const clockField = h("label", {}, h("span", { class: "word" }, "Clock"), clock);
  const speed = h("select", { id: "speed", onchange: () => app.set({ speed: speed.value }) },
    Object.keys(SPEEDS).map((k) => h("option", { value: k }, k)));
  // In a small window the player is one line; what is asked for seldom comes with this button.
  const more = h("button", { type: "button", class: "more", id: "player-more", "aria-label": "More of the player", title: "More of the player", "aria-expanded": "false",
    onclick: () => more.setAttribute("aria-expanded", at.classList.toggle("open")) }, "\u22ef");
  at.append(h("div", { class: "buttons" }, first, back, play, next, last), h("div", { class: "scrub" }, slider), where, clockField,
    h("label", {}, h("span", { class: "word" }, "Speed"), speed), more);

  const byTime = () => app.state.clock === "time" && app.timed !== undefined;
  const total = () => Math.max(0, ...app.panels.filter((p) => p.job && p.proof.ok).map((p) => app.timed(p).total));
  const now = () => (byTime() ? Math.min(app.state.time, total()) : app.state.round);
  const end = () => (byTime() ? total() : app.rounds - 1);
  const start = () => (byTime() ? 0 : -1);

  function move(to) {
    const patch = byTime() ? { time: Math.max(0, Math.min(to, total())) } : { round: Math.max(-1, Math.min(Math.round(to), end())) };
    app.set(patch, { replace: true });
  }
  function go(to) { stop(); move(Math.max(start(), Math.min(to, end()))); }
  // By time: to the next moment at which something arrives.
  function step(by) {
    stop();
    if (!byTime()) { move(now() + by); return; }
    const at = now();
    let to = by > 0 ? total() : 0;
    for (const p of app.panels.filter((q) => q.job && q.proof.ok)) {
      for (const t of app.timed(p).end) {
        if (by > 0 && t > at * (1 + 1e-9)) { to = Math.min(to, t); }
        if (by < 0 && t < at * (1 - 1e-9)) { to = Math.max(to, t); }
      }
    }
    move(to);
  }
  function stop() {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    timer = frame = 0;
    app.playing = false;
    drawPlay();
  }
  function toggle() {
    if (app.playing) { stop(); return; }
    if (now() >= end()) { move(start()); }
    app.playing = true;
    drawPlay();
    if (byTime()) { frame = requestAnimationFrame((t) => sweep(t)); } else { timer = setTimeout(tick, 120); }
  }
  // From where the player stands; who wants no motion sees the first round.
  app.play = () => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) { step(1); } else if (!app.playing) { toggle(); }
  };
  function tick() {
    if (app.busy) { timer = setTimeout(tick, 120); return; }
    if (now() >= end()) { stop(); return; }
    move(now() + 1);
    timer = setTimeout(tick, SPEEDS[app.state.speed]);
  }
  function sweep(before) {
    frame = requestAnimationFrame((t) => {
      if (now() >= total()) { stop(); return; }
      move(now() + (t - before) / SWEEP * total() * SPEEDS.normal / SPEEDS[app.state.speed]);
      if (app.playing) { sweep(t); }
    });
  }
  function drawPlay() {
    const name = app.playing ? "pause" : "play";
    play.replaceChildren(icon(name));
    play.setAttribute("aria-label", app.playing ? "Pause" : "Play");
    play.title = play.getAttribute("aria-label");
  }

  // After a click on one of the player's buttons the space key plays, though that button has the focus;
  // a button that was reached by the keyboard does what it says.
  let clicked = null, taken = false;
  at.addEventListener("click", (e) => { clicked = e.detail > 0 ? e.target.closest("button") : null; });
  addEventListener("keyup", (e) => { if (taken && e.key === " ") { taken = false; e.preventDefault(); } });
  addEventListener("keydown", (e) => {
    const on = e.target;
    if (["Tab", "Enter"].includes(e.key)) { clicked = null; }
    if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || at.hidden || e.defaultPrevented) { return; }
    if (on.closest?.("input, select, textarea, summary, [contenteditable], [role=tab], [role=slider], a, .own-keys")) { return; }
    // Home and End scroll the page, but not from the player.
    const button = on.closest?.("button"), here = at.contains(on);
    const act = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), " ": button && button !== clicked ? undefined : toggle,
                  Home: here ? () => go(-Infinity) : undefined, End: here ? () => go(Infinity) : undefined }[e.key];
    if (act) { taken = e.key === " "; e.preventDefault(); act(); }
  });

  let said = "", telling = 0;
  app.onChange((_, before) => {
    const { state } = app;
    clockField.hidden = app.timed === undefined;
    clock.value = state.clock;
    speed.value = state.speed;
    const [least, most] = [start(), Math.max(start(), end())];
    slider.min = least;
    slider.max = most;
    slider.step = byTime() ? "any" : 1;
    slider.value = now();
    const nothing = most <= least;
    slider.disabled = nothing;
    play.disabled = nothing;
    // A button that has nothing to do any more gives the focus away before it loses it.
    const focused = document.activeElement;
    if (!nothing && (now() <= least ? [first, back] : now() >= most ? [next, last] : []).includes(focused)) { play.focus(); }
    first.disabled = back.disabled = now() <= least;
    next.disabled = last.disabled = now() >= most;
    const name = byTime() ? `${seconds(now())}` : state.round < 0 ? "Start" : `Round ${state.round}`;
    const among = byTime() ? `of ${seconds(most)}` : app.busy ? "computing" : app.rounds > 1 ? `${state.round < 0 ? "rounds" : "of"} 0 to ${app.rounds - 1}` : app.rounds === 1 ? "the only one" : "no rounds";
    const [left, right] = byTime() ? ["To the arrival before", "To the next arrival"] : ["One round back", "One round forward"];
    for (const [b, text] of [[back, left], [next, right]]) { b.title = text; b.setAttribute("aria-label", text); }
    where.firstChild.textContent = name;
    where.lastChild.textContent = among;
    slider.setAttribute("aria-label", byTime() ? "Time" : "Round");
    slider.setAttribute("aria-valuetext", `${name}, ${among}`);
    if (app.playing && before && before.algorithm.join() !== state.algorithm.join()) { stop(); }
    // Each round is told once; by time, the player's slider says the time. What is seen comes first.
    clearTimeout(telling);
    const mine = telling = setTimeout(() => {
      const part = (act) => app.apart(() => { if (mine === telling) { act(); } });
      if (!byTime() && !app.busy) { preparations(app).forEach(part); }
      part(() => {
        const text = byTime() || app.busy ? "" : describe(app);
        if (text !== said) { said = text; told.textContent = before ? text : ""; }
      });
    }, 40);
  });
}
