// SPDX-License-Identifier: BSD-3-Clause
// Figures of the first panel for scripts and tests, as attributes of #figures.
export default function figures(app) {
  const at = document.getElementById("figures");
  app.onChange(() => {
    const [panel] = app.panels;
    at.dataset.busy = app.busy;
    at.dataset.rounds = panel.job?.rounds ?? "";
    at.dataset.busiestSent = panel.cost?.busiest.sent ?? "";
    at.dataset.boundSent = panel.cost?.bound.sent ?? "";
    at.dataset.proof = !panel.job ? panel.complaint : panel.proof.ok ? "ok" : panel.proof.what;
  });
}
