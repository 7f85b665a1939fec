// SPDX-License-Identifier: BSD-3-Clause
// Finds what a name means: in the function, in its type, in the namespaces. A *context* is one
// function that is being compiled: {cls, space, file, scope, self, outer, ...}.
import { BOOL, INT, VOID } from "./types.js";
import { whereIs } from "./library.js";
import { mistake, outside } from "./tokens.js";

export class Scopes {
  // Declares a variable of a function. Its value lies in the frame at `slot`.
  variable(ctx, at, name, type, more = {}) {
    if (ctx.scope.names.has(name)) { mistake(at, `the name \`${name}\` is taken in this block`); }
    const v = { is: "local", name, type, slot: ctx.slots++, ctx, ...more };
    if (name !== null) { ctx.scope.names.set(name, v); }
    return v;
  }
  within(ctx, work) {
    ctx.scope = { names: new Map(), outer: ctx.scope };
    try { return work(); } finally { ctx.scope = ctx.scope.outer; }
  }

  // A variable of this function or, through captures, of one around it: {variable, base, slot,
  // const}; null if there is none.
  local(ctx, name, at) {
    for (let s = ctx.scope; s; s = s.outer) {
      const v = s.names.get(name);
      if (v) { return { variable: v, base: v.base ?? ((f) => f), slot: v.slot, const: v.const }; }
    }
    if (!ctx.outer) { return null; }
    const out = this.local(ctx.outer, name, at);
    if (!out || out.variable.constant !== undefined) { return out; }
    const copy = ctx.copies.indexOf(name);
    if (copy >= 0) { return { variable: out.variable, base: (f) => f[1], slot: copy, const: true }; }
    if (ctx.references !== "all" && !ctx.references.includes(name)) {
      mistake(at, `the lambda does not capture \`${name}\`: write [&${name}] or [${name}]`);
    }
    const { base } = out;
    return { variable: out.variable, base: (f) => base(f[0]), slot: out.slot, const: out.const };
  }

  // The object whose function this is: {base, const}; null in a static one.
  self(ctx) {
    if (!ctx.outer) { return ctx.self; }
    const out = this.self(ctx.outer);
    return out && ctx.this ? { base: (f) => out.base(f[0]), const: out.const } : null;
  }

  // What a type declares under this name; null if nothing.
  inType(type, name) {
    const i = type.fields.findIndex((f) => f.name === name);
    if (i >= 0) { return { is: "field", index: i, owner: type, access: type.fields[i].access, ...type.fields[i] }; }
    return type.names.get(name) ?? null;
  }
  inSpace(space, name, seen = new Set()) {
    if (seen.has(space)) { return null; }
    seen.add(space);
    const found = space.names.get(name);
    if (found) { return found.is === "using" ? this.member(found.of, name, found.at, null) : found; }
    for (const used of space.used) {
      const there = this.inSpace(used, name, seen);
      if (there) { return there; }
    }
    return null;
  }

  // A lambda may do what its function may.
  classOf(ctx) { return ctx.cls ?? (ctx.outer ? this.classOf(ctx.outer) : null); }

  // The meaning of a name without ::, from the inside out.
  simple(ctx, name, at) {
    const local = this.local(ctx, name, at);
    if (local) { return { is: "local", ...local }; }
    for (let c = this.classOf(ctx); c; c = c.outer) {
      if (c.name === name) { return { is: "a type", type: c }; }
      const found = this.inType(c, name);
      if (found) { return found; }
    }
    for (let s = ctx.space; s; s = s.outer) {
      const found = this.inSpace(s, name);
      if (found) { return found; }
    }
    return null;
  }

  find(ctx, { names, at }) {
    if (names.length === 1 && ["int", "bool", "void"].includes(names[0])) {
      return { is: "a type", type: { int: INT, bool: BOOL, void: VOID }[names[0]] };
    }
    let found = this.simple(ctx, names[0], at);
    for (let i = 1; found && i < names.length; ++i) { found = this.member(found, names[i], at, ctx); }
    if (!found) {
      const there = whereIs(names.at(-1)), written = names.join("::");
      if (there && there.written !== written) { mistake(at, `unknown name \`${written}\`; is it ${there.written}, of <${there.header}>?`); }
      mistake(at, there ? `unknown name \`${written}\`; it needs #include <${there.header}>` : `unknown name \`${written}\``);
    }
    return found;
  }
  // `name` within a namespace or a type.
  member(found, name, at, ctx) {
    if (found.is === "space") { return this.inSpace(found, name); }
    if (found.is !== "a type") { mistake(at, `\`::${name}\` needs a type or a namespace in front of it`); }
    const { type } = found;
    if (type.is === "enum") {
      const value = type.values.indexOf(name);
      if (value < 0) { mistake(at, `\`${type.name}\` has no \`${name}\`; it has ${type.values.join(", ")}`); }
      return { is: "value", type, value };
    }
    if (type.is !== "struct") { mistake(at, `\`${type.name}\` has no members`); }
    const there = this.inType(type, name);
    if (!there) { mistake(at, `\`${type.name}\` has no member \`${name}\``); }
    this.mayUse(ctx, there, type, at, name);
    return there;
  }
  mayUse(ctx, symbol, owner, at, name) {
    if (symbol.access !== "private") { return; }
    for (let c = ctx && this.classOf(ctx); c; c = c.outer) { if (c === owner) { return; } }
    mistake(at, `\`${name}\` is private in \`${owner.name}\``);
  }

  // Whether the concepts of parameters are step_sink itself, whatever it is called.
  checkConcepts(ctx, parameters) {
    for (const { type: { constraint } } of parameters.filter((p) => p.type.constraint)) {
      if (this.find(ctx, constraint).is !== "concept") { mistake(constraint.at, `\`${constraint.names.join("::")}\` is no concept`); }
    }
  }

  // The type that a type's tree means; `auto` is not asked here.
  typeOf(ctx, tree) {
    const found = this.find(ctx, tree.name);
    if (found.is === "concept") { outside(tree.at, `the concept \`${tree.name.names.join("::")}\` without \`auto\` after it`); }
    if (found.is !== "a type") { mistake(tree.at, `\`${tree.name.names.join("::")}\` is no type`); }
    if (tree.argument) { this.find(ctx, tree.argument); }
    return found.type;
  }
}
