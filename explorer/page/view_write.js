// SPDX-License-Identifier: BSD-3-Clause
// The view in which the reader writes an algorithm.
import { h, listed, plural } from "./dom.js";
import { NAMES, algorithm as textOf, example, library } from "./language/headers.js";
import { linesAtTime, linesOfRound } from "./language/lines.js";
import { compilerExplorerLink, toCompileAlone, toEdit, toSave } from "./language/texts.js";
import { toFragment } from "./state.js";
import { MOST_PANELS } from "./app.js";
import { FIRST } from "./own.js";
import { makeEditor } from "./write_editor.js";
import { costCard, errorList, proofCard, proofs } from "./write_results.js";

const LONG_LINK = 8000, LONGEST_ELSEWHERE = 14000;
const LOADS = [["a first algorithm", () => FIRST], ["custom_algorithm.cpp", example],
  ...NAMES.map((name) => [name, () => toEdit(textOf(name), name)])];

export default {
  id: "write",
  title: "Write",
  mount(host, app) {
    const { own } = app;
    let timer = 0, drawn = "", mine = "", kept = false, before = null;
    let placed = "";  // the text that the editor got or gave last: what was typed since is not taken from it
    // Who leaves the text, perhaps for another part of the page, leaves it as it stands there.
    const taken = () => {
      clearTimeout(timer);
      changed(editor.text);
    };
    const editor = makeEditor("write-text", "write-keys write-running", () => {
      clearTimeout(timer);
      timer = setTimeout(taken, 250);
    }, taken);

    const load = h("select", { id: "write-load" }, LOADS.map(([name], i) => h("option", { value: i }, name)));
    const button = h("button", { type: "button", id: "write-take", onclick: () => {
      editor.replace(LOADS[load.value][1]());
      taken();
    } }, "Load");
    // The same as Ctrl+Z in the text, for who has no such key: there is one history, that of the text.
    const undo = h("button", { type: "button", id: "write-undo", title: "Takes back what was typed or loaded", onclick: () => { editor.undo(); } }, "Undo");
    const parameter = h("input", { type: "number", id: "write-parameter", min: 1, max: 256, onchange: () => {
      if (!parameter.validity.valid || parameter.value === "") { return; }
      own.take(own.text, Number(parameter.value));
      app.set({ source_parameter: Number(parameter.value), algorithm: own.among(app.state.algorithm, own.name) });
    } });
    const parameterField = h("label", { class: "row" }, "Its parameter ", parameter);
    const said = h("div", { class: "card said", role: "status" }), results = h("div", { class: "results" });
    const running = h("p", { class: "quiet running", id: "write-running" }), keys = h("p", { class: "quiet", id: "write-keys" },
      h("kbd", {}, "Tab"), " indents; ", h("kbd", {}, "Esc"), ", then ", h("kbd", {}, "Tab"), " leaves the text. ", h("kbd", {}, "Ctrl+Z"), " is Undo.");
    const instead = h("p", { class: "row instead", role: "status" });
    const task = h("span", {}), goal = h("p", { class: "row", id: "write-task", hidden: true }, task,
      h("button", { type: "button", id: "write-back", onclick: () => app.set({ view: "tasks" }) }, "Back to the task"));
    host.append(goal,
      h("div", { class: "row write-top" }, h("label", { class: "row" }, "Start from ", load), button, undo, parameterField, keys),
      h("div", { class: "write-columns" }, h("div", { class: "write-left" }, running, editor.node),
        h("div", { class: "write-right" }, said, instead, results)));

    const playMine = h("button", { type: "button", class: "plain", onclick: () => { kept = false; app.set({ algorithm: own.among(app.state.algorithm, null), round: 0 }); } }, "Play mine here");

    // What was typed or loaded is the page's algorithm at once, and stands in its URL.
    async function changed(text) {
      if (text === own.text) { return; }
      const name = own.name, shown = app.state.algorithm;
      placed = text;
      own.take(text);
      const algorithm = kept && !shown.includes(name) ? shown : own.among(shown, name);
      if (!shown.includes(name) && algorithm !== shown) { before = shown; }
      app.show({ ...app.state, algorithm, ...ranksBefore() });
      const patch = await own.patch();
      if (own.text === text) { app.set({ ...patch, algorithm: app.state.algorithm }, { replace: true }); }
    }

    // The ranks were changed to show a mistake: once there is none, they are as before. Who has changed them since keeps them.
    function ranksBefore() {
      const shown = own.ranksShown;
      if (shown?.now !== app.state.ranks || shown.mended || !own.algorithm || proved().some((p) => p.fits && !p.ok)) { return {}; }
      own.ranksShown = { now: shown.before, mended: true };
      return { ranks: shown.before };
    }

    // Opens a view at its top: what it shows is seen, and the player under it.
    function open(patch) {
      app.set(patch);
      document.getElementById("tabs").scrollIntoView({ block: "start" });
    }
    function play() {
      open({ algorithm: own.among(app.state.algorithm, null), view: "data", round: -1, time: 0 });
      app.play();
    }
    // A ring beside it; where there is no place for one more, in the place of another, which is said.
    function compare() {
      const { name } = own, shown = own.among(app.state.algorithm, null), others = shown.filter((n) => n !== name && n !== "ring");
      const gone = shown.includes("ring") || shown.length < MOST_PANELS ? undefined : others.at(-1);
      const algorithm = [...shown.filter((n) => n !== gone), ...(shown.includes("ring") ? [] : ["ring"])];
      if (gone) { app.replaced = { now: algorithm.join(), text: `ring takes the place of ${gone}.`, before: shown }; }
      open({ algorithm, view: "cost" });
    }

    function save() {
      const { algorithm } = own, sizes = proofs({ ...app, state: { ...app.state, collective: "all_reduce" } }, own).filter((p) => p.ok && p.size > 1).map((p) => p.size);
      const text = toSave(own.text, algorithm, own.notes, sizes.filter((n) => n <= 8));
      const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: `${algorithm.type}.hpp` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }

    function useCard() {
      const { algorithm } = own, { type, spaces, name } = algorithm;
      const full = [...spaces, type].join("::"), made = `${full}{${algorithm.takesParameter ? algorithm.parameter : ""}}`;
      const alone = toCompileAlone(own.text, algorithm, own.notes, Math.min(app.state.ranks, 8), library), elsewhere = compilerExplorerLink(alone);
      const file = `${type}.hpp${spaces.length ? `:${full}` : ""}`, shown = algorithm.takesParameter ? `${name}:${algorithm.parameter}` : name;
      const length = location.href.split("#")[0].length + toFragment(app.state).length;
      return h("section", { class: "card" }, h("h2", {}, "Use it"),
        h("div", { class: "row" },
          h("button", { type: "button", class: faulty().wrong ? null : "strong", id: "write-play", onclick: play }, "Play it"),
          h("button", { type: "button", id: "write-compare", onclick: compare }, "Compare with ring"),
          h("button", { type: "button", id: "write-save", onclick: save }, `Save ${type}.hpp`)),
        h("p", { class: "after" }, elsewhere.length <= LONGEST_ELSEWHERE
          ? h("a", { href: elsewhere, target: "_blank", rel: "noopener noreferrer", id: "write-elsewhere" }, "Open in Compiler Explorer")
          : "The text is too long for a link to Compiler Explorer; the saved header has all of it.",
        elsewhere.length <= LONGEST_ELSEWHERE && h("span", { class: "quiet" }, " (a program of its own, with what a step is; it leaves this page)")),
        h("details", { id: "write-how" }, h("summary", {}, "In a program, and in the tools"),
          h("pre", { class: "wide", tabIndex: 0 }, `#include <collectives/collectives.hpp>\n#include "${type}.hpp"\n\ncomm.all_reduce(v, collectives::sum{}, {.algorithm = ${made}});`),
          h("pre", { class: "wide", tabIndex: 0 }, `coll_show --load ${file} ${shown} ${app.state.ranks}`)),
        app.state.source !== "" && h("p", { class: "quiet" }, `The address of this page has your text in it: send it, and the other one sees the same. It has ${plural(length, "character")}.`,
          length > LONG_LINK && h("b", {}, " Some programs cut so long an address: save the header too.")));
    }

    // What is found has one use: whatever its functions are called, they are or make an all-reduce.
    const USE = "That is an all-reduce; the library makes the other collectives from it.";

    function subset() {
      return h("details", { class: "card", id: "write-subset" }, h("summary", {}, "What this page reads"),
        h("p", {}, "The C++ that the library's own algorithm files are written in: int, bool, enumerations and structs; functions, constructors and lambdas; if, for, while, return; all operators on int, with 32 bits: an overflow is a mistake here, as for the compiler."),
        h("p", {}, "Three verbs, each over a range of chunks: ", h("code", {}, "send"), " sends them to the peer; ", h("code", {}, "recv_reduce"), " receives them and adds them to what is here; ",
          h("code", {}, "recv_copy"), " receives them and replaces what is here. Every send needs a receive at the peer, in the same round and with the same chunks. The rounds of a rank ascend."),
        h("p", {}, "Anything else is a mistake that names its line. Nothing is read in another way than a compiler reads it."),
        own.notes.length > 0 && h("ul", {}, own.notes.map((n) => h("li", {}, `Line ${n.line} is left out: ${n.text}`))));
    }

    // What is typed plays in place of another algorithm: that is said, with the way back. It is no undo: the text stays.
    let told = "";
    function tellInstead() {
      const away = before?.find((n) => !app.state.algorithm.includes(n)), now = away && app.state.algorithm.includes(own.name) ? `${own.name} now plays in place of ${away}.` : "";
      if (now === told) { return; }
      told = now;
      instead.replaceChildren(...(now ? [now, h("button", { type: "button", id: "write-instead", onclick: () => {
        const algorithm = before;
        kept = true;
        before = null;
        app.set({ algorithm });
        editor.field.focus();
      } }, `Play ${away} again`)] : []));
      instead.hidden = now === "";
    }

    // The proofs hang on the text, the collective and the root.
    let asked = "", known = [];
    function proved() {
      const now = [own.version, app.state.collective, app.state.root].join(" ");
      if (now !== asked) { asked = now; known = proofs(app, own); }
      return known;
    }
    // What is drawn anew keeps the focus, and what was open.
    function keeping(work) {
      const focused = host.contains(document.activeElement) ? document.activeElement.id : "";
      const open = [...host.querySelectorAll("details[open]")].map((d) => d.id);
      work();
      for (const id of open) { document.getElementById(id)?.setAttribute("open", ""); }
      if (focused && document.activeElement?.id !== focused) { document.getElementById(focused)?.focus(); }
    }

    function draw() {
      if (own.text !== placed) { placed = own.text; editor.set(own.text); }
      task.textContent = app.building ?? "";
      goal.hidden = !app.building;
      parameterField.hidden = !own.algorithm?.takesParameter;
      if (document.activeElement !== parameter) { parameter.value = own.parameter; }
      const { algorithm, errors } = own;
      const shown = [own.version, app.state.collective, app.state.root, app.state.ranks, app.state.bytes, app.state.source].join(" ") + app.panels.map((p) => `${p.name}${p.busy}`).join();
      if (shown !== drawn) {
        drawn = shown;
        const patterns = algorithm?.patterns.map((p) => h("code", {}, p)) ?? [];
        said.replaceChildren(...(algorithm
          ? [h("p", { class: "good" }, h("b", {}, `\u2713 ${algorithm.name}`), " is understood. Found: ", patterns.map((p, i) => [i > 0 && ", ", p]), `. ${USE}`)]
          : [h("p", { class: "bad" }, h("b", {}, `\u2717 ${plural(errors.length, "mistake")}`)), errorList(own, editor.goTo)]),
        ...(own.complaint ? [h("p", { class: "bad" }, own.complaint)] : []));
        keeping(() => results.replaceChildren(...(algorithm ? [proofCard(app, own, proved(), editor.goTo), costCard(app, own), useCard()] : []), subset()));
      }
      marks();
      tellInstead();
    }

    // The lines of the mistakes: of the text, else of the proof that fails, for so many ranks as are shown if it is among them.
    function faulty() {
      if (!own.algorithm) { return { wrong: true, lines: sorted(own.errors.map((e) => e.line)) }; }
      const wrong = proved().filter((p) => p.fits && !p.ok), p = wrong.find((q) => q.size === app.state.ranks) ?? wrong[0];
      return { wrong: wrong.length > 0, lines: sorted(p?.faults ?? []), size: p?.size };
    }
    const sorted = (lines) => [...new Set(lines)].sort((a, b) => a - b);

    // The lines whose emit made the steps of the round in which the player stands.
    function marks() {
      const panel = app.panels.find((p) => p.name === own.name && p.job?.lines), { round, clock, time } = app.state;
      const timed = clock === "time" && panel?.proof.ok && app.timed ? app.timed(panel) : null;
      const faults = faulty();
      const lines = faults.lines.length || faults.wrong || !panel ? [] : timed ? linesAtTime(panel.job, timed, time) : round >= 0 ? linesOfRound(panel.job, round) : [];
      editor.mark(new Set(faults.lines), new Set(lines));
      const away = own.algorithm && !app.state.algorithm.includes(own.name);
      running.replaceChildren(faults.lines.length ? h("span", { class: "bad" }, `\u2717 ${faults.size ? `Line${faults.lines.length > 1 ? "s" : ""} ${listed(faults.lines.map(String))} ${faults.lines.length > 1 ? "make" : "makes"} a wrong step with ${plural(faults.size, "rank")}`
        : `Line ${own.errors[0].line}: ${own.errors[0].text.replaceAll("`", "")}`}. `) : "",
        ...(away ? [`The player plays ${app.state.algorithm.join(" and ")}. `, playMine]
          : lines.length ? [h("span", { class: "runs-mark" }, "\u25b6"), ` ${lines.length > 1 ? "lines" : "line"} ${lines.join(", ")} made the steps ${timed ? "that run now" : `of round ${round}`}`] : []));
      running.title = running.textContent;  // it has one line
      const now = `${own.version} ${round} ${timed ? time : ""}`;
      if (lines.length && now !== mine && !editor.node.contains(document.activeElement)) { mine = now; editor.reveal(lines[0]); }
    }

    app.onChange(() => { if (!host.hidden) { draw(); } });
  },
};
