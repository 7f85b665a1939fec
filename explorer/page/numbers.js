// SPDX-License-Identifier: BSD-3-Clause
// Numbers as texts.

// 3 significant digits, in the unit that suits: "1.25 ms".
export function seconds(t) {
  if (t === 0) { return "0 s"; }
  const [unit, size] = [["s", 1], ["ms", 1e-3], ["\u00b5s", 1e-6], ["ns", 1e-9]].find(([, u]) => t >= u * 0.9995) ?? ["ns", 1e-9];
  return `${Number((t / size).toPrecision(3))} ${unit}`;
}

// "1.5 MiB"; exact multiples without a fraction. Takes numbers and BigInt.
export function bytes(count) {
  const n = Number(count);
  const [unit, size] = [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]].find(([, u]) => n >= u) ?? ["B", 1];
  return `${Number((n / size).toPrecision(4))} ${unit}`;
}
