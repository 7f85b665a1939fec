// SPDX-License-Identifier: BSD-3-Clause
// Reads expressions and types into a tree. A node is {is, at, ...}; `at` is its token.
import { mistake, outside } from "./tokens.js";

const LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]];
const ASSIGN = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="];
const ATTRIBUTES = ["gnu::cold", "gnu::noinline", "nodiscard", "maybe_unused"];

export class Expressions {
  constructor(tokens) { this.tokens = tokens; this.i = 0; }

  get now() {
    const t = this.tokens[this.i];
    return t.kind === "bad" ? outside(t, t.value) : t;
  }
  peek(n = 1) { return this.tokens[Math.min(this.i + n, this.tokens.length - 1)]; }
  is(text, n = 0) { const t = this.peek(n); return t.text === text && (t.kind === "sign" || t.kind === "word"); }
  next() { const t = this.now; if (t.kind !== "end") { ++this.i; } return t; }
  take(text) { return this.is(text) ? this.next() : null; }
  expect(text, after) {
    if (this.is(text)) { return this.next(); }
    return mistake(this.placeOf(text), `expected \`${text}\`${after ? ` ${after}` : ""}, found ${this.shown(this.now)}`);
  }
  // What is missing at the end of a line is missing there, and not in the next line.
  placeOf(text) {
    const before = this.tokens[this.i - 1];
    return text === ";" && before && before.line < this.now.line ? { ...before, column: before.column + before.text.length } : this.now;
  }
  shown(token) { return token.kind === "end" ? token.text : `\`${token.text}\``; }
  name(what) {
    if (this.now.kind !== "name") { mistake(this.now, `expected ${what}, found ${this.shown(this.now)}`); }
    return this.next();
  }

  // [[...]] in front of something. They change no step.
  attributes() {
    while (this.is("[") && this.is("[", 1)) {
      const at = this.next(); this.next();
      do {
        let text = this.name("an attribute").text;
        if (this.take("::")) { text += `::${this.name("an attribute").text}`; }
        if (!ATTRIBUTES.includes(text)) { outside(at, `the attribute \`${text}\``); }
      } while (this.take(","));
      this.expect("]"); this.expect("]");
    }
  }

  // a::b::c, as an array of names. A leading :: is not read.
  qualified() {
    if (this.is("::")) { outside(this.now, "a name that begins with ::"); }
    const at = this.now, names = [this.name("a name").text];
    while (this.take("::")) { names.push(this.name("a name after ::").text); }
    return { is: "name", at, names };
  }

  // Whether a declaration begins here, in a function.
  declares() {
    const t = this.now;
    if (t.kind === "word") {
      if (["int", "bool", "void"].includes(t.text)) { return !this.is("(", 1) && !this.is("{", 1); }
      return ["auto", "const", "constexpr", "static"].includes(t.text);
    }
    if (t.kind !== "name") { return false; }
    let n = 1;
    while (this.is("::", n) && this.peek(n + 1).kind === "name") { n += 2; }
    if (this.is("<", n) && t.text === "std") { return true; }
    while (this.is("&", n) || this.is("&&", n) || this.is("*", n)) {
      const after = this.peek(n + 2);
      if (this.peek(n + 1).kind !== "name" || !(after.kind === "sign" && ["=", ";"].includes(after.text))) { return false; }
      ++n;
    }
    return this.peek(n).kind === "name" || this.is("const", n) || this.is("auto", n);
  }

  // A type: {is: "type", at, auto, constraint, name, const, reference, constexpr, static}.
  type(what = "a type", conceptToo = false) {
    const type = { is: "type", at: this.now, auto: false, constraint: null, name: null, const: null, reference: "" };
    const words = () => {
      for (;;) {
        const word = ["const", "constexpr", "static", "inline"].find((w) => this.is(w));
        if (!word) { return; }
        if (type[word]) { mistake(this.now, `\`${word}\` stands twice`); }
        type[word] = this.next();
      }
    };
    words();
    if (this.take("auto")) {
      type.auto = true;
    } else if (this.now.kind === "word" && ["int", "bool", "void"].includes(this.now.text)) {
      type.name = { is: "name", at: this.now, names: [this.next().text] };
    } else if (this.now.kind === "name") {
      type.name = this.qualified();
      if (this.is("<")) { this.templateArguments(type); }
      if (this.take("auto")) { type.constraint = type.name; type.name = null; type.auto = true; }
      if (type.constraint && !conceptToo) { outside(type.at, "a concept that is not of a parameter"); }
    } else {
      mistake(this.now, `expected ${what}, found ${this.shown(this.now)}`);
    }
    words();
    if (this.is("*")) { outside(this.now, "a pointer"); }
    if (this.is("&") || this.is("&&")) { type.reference = this.next().text; }
    if (this.is("&") || this.is("&&") || this.is("*") || this.is("const")) { outside(this.now, "this type"); }
    return type;
  }
  templateArguments(type) {
    const written = type.name.names.join("::");
    if (written !== "std::type_identity") { outside(type.at, `the template \`${written}\``); }
    this.expect("<");
    type.argument = this.qualified();
    this.expect(">");
  }

