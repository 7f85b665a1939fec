// SPDX-License-Identifier: BSD-3-Clause
// Checks expressions as a compiler does, and makes functions of them: {type, run(frame) -> value,
// place, const, constant}. `place`: {base(frame) -> array, slot}, of what may be assigned to.
import { ARITHMETIC, BOOL, COMPARE, IDENTITY, INT, STRING, VOID, assigned, copied, equal, isNumber, named, negated, stop } from "./types.js";
import { Scopes } from "./scopes.js";
import { mistake, outside } from "./tokens.js";

const asInt = (e) => (e.type === BOOL ? (f) => (e.run(f) ? 1 : 0) : e.run);
const asBool = (e) => (e.type === BOOL ? e.run : (f) => e.run(f) !== 0);

export class CompileExpressions extends Scopes {
  // A whole expression. What one part changes, another must not use: C++ leaves their order open.
  full(ctx, tree, compile = () => this.value(ctx, tree)) {
    const outer = [ctx.changes, ctx.reads];
    ctx.changes = []; ctx.reads = new Map();
    const result = compile();
    const [first, second] = ctx.changes;
    if (second) { mistake(second.at, "a second change in one expression, whose order C++ may leave open; write two statements"); }
    if (first && first.tree !== tree && (ctx.reads.get(first.variable) ?? 0) > 1) {
      mistake(first.at, `\`${first.variable.name}\` is changed and used in one expression; write two statements`);
    }
    [ctx.changes, ctx.reads] = outer;
    return result;
  }
  changes(ctx, at, variable, tree) {
    ctx.changes.push({ at, variable, tree });
    for (let c = ctx; c && variable.ctx !== c; c = c.outer) { c.changesOutside?.add(variable); }
  }

  // An expression with a value or, if `nothing`, perhaps of type void.
  value(ctx, tree, nothing = false) {
    const e = this[`on_${tree.is}`](ctx, tree);
    if (e.type === VOID && !nothing) { mistake(tree.at, "this gives no value"); }
    return e;
  }

  // The value of `tree`, which may be braces, as a `type`.
  as(ctx, tree, type, narrow = false) {
    if (tree.is === "braces") { return this.braces(ctx, tree, type); }
    return this.converted(this.value(ctx, tree), type, tree.at, narrow);
  }
  converted(e, type, at, narrow = false) {
    const made = (run) => ({ type, run, constant: e.constant });
    if (e.type === type) { return type.is === "struct" && e.place ? made((f) => copied(type, e.run(f))) : made(e.run); }
    if (type === INT && e.type === BOOL) { return made(asInt(e)); }
    if (type === BOOL && e.type === INT) {
      if (narrow) { mistake(at, "an int in braces does not become a bool"); }
      return made(asBool(e));
    }
    return mistake(at, `expected ${named(type)}, found ${named(e.type)}`);
  }
  condition(ctx, tree) {
    return this.full(ctx, tree, () => {
      const e = this.value(ctx, tree);
      return { run: this.converted(e, BOOL, tree.at).run, constant: e.constant };
    });
  }

  on_number(_, { value }) { return { type: INT, run: () => value, constant: true }; }
  on_truth(_, { value }) { return { type: BOOL, run: () => value, constant: true }; }
  on_string(_, { value }) { return { type: STRING, run: () => value, constant: true }; }
  on_group(ctx, tree) { return this.value(ctx, tree.of, true); }

