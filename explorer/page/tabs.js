// SPDX-License-Identifier: BSD-3-Clause
// The tabs: one per view, moved between by the arrow keys.
import { h } from "./dom.js";

const ORDER = ["data", "time", "links", "cost", "proof", "write", "tasks"];

// A view is {id, title, mount(host, app), player}; `player: false` hides the player beside it.
export function mountTabs(bar, place, views, app, player) {
  const sorted = [...views].sort((a, b) => ORDER.indexOf(a.id) - ORDER.indexOf(b.id));
  const tabs = sorted.map((view) => bar.appendChild(h("button", {
    type: "button", role: "tab", id: `tab-${view.id}`, "aria-controls": `view-${view.id}`,
    // Not every browser gives a button that is clicked the focus: the arrow keys then move from here.
    onclick: (e) => { e.currentTarget.focus({ preventScroll: true }); app.set({ view: view.id }); },
  }, view.title)));
  const hosts = sorted.map((view) => place.appendChild(h("section", {
    role: "tabpanel", "data-title": view.title, id: `view-${view.id}`, class: `view view-${view.id}`, "aria-labelledby": `tab-${view.id}`, hidden: true, tabIndex: -1,
  })));
  bar.addEventListener("keydown", (e) => {
    const at = tabs.indexOf(document.activeElement), last = tabs.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[e.key];
    if (at < 0 || to === undefined || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) { return; }
    e.preventDefault();
    e.stopPropagation();
    tabs[to].focus();
    tabs[to].click();
  });
  bar.hidden = sorted.length < 2;

  // Of all views on paper: tasks are for the screen, the editor is there if it shows what is shown.
  const printed = (id) => id !== "tasks" && (id !== "write" || app.state.algorithm.includes(app.own?.name));
  // Before the views' own listeners, which look whether they are shown.
  app.onChange(() => {
    const found = sorted.findIndex((v) => v.id === app.state.view);
    const now = found < 0 ? 0 : found;
    sorted.forEach((view, i) => {
      hosts[i].hidden = app.allViews ? !printed(view.id) : i !== now;
      tabs[i].setAttribute("aria-selected", i === now);
      tabs[i].tabIndex = i === now ? 0 : -1;
    });
    if (bar.scrollWidth > bar.clientWidth) { bar.scrollLeft = tabs[now].offsetLeft - 40; }
    player.hidden = sorted[now].player === false;
    player.dataset.view = sorted[now].id;
  });
  sorted.forEach((view, i) => view.mount(hosts[i], app));
}
