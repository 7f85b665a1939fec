// SPDX-License-Identifier: BSD-3-Clause
// Cuts C++ text into tokens: {kind, text, line, column, file, value}. What C++ has and the subset
// of this page has not, if it is a character or a word, is of the kind "bad", and an error as soon
// as the parser comes to it: it may stand in a text that is left out, as in `main`.

export class Mistake extends Error {
  // `at` is a token, or anything else with file, line and column.
  constructor(at, text) {
    super(text);
    this.file = at.file; this.line = at.line; this.column = at.column;
  }
}
export const outside = (at, what) => { throw new Mistake(at, `${what} is not in the subset of C++ that this page reads`); };
export const mistake = (at, text) => { throw new Mistake(at, text); };

// The words of C++ that are no names. Those of the first list are understood.
const KNOWN = new Set(("auto bool break class const constexpr continue do else false for if inline int namespace " +
  "noexcept private public return static static_assert static_cast struct true using void while this").split(" "));
const UNKNOWN = new Set(("alignas alignof and and_eq asm bitand bitor case catch char char8_t char16_t char32_t compl concept " +
  "consteval constinit const_cast co_await co_return co_yield decltype default delete double dynamic_cast enum explicit " +
  "export extern float friend goto long mutable new not not_eq nullptr operator or or_eq protected register " +
  "reinterpret_cast requires short signed sizeof switch template thread_local throw try typedef typeid typename " +
  "union unsigned virtual volatile wchar_t xor xor_eq").split(" "));
const HINTS = {
  switch: "a `switch`; write if and else", goto: "a `goto`", template: "a template of your own; `auto` parameters are read",
  double: "the type `double`; ranks, rounds and chunks are of type int", float: "the type `float`; ranks, rounds and chunks are of type int",
  unsigned: "the type `unsigned`; ranks, rounds and chunks are of type int", long: "the type `long`; ranks, rounds and chunks are of type int",
  short: "the type `short`", char: "the type `char`", new: "`new`", delete: "`delete`", nullptr: "a pointer", operator: "an operator of your own",
  throw: "an exception", try: "an exception", mutable: "`mutable`", and: "`and`; write &&", or: "`or`; write ||", not: "`not`; write !",
};
const SIGNS = ["<<=", ">>=", "<=>", "...", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
  "/=", "%=", "&=", "|=", "^=", ".*"];

// `file` stands in each token.
export function tokensOf(text, file) {
  const tokens = [];
  let at = 0, line = 1, lineStart = 0;
  const here = () => ({ file, line, column: at - lineStart + 1, offset: at });
  const put = (kind, length, value) => {
    tokens.push({ kind, text: text.slice(at, at + length), ...here(), value });
    at += length;
  };
  const bad = (length, what) => put("bad", length, what);
  const matched = (pattern) => { pattern.lastIndex = at; return pattern.exec(text)?.[0]; };
  while (at < text.length) {
    const c = text[at];
    let word;
    if (c === "\n") { ++line; ++at; lineStart = at; continue; }
    if (c === " " || c === "\t" || c === "\r") { ++at; continue; }
    if (text.startsWith("//", at)) {
      word = matched(/[^\n]*/y);
      if (word.endsWith("\\") || word.endsWith("\\\r")) { outside(here(), "a comment that ends with a backslash"); }
      at += word.length;
      continue;
    }
    if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2);
      if (end < 0) { mistake(here(), "this comment has no end: */ is missing"); }
      for (; at < end + 2; ++at) { if (text[at] === "\n") { ++line; lineStart = at + 1; } }
      continue;
    }
    if (c === "#") {
      if (text.slice(lineStart, at).trim() !== "") { mistake(here(), "a # in the middle of a line"); }
      word = matched(/[^\n]*/y).replace(/\/\/.*/, "").trim();
      put("directive", matched(/[^\n]*/y).length, word);
      continue;
    }
    if ((word = matched(/[A-Za-z_]\w*/y))) {
      if (UNKNOWN.has(word)) { bad(word.length, HINTS[word] ?? `\`${word}\``); continue; }
      if (/^(u8|u|U|L|R|u8R|uR|UR|LR)$/.test(word) && /["']/.test(text[at + word.length] ?? "")) { bad(word.length, "a literal with a prefix"); continue; }
      put(KNOWN.has(word) ? "word" : "name", word.length);
      continue;
    }
    if ((word = matched(/\.?\d(?:[eEpP][+-]|[\w.'])*/y))) { number(word); continue; }
    if (c === '"') {
      word = matched(/"(?:[^"\\\n]|\\[^\n])*"/y);
      if (!word) { mistake(here(), "this string has no end"); }
      if (word.includes("\\")) { bad(word.length, "a string with a backslash"); continue; }
      put("string", word.length, word.slice(1, -1));
      continue;
    }
    if (c === "'") { bad(matched(/'(?:[^'\\\n]|\\[^\n])*'?/y).length, "a character"); continue; }
    const sign = SIGNS.find((s) => text.startsWith(s, at)) ?? c;
    if (["<=>", "...", "->*", ".*"].includes(sign)) { bad(sign.length, `\`${sign}\``); continue; }
    if (sign === c && !"(){}[];,.?~&|^:<>+-*/%!=".includes(c)) { bad(1, `the character \`${c}\``); continue; }
    put("sign", sign.length);
  }
  tokens.push({ kind: "end", text: "the end of the text", ...here() });
  return tokens;

  function number(word) {
    const digits = word.replaceAll("'", "");
    if (/^0[xX]/.test(word) ? /[.pP]/.test(word) : /[.eE]/.test(word)) { return bad(word.length, `the floating-point number ${word}`); }
    if (/^0\d/.test(word)) { return bad(word.length, `the octal number ${word}`); }
    if (!/^(0[xX][\da-fA-F]+|0[bB][01]+|\d+)$/.test(digits) || /''|'$|^0[xXbB]'/.test(word)) { return bad(word.length, `the number ${word}`); }
    const value = Number(digits);
    if (value > 2147483647) { return bad(word.length, `the number ${word}, which is no int,`); }
    return put("number", word.length, value);
  }
}
