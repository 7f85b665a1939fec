// SPDX-License-Identifier: BSD-3-Clause
// Copies a text; false where the browser does not allow it.
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.body.appendChild(document.createElement("textarea"));
    const focused = document.activeElement;
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    focused?.focus?.();
    return done;
  }
}