  on_name(ctx, tree) {
    const found = this.find(ctx, tree), written = tree.names.join("::");
    switch (found.is) {
      case "local": return this.read(ctx, tree, found);
      case "value": return { type: found.type, run: () => found.value, constant: true };
      case "constant": return this.constantOf(found);
      case "field": {
        const self = this.self(ctx);
        if (!self || found.owner !== this.classOf(ctx)) { mistake(tree.at, `\`${written}\` is a member of an object, and there is none here`); }
        return this.fieldOf(tree.at, { type: found.owner, run: self.base, const: self.const, variable: { name: "this", ctx: null }, place: {} }, found);
      }
      case "functions": return mistake(tree.at, `the function \`${written}\` is not called: (...) is missing`);
      case "a type": return mistake(tree.at, `\`${written}\` is a type, and a value is expected here`);
      case "concept": return mistake(tree.at, `\`${written}\` is a concept, and a value is expected here`);
      default: return mistake(tree.at, `\`${written}\` is a namespace, and a value is expected here`);
    }
  }
  read(ctx, tree, { variable, base, slot, const: fixed }) {
    const { type, name } = variable;
    if (variable.constant !== undefined) { const value = variable.constant; return { type, run: () => value, constant: true, const: true, place: {} }; }
    ctx.reads?.set(variable, (ctx.reads.get(variable) ?? 0) + 1);
    const own = variable.ctx === ctx && !variable.base;
    const plain = own ? (f) => f[slot] : (f) => base(f)[slot];
    const run = !variable.unset ? plain
      : (f) => { const v = plain(f); return v === undefined ? stop(tree.at, `\`${name}\` has no value yet`) : v; };
    return { type, run, place: { base, slot, own }, const: fixed, variable };
  }
  fieldOf(at, object, field) {
    const { index, name } = field;
    const run = (f) => { const v = object.run(f)[index]; return v === undefined ? stop(at, `\`${name}\` has no value yet`) : v; };
    return { type: field.type, run, place: object.place && { base: object.run, slot: index }, const: object.const, variable: object.variable,
             constant: object.constant };
  }
  on_member(ctx, tree) {
    const object = this.value(ctx, tree.of);
    if (object.type.is !== "struct") { mistake(tree.at, `${named(object.type)} has no members`); }
    const found = this.member({ is: "a type", type: object.type }, tree.name, tree.at, ctx);
    if (found.is === "field") { return this.fieldOf(tree.at, object, found); }
    if (found.is === "constant") { return this.constantOf(found); }
    return mistake(tree.at, `\`${tree.name}\` is a function: (...) is missing`);
  }

  on_unary(ctx, { at, operator, of }) {
    const e = this.value(ctx, of);
    if (!isNumber(e.type)) { mistake(at, `\`${operator}\` is not for ${named(e.type)}`); }
    if (operator === "!") { const b = asBool(e); return { type: BOOL, run: (f) => !b(f), constant: e.constant }; }
    const i = asInt(e);
    const run = operator === "+" ? i : operator === "~" ? (f) => ~i(f) : (f) => negated(at, i(f));
    return { type: INT, run, constant: e.constant };
  }

  on_binary(ctx, { at, operator, left, right }) {
    const a = this.value(ctx, left), b = this.value(ctx, right), constant = a.constant && b.constant;
    const numbers = isNumber(a.type) && isNumber(b.type);
    const refuse = () => mistake(at, `\`${operator}\` is not for ${named(a.type)} and ${named(b.type)}`);
    if (operator === "&&" || operator === "||") {
      if (!numbers) { refuse(); }
      const x = asBool(a), y = asBool(b);
      return { type: BOOL, run: operator === "&&" ? (f) => x(f) && y(f) : (f) => x(f) || y(f), constant };
    }
    if (Object.hasOwn(COMPARE, operator)) {
      if (left.is === "binary" && Object.hasOwn(COMPARE, left.operator) && !operator.includes("=")) {
        mistake(at, "a comparison of a comparison: a < b < c does not mean that b is between a and c");
      }
      const compare = COMPARE[operator];
      if (numbers) { const x = asInt(a), y = asInt(b); return { type: BOOL, run: (f) => compare(x(f), y(f)), constant }; }
      if (a.type !== b.type) { refuse(); }
      if (a.type.is === "enum") { return { type: BOOL, run: (f) => compare(a.run(f), b.run(f)), constant }; }
      if (!a.type.comparable || !operator.endsWith("=") || operator[0] === "<" || operator[0] === ">") { refuse(); }
      return { type: BOOL, run: (f) => equal(a.type, a.run(f), b.run(f)) === (operator === "=="), constant };
    }
    if (!numbers) { refuse(); }
    const x = asInt(a), y = asInt(b), compute = ARITHMETIC[operator];
    return { type: INT, run: (f) => compute(at, x(f), y(f)), constant };
  }

  on_choice(ctx, { at, condition, yes, no }) {
    const c = this.converted(this.value(ctx, condition), BOOL, condition.at);
    const a = this.value(ctx, yes, true), b = this.value(ctx, no, true);
    const type = a.type === b.type ? a.type : isNumber(a.type) && isNumber(b.type) ? INT
      : mistake(at, `the two sides of ?: are ${named(a.type)} and ${named(b.type)}`);
    if (type.is === "lambda" || type.is === "sink") { outside(at, `?: between values of the type ${named(type)}`); }
    const x = type === INT ? asInt(a) : a.run, y = type === INT ? asInt(b) : b.run;
    const copy = type.is === "struct";
    return { type, run: copy ? (f) => copied(type, c.run(f) ? x(f) : y(f)) : (f) => (c.run(f) ? x(f) : y(f)), constant: c.constant && a.constant && b.constant };
  }