  expression() {
    const e = this.assignment();
    if (this.is(",")) { outside(this.now, "a comma between expressions"); }
    return e;
  }
  assignment() {
    const left = this.conditional();
    const at = this.now;
    if (at.kind !== "sign" || !ASSIGN.includes(at.text)) { return left; }
    this.next();
    const right = this.is("{") ? this.braces() : this.assignment();
    return { is: "assign", at, operator: at.text, left, right };
  }
  conditional() {
    const condition = this.binary(0);
    const at = this.take("?");
    if (!at) { return condition; }
    const yes = this.assignment();
    this.expect(":", "of ?:");
    return { is: "choice", at, condition, yes, no: this.assignment() };
  }
  binary(level) {
    if (level === LEVELS.length) { return this.unary(); }
    let left = this.binary(level + 1);
    while (this.now.kind === "sign" && LEVELS[level].includes(this.now.text)) {
      const at = this.next();
      left = { is: "binary", at, operator: at.text, left, right: this.binary(level + 1) };
    }
    return left;
  }
  unary() {
    const at = this.now;
    if (at.kind === "sign") {
      if (["-", "+", "!", "~"].includes(at.text)) { this.next(); return { is: "unary", at, operator: at.text, of: this.unary() }; }
      if (at.text === "++" || at.text === "--") { this.next(); return { is: "step", at, operator: at.text, of: this.unary(), before: true }; }
      if (at.text === "*" || at.text === "&") { outside(at, "a pointer"); }
    }
    return this.postfix();
  }
  postfix() {
    let e = this.primary();
    for (;;) {
      const at = this.now;
      if (this.is("(")) { e = { is: "call", at: e.at, open: at, of: e, list: this.list("(", ")") }; }
      else if (this.is("{") && e.is === "name") { e = { is: "make", at: e.at, name: e, braces: this.braces() }; }
      else if (this.take(".")) {
        const member = this.name("the name of a member");
        if (this.is("::")) { outside(this.now, "a qualified member"); }
        e = { is: "member", at: member, of: e, name: member.text };
      }
      else if (this.is("->")) { outside(at, "a pointer"); }
      else if (this.is("[")) { outside(at, "an array"); }
      else if (this.is("++") || this.is("--")) { this.next(); e = { is: "step", at, operator: at.text, of: e, before: false }; }
      else { return e; }
    }
  }
  primary() {
    const at = this.now;
    if (at.kind === "number") { this.next(); return { is: "number", at, value: at.value }; }
    if (at.kind === "string") { this.next(); return { is: "string", at, value: at.value }; }
    if (at.kind === "name") { return this.qualified(); }
    if (at.text === "true" || at.text === "false") { this.next(); return { is: "truth", at, value: at.text === "true" }; }
    if (this.take("(")) {
      if (this.now.kind === "word" && ["int", "bool", "void", "auto", "const"].includes(this.now.text) && !this.is("(", 1) && !this.is("{", 1)) {
        outside(this.now, "a cast in the manner of C; write static_cast<int>(...)");
      }
      const e = this.expression();
      this.expect(")");
      return { is: "group", at, of: e };
    }
    if (this.is("int") || this.is("bool")) {
      this.next();
      const name = { is: "name", at, names: [at.text] };
      if (this.is("{")) { return { is: "make", at, name, braces: this.braces() }; }
      if (this.is("(")) { return { is: "call", at, open: this.now, of: name, list: this.list("(", ")") }; }
      return mistake(at, `\`${at.text}\` is a type, and a value is expected here`);
    }
    if (this.take("static_cast")) {
      this.expect("<");
      const type = this.type();
      this.expect(">");
      const list = this.list("(", ")");
      if (list.length !== 1) { mistake(at, "static_cast takes one value"); }
      return { is: "cast", at, type, of: list[0] };
    }
    if (this.is("[")) { return this.lambda(); }
    if (this.is("{")) { mistake(at, "braces without a type are only read where the type is known, as in a parameter"); }
    if (this.is("this")) { outside(at, "`this`; name the member alone"); }
    return mistake(at, at.kind === "end" ? "the text ends in the middle of an expression" : `expected a value, found ${this.shown(at)}`);
  }
  // Values between two signs; braces may stand for a value, and name the member that gets it.
  list(open, close) {
    const values = [];
    this.expect(open);
    if (this.take(close)) { return values; }
    do {
      if (open === "{" && this.is("}")) { break; }  // a comma at the end
      const member = open === "{" ? this.take(".") && this.name("a member's name") : null;
      if (member && !this.is("{")) { this.expect("="); }
      const value = this.is("{") ? this.braces() : this.assignment();
      values.push(member ? { is: "designated", at: member, name: member.text, value } : value);
    } while (this.take(","));
    this.expect(close);
    return values;
  }
  braces() {
    const at = this.now;
    return { is: "braces", at, list: this.list("{", "}") };
  }
  lambda() {
    const at = this.expect("["), captures = [], first = this.i;
    let all = "";
    if (!this.is("]")) {
      do {
        if (this.is("=") || (this.is("&") && this.peek().kind !== "name")) {
          if (all || captures.length) { mistake(this.now, "a lambda captures everything in its first place only"); }
          all = this.next().text;
        } else if (this.take("this")) {
          captures.push({ at, name: "this", reference: false });
        } else {
          const reference = this.take("&") !== null, name = this.name("what the lambda captures");
          if (this.is("=") || this.is("{") || this.is("(")) { outside(this.now, "a capture with a value"); }
          captures.push({ at: name, name: name.text, reference });
        }
      } while (this.take(","));
    }
    this.expect("]");
    const parameters = this.is("(") ? this.parameters() : [];
    let result = null;
    if (this.take("noexcept")) { /* changes no step */ }
    if (this.take("->")) { result = this.type(); }
    if (!this.is("{")) { mistake(this.now, `expected the body of the lambda, found ${this.shown(this.now)}`); }
    const body = this.block();
    const used = new Set(this.tokens.slice(first, this.i).filter((t) => t.kind === "name").map((t) => t.text));
    return { is: "lambda", at, all, captures, parameters, result, body, used };
  }
}
