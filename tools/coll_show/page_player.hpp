// SPDX-License-Identifier: BSD-3-Clause
// The page's script, last part: the player, its keys and links.
#pragma once

namespace coll_show {

inline constexpr auto page_player = R"js(
const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
const views = [];
const timeline = data.trace ? new Timeline(data.trace) : null;

// The round on show and how much of it is over; `goal` is where a running animation ends.
const player = { round: -1, t: 1, playing: false, started: 0, from: 0 };

function paint() {
  for (const { canvas, panel, lit } of views) {
    drawPanel(canvas, panel, player.round, player.t, lit);
  }
  if (timeline) { timeline.draw($("timeline"), player.round); }
}

function write() {
  const r = player.round;
  for (const view of views) {
    writeSays(view.says, view.panel, r);
    writeSoFar(view.soFar, view.panel, r);
    view.lit = -1;
    writeMoves(view.moves, view.panel, r, (index) => { view.lit = index; paint(); });
    view.canvas.setAttribute("aria-label", view.panel.name + ", after " + roundName(r) + ": "
      + sentence(view.panel, r) + " The table at the end of the page holds the values.");
  }
  $("slider").value = r;
  $("slider").setAttribute("aria-valuetext", roundName(r));
  $("where").textContent = r < 0 ? "start of " + count(lastRound + 1, "round")
    : "round " + r + ", the " + ordinal(r + 1) + " of " + (lastRound + 1);
  $("status").textContent = views.map((v) => v.panel.name + ", " + roundName(r) + ": "
    + sentence(v.panel, r)).join(" ");
  $("tableTitle").textContent = (r < 0 ? "The start" : "Round " + r) + " as a table";
  $("tables").replaceChildren(...panels.map((panel) => tableOf(panel, r)));
  const hash = "#round=" + (r < 0 ? "start" : r);
  if (location.hash !== hash) { history.replaceState(null, "", hash); }
}

// Shows round `r` at once, or lets its transfers run.
function show(r, animate) {
  const bounded = Math.max(-1, Math.min(lastRound, r));
  const forward = bounded === player.round + 1;
  player.round = bounded;
  player.t = animate && forward && !still ? 0 : 1;
  player.started = performance.now();
  write();
  paint();
  if (player.t < 1) { requestAnimationFrame(frame); }
}

function frame(now) {
  const speed = Number($("speed").value);
  const length = (player.playing ? 1500 : 800) / speed;
  const rest = 650 / speed;
  const gone = Math.max(0, now - player.started);
  if (player.t < 1) {
    player.t = Math.min(1, gone / length);
    paint();
  }
  if (player.t < 1) { requestAnimationFrame(frame); return; }
  if (!player.playing) { return; }
  if (player.round >= lastRound) { pause(); return; }
  if (gone < (player.round < 0 ? rest : length + rest)) { requestAnimationFrame(frame); return; }
  player.started = now;
  show(player.round + 1, true);
  if (player.t >= 1) { requestAnimationFrame(frame); }
}

function pause() {
  player.playing = false;
  $("play").textContent = "\u25B6\uFE0E Play";
  $("play").setAttribute("aria-label", "play");
}

function toggle() {
  if (player.playing) { pause(); return; }
  player.playing = true;
  $("play").textContent = "\u23F8\uFE0E Pause";
  $("play").setAttribute("aria-label", "pause");
  show(player.round >= lastRound ? -1 : player.round + 1, true);
  if (player.t >= 1) { requestAnimationFrame(frame); }
}

const go = (r, animate = false) => { pause(); show(r, animate); };

function fromLink() {
  const match = /round=(start|-?\d+)/.exec(location.hash);
  if (match) { go(match[1] === "start" ? -1 : Number(match[1])); }
  return match !== null;
}

function buildPanels() {
  const home = $("panels");
  home.className = panels.length === 2 ? "two" : "one";
  for (const panel of panels) {
    const node = $("panel").content.cloneNode(true).firstElementChild;
    const size = panel.chunks === 1 ? "the whole vector at once" : count(panel.chunks, part);
    node.querySelector("h2").append(panel.name,
      make("span", " \u2013 " + count(panel.rounds.length, "round") + ", " + size));
    home.append(node);
    views.push({ panel, lit: -1, canvas: node.querySelector("canvas"),
      says: node.querySelector(".says"), soFar: node.querySelector(".sofar"),
      moves: node.querySelector(".moves") });
  }
}

function buildTicks() {
  const step = niceStep((lastRound + 1) / 14);
  for (let r = -1; r <= lastRound; r = r < 0 ? (step > 1 ? step : 0) : r + step) {
    const tick = make("span", r < 0 ? "start" : String(r));
    tick.style.left = 100 * (r + 1) / Math.max(1, lastRound + 1) + "%";
    $("ticks").append(tick);
  }
}

function chip(verb, text) {
  const word = make("span", text, "chip");
  word.style.background = verbColors[verb];
  return word;
}

function buildTimeline() {
  $("times").hidden = false;
  $("timesIntro").append("Operation " + data.trace.operation + " of " + data.trace.file
    + ". Per rank: above ", chip("send", "its sends"), ", below what it ");
  if (data.reduces) { $("timesIntro").append(chip("recv_reduce", "receives and adds"), " or "); }
  $("timesIntro").append(chip("recv_copy", "receives"),
    ". The numbers are rounds; click a step to see its round.");
  timeline.fill($("timesTable"));
  $("timeline").addEventListener("mousemove", (event) => {
    const step = timeline.at($("timeline"), event);
    $("timesPoint").textContent = step ? timeline.describe(step) : "\u00a0";
  });
  $("timeline").addEventListener("click", (event) => {
    const step = timeline.at($("timeline"), event);
    if (step) { go(step.round); }
  });
}

function keys(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) { return; }
  if (/^(SELECT|SUMMARY|BUTTON)$/.test(event.target.tagName) && event.key === " ") { return; }
  if (event.target.tagName === "SELECT") { return; }
  const actions = {
    ArrowRight: () => go(player.round + 1, true),
    ArrowLeft: () => go(player.round - 1),
    Home: () => go(-1),
    End: () => go(lastRound),
    " ": toggle,
  };
  const action = actions[event.key];
  if (!action) { return; }
  event.preventDefault();
  action();
}

document.querySelector("main").hidden = false;
$("intro").textContent = data.intro;
$("slider").max = lastRound;
$("slider").addEventListener("input", () => go(Number($("slider").value)));
$("first").addEventListener("click", () => go(-1));
$("back").addEventListener("click", () => go(player.round - 1));
$("next").addEventListener("click", () => go(player.round + 1, true));
$("last").addEventListener("click", () => go(lastRound));
$("play").addEventListener("click", toggle);
document.addEventListener("keydown", keys);
window.addEventListener("hashchange", fromLink);
window.addEventListener("resize", paint);
buildPanels();
buildTicks();
writeCosts();
writeProofs();
writeLegend();
if (timeline) { buildTimeline(); }
if (!fromLink()) { show(-1); }
)js";

}  // namespace coll_show
