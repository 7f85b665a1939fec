// SPDX-License-Identifier: BSD-3-Clause
// Light or dark: as the system says, or as the reader chooses. The class `dark` of <html> says which.
import { h } from "./dom.js";
import { rules } from "./palette.js";
import { asOneOf, declare } from "./state.js";

export const isDark = () => document.documentElement.classList.contains("dark");

export function mountTheme(tools, app) {
  declare({ theme: { initial: "auto", ...asOneOf("auto", "light", "dark") } });
  document.head.append(h("style", {}, rules(":root", ":root.dark")));
  const system = matchMedia("(prefers-color-scheme: dark)"), paper = matchMedia("print");
  const button = tools.appendChild(h("button", { type: "button", id: "theme", class: "plain no-print",
    onclick: () => app.set({ theme: isDark() ? "light" : "dark" }, { replace: true }) }));
  app.onChange(() => {
    const dark = !paper.matches && (app.state.theme === "dark" || (app.state.theme === "auto" && system.matches));
    document.documentElement.classList.toggle("dark", dark);
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Use light colours" : "Use dark colours");
  });
  for (const media of [system, paper]) { media.addEventListener("change", () => app.show(app.state)); }
}