  on_cast(ctx, { at, type: tree, of }) {
    if (tree.auto || tree.reference) { outside(tree.at, "a static_cast to this type"); }
    const type = this.typeOf(ctx, tree), e = this.value(ctx, of);
    if (type === INT && e.type.is === "enum") { return { type, run: e.run, constant: e.constant }; }
    if (!isNumber(type)) { outside(at, `a static_cast to ${named(type)}`); }
    return this.converted(e, type, at);
  }

  // What stands on the left of an assignment.
  target(ctx, tree, at) {
    const e = this.value(ctx, tree);
    if (!e.place) { mistake(at, "this cannot be assigned to: it is no variable"); }
    if (e.const || e.constant) { mistake(at, `\`${e.variable?.name ?? "this"}\` is const here, and cannot change`); }
    if (e.variable.unset && tree.is === "name") { return { ...e, run: e.place.own ? (f) => f[e.place.slot] : (f) => e.place.base(f)[e.place.slot] }; }
    return e;
  }
  on_assign(ctx, tree) {
    const { at, operator, left, right } = tree;
    const to = this.target(ctx, left, at), { base, slot, own } = to.place, { type } = to;
    if (["lambda", "sink", "string"].includes(type.is)) { outside(at, `an assignment to ${named(type)}`); }
    this.changes(ctx, at, to.variable, tree);
    if (operator === "=") {
      ctx.reads.set(to.variable, (ctx.reads.get(to.variable) ?? 1) - 1);
      const from = this.as(ctx, right, type);
      if (type.is === "struct") { return { type: VOID, run: (f) => { assigned(type, base(f)[slot] ?? mistake(at, "no object"), from.run(f)); } }; }
      if (own) { return { type: VOID, run: (f) => { f[slot] = from.run(f); } }; }
      return { type: VOID, run: (f) => { const value = from.run(f); base(f)[slot] = value; } };
    }
    if (right.is === "braces") { mistake(at, "braces after this operator"); }
    const by = this.value(ctx, right);
    if (!isNumber(type) || !isNumber(by.type)) { mistake(at, `\`${operator}\` is not for ${named(type)} and ${named(by.type)}`); }
    const compute = ARITHMETIC[operator.slice(0, -1)], was = this.checkedRead(to, left), y = asInt(by), x = asInt({ type, run: was });
    const back = type === BOOL ? (v) => v !== 0 : (v) => v;
    // The right side comes first, as C++ says.
    return { type: VOID, run: (f) => { const v = y(f); base(f)[slot] = back(compute(at, x(f), v)); } };
  }
  checkedRead(e, tree) {
    return (f) => { const v = e.run(f); return v === undefined ? stop(tree.at, `\`${e.variable.name}\` has no value yet`) : v; };
  }
  on_step(ctx, tree) {
    const { at, operator, of, before } = tree;
    const to = this.target(ctx, of, at), { base, slot } = to.place;
    if (to.type !== INT) { mistake(at, `\`${operator}\` is for an int, and this is ${named(to.type)}`); }
    this.changes(ctx, at, to.variable, tree);
    const compute = ARITHMETIC[operator[0]], was = this.checkedRead(to, of);
    return { type: INT, run: (f) => { const v = was(f), now = compute(at, v, 1); base(f)[slot] = now; return before ? now : v; } };
  }
  on_braces(_, { at }) { return mistake(at, "braces without a type are only read where the type is known"); }
  on_designated(_, { at, name }) { return mistake(at, `\`.${name}\` names a member, and here is none`); }

  // { ... } as a `type`.
  braces(ctx, { at, list }, type) {
    if (type === IDENTITY && list.length === 0) { return { type, run: () => 0, constant: true }; }
    if (type.is === "struct") { return this.made(ctx, at, type, list, true); }
    if (!isNumber(type) && type.is !== "enum") { return mistake(at, `braces do not make ${named(type)}`); }
    if (list.length === 0) { const zero = type === BOOL ? false : 0; return { type, run: () => zero, constant: true }; }
    if (list.length > 1) { mistake(at, `${named(type)} is one value, and there are ${list.length} in the braces`); }
    return this.as(ctx, list[0], type, true);
  }
}
