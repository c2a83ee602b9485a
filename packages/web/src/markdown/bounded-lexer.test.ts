import { expect, it } from "vitest";
import { lexTokens } from "./lex-blocks.ts";

const HOSTILE = {
  underlines: "a_b_c_".repeat(5_000),
  stars: "**a".repeat(10_000),
  quotations: ">".repeat(20_000),
  lists: Array.from({ length: 200 }, (_, depth) => `${" ".repeat(depth * 2)}- x`).join("\n"),
  brackets: "[".repeat(20_000),
  ticks: "` ".repeat(20_000),
} as const;

it.each(Object.entries(HOSTILE))("parses many %s quickly", (_, text) => {
  const start = performance.now();
  const tokens = lexTokens(text);
  expect(performance.now() - start).toBeLessThan(2_000);
  expect(tokens.map(({ raw }) => raw).join("")).toBe(text);
});

it("parses a long paragraph with some emphasis", () => {
  const [paragraph] = lexTokens(`${"Plain words. ".repeat(1_000)}**Bold.**`);
  const last = paragraph?.type === "paragraph" ? paragraph.tokens.at(-1) : null;
  expect(last?.type).toBe("strong");
});
