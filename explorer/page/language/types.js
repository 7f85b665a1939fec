// SPDX-License-Identifier: BSD-3-Clause
// The types of the subset, and its arithmetic on int. A value is a number (int, an enumeration), a
// boolean, an array of fields (a struct), a function (a sink of steps) or {frame, copies} (a lambda).
import { Mistake } from "./tokens.js";

const simple = (is, name) => ({ is, name });
export const INT = simple("int", "int"), BOOL = simple("bool", "bool"), VOID = simple("void", "void");
export const STRING = simple("string", "std::string_view"), SINK = simple("sink", "a sink of steps");
export const IDENTITY = simple("identity", "std::type_identity");

export const enumeration = (name, ...values) => ({ is: "enum", name, values });
export function struct(name, fields = []) {
  return { is: "struct", name, fields, constructors: [], names: new Map(), outer: null, space: null, file: "", comparable: false };
}

export const named = (type) => (["int", "bool", "void", "string", "identity"].includes(type.is) ? `\`${type.name}\`` : type.is === "lambda" ? "a lambda"
  : type.is === "sink" ? type.name : `\`${type.name}\``);
export const isNumber = (type) => type === INT || type === BOOL;

// A copy of a value, which a struct needs wherever C++ makes one.
export function copied(type, value) {
  return type.is === "struct" ? value.map((v, i) => copied(type.fields[i].type, v)) : value;
}
export function assigned(type, to, from) {
  for (let i = 0; i < to.length; ++i) {
    const t = type.fields[i].type;
    if (t.is === "struct") { assigned(t, to[i], from[i]); } else { to[i] = from[i]; }
  }
}
export function equal(type, a, b) {
  return type.is === "struct" ? type.fields.every((field, i) => equal(field.type, a[i], b[i])) : a === b;
}

// What stops a run: the compiler's constant evaluation stops there too.
export class Stop extends Mistake {}
const stop = (at, text) => { throw new Stop(at, text); };
const whole = (at, what, value) => (value === (value | 0) ? value | 0 : stop(at, `${what} is ${value}, which is no int (overflow)`));
const shifts = (at, a, b) => { if (b < 0 || b > 31) { stop(at, `a shift of ${a} by ${b} places: an int has 32 bits`); } };
const divides = (at, a, b, sign) => {
  if (b === 0) { stop(at, `${a} ${sign} 0: a division by zero`); }
  if (a === -2147483648 && b === -1) { stop(at, `${a} ${sign} -1 is no int (overflow)`); }
};

// Of two ints.
export const ARITHMETIC = {
  "+": (at, a, b) => whole(at, `${a} + ${b}`, a + b),
  "-": (at, a, b) => whole(at, `${a} - ${b}`, a - b),
  "*": (at, a, b) => whole(at, `${a} * ${b}`, a * b),
  "/": (at, a, b) => { divides(at, a, b, "/"); return Math.trunc(a / b) | 0; },
  "%": (at, a, b) => { divides(at, a, b, "%"); return (a % b) | 0; },
  "<<": (at, a, b) => { shifts(at, a, b); return a << b; },
  ">>": (at, a, b) => { shifts(at, a, b); return a >> b; },
  "&": (_, a, b) => a & b,
  "|": (_, a, b) => a | b,
  "^": (_, a, b) => a ^ b,
};
export const COMPARE = {
  "<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b,
  "==": (a, b) => a === b, "!=": (a, b) => a !== b,
};
export const negated = (at, a) => whole(at, `-(${a})`, -a);
export { stop };
