import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonLine, neutralise, neutraliseLine } from "./neutralise.ts";

const CONTROL = /(?![\n\t])\p{Cc}|[\u2028\u2029]|\p{Bidi_Control}/u;

/** What others have sent to terminals, and what is seen of it here. */
const CORPUS: readonly (readonly [string, string, string])[] = [
  ["colour", "\u001B[31mred\u001B[0m", "␛[31mred␛[0m"],
  ["clear screen and go home", "a\u001B[2J\u001B[Hb", "a␛[2J␛[Hb"],
  ["cursor up, to write over what was said", "rm -rf /\u001B[1A\u001B[2Kls", "rm -rf /␛[1A␛[2Kls"],
  ["title of the window", "\u001B]0;pwned\u0007", "␛]0;pwned␇"],
  ["clipboard", "\u001B]52;c;cm0gLXJmIC8K\u001B\\", "␛]52;c;cm0gLXJmIC8K␛\\"],
  [
    "a link that leads elsewhere",
    "\u001B]8;;https://evil\u001B\\ok\u001B]8;;\u001B\\",
    "␛]8;;https://evil␛\\ok␛]8;;␛\\",
  ],
  ["device status, which types into the shell", "\u001B[6n\u001BZ", "␛[6n␛Z"],
  [
    "C1: CSI and OSC in one character",
    "\u009B31m\u009D0;x\u009C",
    "<U+009B>31m<U+009D>0;x<U+009C>",
  ],
  ["carriage return over a command", "rm -rf /\rls", "rm -rf /␍ls"],
  ["line ends of another system", "a\r\nb\r\n", "a\nb\n"],
  ["backspace and delete", "evil\b\b\b\bgood\u007F", "evil␈␈␈␈good␡"],
  ["bell, NUL, form feed, vertical tab", "\u0007\0\f\v", "␇␀␌␋"],
  ["override of direction", "a\u202Etxt.exe\u202C", "a<U+202E>txt.exe<U+202C>"],
  ["isolates and marks", "\u2066a\u2069\u200F\u061C", "<U+2066>a<U+2069><U+200F><U+061C>"],
  ["what is not seen", "a\u200Bb\u00ADc\uFEFF", "a<U+200B>b<U+00AD>c<U+FEFF>"],
  ["tags", "a\u{E0041}", "a<U+E0041>"],
  ["newlines, tabs, words and emoji stay", "é\t漢字\n👩‍💻 ok", "é\t漢字\n👩‍💻 ok"],
];

const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((code) => String.fromCodePoint(code));
const anyText = fc.array(anyCharacter, { maxLength: 20 }).map((characters) => characters.join(""));

describe("neutralising", () => {
  it.each(CORPUS)("shows %s", (_, text, shown) => {
    expect(neutralise(text)).toBe(shown);
  });

  it("also neutralises a sequence that is split in two", () => {
    for (const [, text] of CORPUS) {
      for (let at = 0; at <= text.length; at += 1) {
        const both = neutralise(text.slice(0, at)) + neutralise(text.slice(at));
        expect(both).not.toMatch(CONTROL);
      }
    }
  });

  it("leaves no control characters except newline and tab", () => {
    const unit = fc.oneof(
      fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom("\u001B[", "\u001B]0;", "\r", "\r\n", "\u009B", "\u202E", "\u2067", "\u2028"),
      anyCharacter,
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), (pieces) => {
        const shown = pieces.map(neutralise).join("");
        expect(shown).not.toMatch(CONTROL);
        expect(neutralise(shown)).toBe(shown);
      }),
    );
  });

  it("joins several lines", () => {
    expect(neutraliseLine("  a\r\n\tb\n\nc\u001B[1m ")).toBe("a b c␛[1m");
  });
});

describe("a line of JSON", () => {
  it("has the same value, without control characters", () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText, (value, text) => {
        const line = jsonLine({ value, text, evil: "\u009B31m\u202E\u{E0041}\u007F" });
        expect(line.slice(0, -1)).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
        expect(line.at(-1)).toBe("\n");
        expect(JSON.parse(line)).toEqual(
          JSON.parse(JSON.stringify({ value, text, evil: "\u009B31m\u202E\u{E0041}\u007F" })),
        );
      }),
    );
  });
});
