import { expect, it } from "vitest";
import { visibleText } from "./visible-text.ts";

it("ordinary text of any script is unchanged", () => {
  const text = "rm -rf ./build\n\tgrüße 日本語 עברית 🙂";
  expect(visibleText(text)).toBe(text);
});

it("characters that hide or reorder others are escaped", () => {
  expect(visibleText("echo \u202Esafe\u202C")).toBe(String.raw`echo \u{202E}safe\u{202C}`);
  expect(visibleText("a\u200Bb\u0000c\u001B[2K")).toBe(String.raw`a\u{200B}b\u{0}c\u{1B}[2K`);
  expect(visibleText("x\u{E0041}y")).toBe(String.raw`x\u{E0041}y`);
});

it("line ends are normalised; a bare carriage return is escaped", () => {
  expect(visibleText("a\r\nb")).toBe("a\nb");
  expect(visibleText("rm x\rls")).toBe(String.raw`rm x\u{D}ls`);
});
