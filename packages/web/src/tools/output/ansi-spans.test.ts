import { expect, it } from "vitest";
import { ansiSpans } from "./ansi-spans.ts";

const plain = (text: string) => [{ text, classes: "" }];

it("text without colours is one span", () => {
  expect(ansiSpans("a\nb <script>&amp;")).toEqual(plain("a\nb <script>&amp;"));
  expect(ansiSpans("")).toEqual([]);
});

it("colours and weights become classes", () => {
  expect(ansiSpans("\u001B[31mred\u001B[0m and \u001B[1;92mbold\u001B[0m")).toEqual([
    { text: "red", classes: "ansi-red" },
    { text: " and ", classes: "" },
    { text: "bold", classes: "ansi-bright-green ansi-bold" },
  ]);
});

it("other colours map to the nearest of the sixteen", () => {
  expect(ansiSpans("\u001B[38;2;250;90;90mx\u001B[38;5;21my\u001B[38;5;244mz")).toEqual([
    { text: "x", classes: "ansi-bright-red" },
    { text: "y", classes: "ansi-blue" },
    { text: "z", classes: "ansi-bright-black" },
  ]);
});

it("background colours become one readable highlight", () => {
  expect(ansiSpans("\u001B[33;41mx\u001B[0m\u001B[7my")).toEqual([
    { text: "x", classes: "ansi-marked" },
    { text: "y", classes: "ansi-marked" },
  ]);
});
