// SPDX-License-Identifier: BSD-3-Clause
// The menu "Share and save": links, and files of what is shown.
import { copied } from "./clipboard.js";
import { h, listed } from "./dom.js";
import { csvOf } from "./export_csv.js";
import { gifOf } from "./export_gif.js";
import { canvasOf, svgOf } from "./export_svg.js";
import { toFragment } from "./state.js";

const MOST_PICTURES = 120;  // of a GIF
const GIF_WIDTH = 900;

const addressOf = (state, query = "") => location.href.replace(/[?#].*/, "") + query + toFragment(state);
const namesOf = (state) => listed(state.algorithm);
const titleOf = (state) => `${namesOf(state)}: ${state.collective.replaceAll("_", "-")} over ${state.ranks} rank${state.ranks === 1 ? "" : "s"}`;
const captionOf = (app) => [`${titleOf(app.state)}. Drawn by collectives ${app.core.version}.`, addressOf(app.state)];
const fileName = (app, end) => `${app.state.algorithm.join("-").replace(/[^\w-]+/g, "_")}-${app.state.collective}-${app.state.ranks}-${app.state.view}.${end}`;

function save(name, type, parts) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function shownView() { return document.querySelector("#view > .view:not([hidden])"); }

// The picture of the shown view, with nothing under way.
async function pictureOf(app) {
  const painted = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
  await painted();
  for (const a of document.getAnimations()) { try { a.finish(); } catch { a.cancel(); } }
  await painted();
  // The view without its controls, for as long as it is looked at.
  document.documentElement.classList.add("drawn");
  try { return svgOf(shownView(), captionOf(app), getComputedStyle(document.body).backgroundColor); }
  finally { document.documentElement.classList.remove("drawn"); }
}

// A picture per round (of very many, of 120 of them), or of forty moments where the clock is time. The state is as before in the end.
async function recorded(app, say) {
  const before = app.state;
  const byTime = before.clock === "time" && app.timed !== undefined;
  const total = byTime ? Math.max(0, ...app.panels.filter((p) => p.job && p.proof.ok).map((p) => app.timed(p).total)) : 0;
  const count = byTime ? 40 : Math.min(MOST_PICTURES, app.rounds + 1);
  const moments = Array.from({ length: count }, (_, i) => (byTime ? { time: (total * i) / (count - 1) } : { round: Math.round((app.rounds * i) / Math.max(1, count - 1)) - 1 }));
  const pictures = [];
  document.documentElement.classList.add("still");
  try {
    for (const moment of moments) {
      app.set(moment, { replace: true });
      say(`Drawing picture ${pictures.length + 1} of ${count}.`);
      pictures.push(await pictureOf(app));
    }
  } finally {
    document.documentElement.classList.remove("still");
    app.set(before, { replace: true });
  }
  const width = Math.max(...pictures.map((p) => p.width)), height = Math.max(...pictures.map((p) => p.height));
  const scale = Math.min(1, GIF_WIDTH / width), frames = [];
  const canvas = h("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  for (const [i, picture] of pictures.entries()) {
    brush.fillStyle = getComputedStyle(document.body).backgroundColor;
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(await canvasOf(picture, scale), 0, 0);
    const ends = i === 0 || i === pictures.length - 1;
    frames.push({ pixels: brush.getImageData(0, 0, canvas.width, canvas.height).data, seconds: byTime ? (ends ? 1.5 : 0.15) : ends ? 2 : 1 });
  }
  return gifOf(frames, canvas.width, canvas.height);
}

// The shown view, or all of them, on paper.
async function print(app, all) {
  const painted = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
  const show = (now) => {
    app.allViews = now;
    document.documentElement.classList.toggle("all-views", now);
    app.show(app.state);
  };
  if (all) {
    show(true);
    do { await painted(); } while (app.busy || app.isWorking);  // views begin at once, or when the panels are there
    await painted();
    addEventListener("afterprint", () => show(false), { once: true });
  }
  globalThis.print();
}

const FILES = {
  svg: ["SVG", "the shown view as a drawing", async (app) => save(fileName(app, "svg"), "image/svg+xml", [(await pictureOf(app)).text])],
  png: ["PNG", "the shown view as a picture", async (app) => {
    const canvas = await canvasOf(await pictureOf(app), 2);
    save(fileName(app, "png"), "image/png", [await new Promise((done) => { canvas.toBlob(done, "image/png"); })]);
  }],
  gif: ["GIF", "the run, a picture per round", async (app, say) => save(fileName(app, "gif"), "image/gif", [await recorded(app, say)])],
  goal: ["GOAL", "the schedule for LogGOPSim, a file per algorithm", async (app) => {
    const { bytes, gamma, collective } = app.state;
    const right = app.panels.filter((p) => p.job && p.proof.ok);
    const texts = right.map((p) => app.core.goal(p.job, collective === "barrier" ? 0 : bytes, gamma * 1e9));
    if (texts.length === 0 || texts.includes(null)) { throw new Error("only a schedule that proves can be written, of additions that end"); }
    right.forEach((p, i) => save(fileName({ state: { ...app.state, algorithm: [p.name] } }, "goal"), "text/plain", [`// ${p.name}. ${captionOf(app).join(" ")}\n`, texts[i]]));
  }],
  csv: ["CSV", "rounds and costs as a table", async (app) => save(fileName(app, "csv"), "text/csv", [csvOf(app.panels, app.state, captionOf(app).join(" "))])],
};

export function mountExport(tools, app) {
  const said = h("p", { role: "status", class: "quiet" });
  const say = (text) => { said.textContent = text; };
  const field = (id, label, text) => {
    const input = h("input", { type: "text", id, readOnly: true, onfocus: () => input.select() });
    const button = h("button", { type: "button", "aria-label": `Copy: ${label}`, onclick: async () => say((await copied(input.value)) ? "Copied." : "Not copied: select the text and copy it yourself.") }, "Copy");
    return { fill: () => { input.value = text(); }, element: h("div", { class: "share-line" }, h("label", { for: id }, label), input, button) };
  };
  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const fields = [
    field("share-link", "Link", () => addressOf(app.state)),
    field("share-frame", "Embed", () => `<iframe src="${escaped(addressOf(app.state, "?embed=1"))}" title="${escaped(titleOf(app.state))}" width="100%" height="560" style="border: 0"></iframe>`),
    field("share-markdown", "Markdown", () => `[${titleOf(app.state)}](${addressOf(app.state).replaceAll("(", "%28").replaceAll(")", "%29")})`),
  ];
  const fill = () => fields.forEach((f) => f.fill());
  let busy = false;
  const saves = Object.entries(FILES).map(([id, [name, what, act]]) => h("button", { type: "button", id: `save-${id}`, title: what, "aria-label": `Save ${name}: ${what}`, onclick: async () => {
    if (busy) { return; }
    busy = true;
    try {
      await act(app, say);
      say(`Saved: ${what}.`);
    } catch (e) { say(`Not saved: ${e.message}.`); }
    busy = false;
  } }, name));
  const prints = [["view", "this view", false], ["all", "all views", true]].map(([id, what, all]) => h("button", { type: "button", id: `print-${id}`, "aria-label": `Print ${what}`,
    onclick: async () => { open(false); button.focus(); await print(app, all); } }, what[0].toUpperCase() + what.slice(1)));
  const panel = h("div", { class: "share-panel", id: "share-panel", hidden: true, role: "group", "aria-label": "Share and save" },
    h("h2", {}, "Share"), h("p", { class: "quiet" }, "The link holds all that is shown."), fields.map((f) => f.element), h("h2", {}, "Save"), h("div", { class: "row" }, saves),
    h("h2", {}, "Print"), h("div", { class: "row" }, prints), said);
  const button = h("button", { type: "button", class: "plain no-print", id: "share", "aria-expanded": false, "aria-controls": "share-panel", onclick: () => open(panel.hidden) }, "Share and save");
  const box = h("div", { class: "share own-keys" }, button, panel);
  tools.prepend(box);

  function open(now) {
    panel.hidden = !now;
    button.setAttribute("aria-expanded", now);
    say("");
    fill();
    // The panel hangs at the button's right end, but never beyond the window's left edge.
    panel.style.setProperty("--shift", "0px");
    if (now) { panel.style.setProperty("--shift", `${Math.max(0, 8 - panel.getBoundingClientRect().left)}px`); }
  }
  box.addEventListener("keydown", (e) => {
    if (e.key === "Escape" && !panel.hidden) { open(false); button.focus(); }
  });
  document.addEventListener("pointerdown", (e) => { if (!panel.hidden && !box.contains(e.target)) { open(false); } });
  app.onChange(() => { if (!panel.hidden) { fill(); } });
}
