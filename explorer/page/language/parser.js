// SPDX-License-Identifier: BSD-3-Clause
// Reads a whole header into a tree: {includes, items, notes}. Notes name what was left out, and the
// part of the text that it is: [from, to).
import { Statements } from "./statements.js";
import { mistake, outside, tokensOf } from "./tokens.js";

class Parser extends Statements {
  constructor(tokens) {
    super(tokens);
    this.includes = []; this.notes = [];
  }

  file() {
    const items = [];
    while (this.now.kind !== "end") {
      if (this.is("}")) { mistake(this.now, "this } has no {"); }
      items.push(...this.item());
    }
    return { includes: this.includes, items, notes: this.notes };
  }

  item() {
    this.attributes();
    const at = this.now;
    if (at.kind === "directive") { this.directive(this.next()); return []; }
    if (this.take(";")) { return []; }
    if (this.take("namespace")) { return this.namespace(at); }
    if (this.is("using")) { return [this.using()]; }
    if (this.is("struct") || this.is("class")) { return [this.struct()]; }
    if (this.take("static_assert")) {
      this.leaveOut(at, "(", ")", "`static_assert`: this page proves the algorithm itself");
      this.expect(";", "after `static_assert(...)`");
      return [];
    }
    if (this.is("int") && this.peek().text === "main" && this.is("(", 2)) {
      this.next(); this.next();
      this.leaveOut(at, "(", ")");
      this.leaveOut(at, "{", "}", "`main`: this page reads the algorithm only");
      return [];
    }
    return [this.member(null)];
  }

  leaveOut(at, open, close, note) {
    const begin = this.expect(open);
    for (let depth = 1; depth > 0; ++this.i) {
      const t = this.tokens[this.i];
      if (t.kind === "end") { mistake(begin, `this ${open} has no ${close}`); }
      if (t.kind === "sign" && t.text === open) { ++depth; }
      if (t.kind === "sign" && t.text === close) { --depth; }
    }
    if (note) { this.notes.push({ line: at.line, text: note, from: at.offset, to: this.tokens[this.i - 1].offset + 1 }); }
  }

  directive(t) {
    const include = /^#\s*include\s*<([^<>"]+)>$/.exec(t.value);
    if (include) { this.includes.push({ at: t, name: include[1] }); return; }
    if (/^#\s*include/.test(t.value)) { outside(t, "`#include` of a file of your own"); }
    if (!/^#\s*pragma\s+once$/.test(t.value)) { outside(t, `\`${t.value}\``); }
  }

  // namespace a::inline b { ... }, namespace a = b;
  namespace(at) {
    if (this.is("{")) { outside(at, "a namespace without a name"); }
    const name = this.name("the name of the namespace");
    if (this.take("=")) {
      const of = this.qualified();
      this.expect(";", "after the name");
      return [{ is: "alias of namespace", at: name, name: name.text, of }];
    }
    const names = [name.text];
    while (this.take("::")) {
      const hidden = this.take("inline") !== null, inner = this.name("a name after ::").text;
      if (!hidden) { names.push(inner); }  // what is in an inline namespace is in the outer one
    }
    this.expect("{");
    const items = [];
    while (!this.is("}")) {
      if (this.now.kind === "end") { mistake(at, "this namespace has no }"); }
      items.push(...this.item());
    }
    this.next();
    return [{ is: "namespace", at: name, names, items }];
  }

  using() {
    const at = this.expect("using");
    if (this.take("namespace")) {
      const of = this.qualified();
      this.expect(";", "after the name");
      return { is: "using namespace", at, of };
    }
    const of = this.qualified();
    if (this.take("=")) {
      if (of.names.length > 1) { mistake(of.at, "expected one name"); }
      const type = this.type();
      this.expect(";", "after the type");
      return { is: "alias", at, name: of.names[0], type };
    }
    this.expect(";", "after the name");
    if (of.names.length < 2) { mistake(of.at, "`using` needs the name of a namespace, as in `using collectives::step;`"); }
    return { is: "using", at, name: of.names.at(-1), of };
  }

  struct() {
    const at = this.next(), name = this.name(`the name of the ${at.text}`);
    if (this.is(":")) { outside(this.now, "a base class"); }
    const s = { is: "struct", at: name, name: name.text, data: [], functions: [], constructors: [], types: [] };
    let access = at.text === "class" ? "private" : "public";
    this.expect("{", `after \`${at.text} ${name.text}\``);
    while (!this.is("}")) {
      if (this.now.kind === "end") { mistake(at, `this ${at.text} has no }`); }
      this.attributes();
      if ((this.is("public") || this.is("private")) && this.is(":", 1)) { access = this.next().text; this.next(); continue; }
      if (this.take(";")) { continue; }
      if (this.now.kind === "directive") { outside(this.now, `\`${this.now.value}\` within a ${at.text}`); }
      if (this.is("struct") || this.is("class")) { s.types.push({ ...this.struct(), access }); continue; }
      if (this.is("using")) { s.types.push({ ...this.using(), access }); continue; }
      if (this.is("static_assert")) { outside(this.now, "`static_assert` within a type"); }
      const m = this.member(s);
      m.access = access;
      (m.is === "function" ? s.functions : m.is === "constructor" ? s.constructors : s.data).push(m);
    }
    this.next();
    this.expect(";", `after the } of \`${at.text} ${name.text}\``);
    return s;
  }

  // A function, a constructor of `of`, or a variable.
  member(of) {
    const at = this.now;
    if (of) {
      const n = this.is("constexpr") ? 1 : 0;
      if (this.is("~", n)) { outside(this.peek(n), "a destructor"); }
      if (this.peek(n).text === of.name && this.is("(", n + 1)) { return this.constructor_(of, n); }
    }
    const type = this.type("a declaration");
    const name = this.name("a name");
    if (this.is("::")) { outside(this.now, "the definition of a member outside its type"); }
    if (this.is("(")) { return this.functionRest(of, at, type, name); }
    if (this.is("[")) { outside(this.now, "an array"); }
    const m = { is: "variable", at: name, type, name: name.text, value: null };
    if (this.take("=")) { m.value = this.is("{") ? this.braces() : this.assignment(); }
    else if (this.is("{")) { m.value = { ...this.braces(), direct: true }; }
    if (this.is(",")) { outside(this.now, "a second variable in one declaration here"); }
    this.expect(";", `after \`${name.text}\``);
    if (!of && !type.constexpr) { mistake(name, `the variable \`${name.text}\` must be constexpr: an algorithm has no state`); }
    if (of && type.static && !type.constexpr) { mistake(name, `the static member \`${name.text}\` must be constexpr: an algorithm has no state`); }
    return m;
  }
  functionRest(of, at, type, name) {
    if (!type.constexpr) { mistake(name, `the function \`${name.text}\` must be constexpr: the compiler runs it for the proof`); }
    const f = { is: "function", at: name, name: name.text, type, parameters: this.parameters(), static: type.static !== undefined, const: false };
    if (f.static && !of) { outside(name, "a static function outside a type"); }
    if (this.is("const")) {
      if (!of || f.static) { mistake(this.now, "only a function of an object is const"); }
      this.next();
      f.const = true;
    }
    if (this.is("&") || this.is("&&")) { outside(this.now, "a function for one kind of object"); }
    if (this.take("noexcept")) { /* changes no step */ }
    if (this.is("->")) { outside(this.now, "a result type after the parameters"); }
    if (this.is("=")) { outside(this.now, "a function that is = default or = delete"); }
    if (this.is(";")) { outside(this.now, "a function without its body"); }
    f.body = this.block();
    return f;
  }
  constructor_(of, skip) {
    if (skip === 0) { mistake(this.now, `the constructor of \`${of.name}\` must be constexpr: the compiler runs it for the proof`); }
    this.next();
    const at = this.next(), c = { is: "constructor", at, parameters: this.parameters(), starts: [] };
    if (this.take("noexcept")) { /* changes no step */ }
    if (this.take(":")) {
      do {
        const name = this.name("a member");
        const list = this.is("{") ? this.list("{", "}") : this.list("(", ")");
        c.starts.push({ at: name, name: name.text, list });
      } while (this.take(","));
    }
    if (this.is("=") || this.is(";")) { outside(this.now, "a constructor without its body"); }
    c.body = this.block();
    return c;
  }
}

// `file` is a name for the text; tokens and mistakes carry it.
export function parse(text, file) { return new Parser(tokensOf(text, file)).file(); }
