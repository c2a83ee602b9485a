import { expect, it } from "vitest";
import { lexTokens } from "./lex-blocks.ts";

interface CpuUsage {
  readonly user: number;
  readonly system: number;
}
/** The page has no types of Node, which runs its tests. */
declare const process: { threadCpuUsage(since?: CpuUsage): CpuUsage };

const HOSTILE = {
  underlines: "a_b_c_".repeat(5_000),
  stars: "**a".repeat(10_000),
  quotations: ">".repeat(20_000),
  lists: Array.from({ length: 200 }, (_, depth) => `${" ".repeat(depth * 2)}- x`).join("\n"),
  brackets: "[".repeat(20_000),
  ticks: "` ".repeat(20_000),
  "characters before an address": `${"a".repeat(40_000)}|a@b.c`,
} as const;

it.each(Object.entries(HOSTILE))("parses many %s quickly", (_, text) => {
  const before = process.threadCpuUsage();
  const tokens = lexTokens(text);
  // Unlike the elapsed time, the processor time does not grow with the load of the machine.
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(2_000);
  expect(tokens.map(({ raw }) => raw).join("")).toBe(text);
});

it("parses a long paragraph with some emphasis", () => {
  const [paragraph] = lexTokens(`${"Plain words. ".repeat(1_000)}**Bold.**`);
  const last = paragraph?.type === "paragraph" ? paragraph.tokens.at(-1) : null;
  expect(last?.type).toBe("strong");
});

it.each(["> a\n", "- a\n"])("shows a long block of %j as several blocks", (line) => {
  const text = line.repeat(15_000);
  const tokens = lexTokens(text);
  expect(tokens.length).toBeGreaterThan(1);
  expect(new Set(tokens.map(({ type }) => type)).size).toBe(1);
  expect(tokens.map(({ raw }) => raw).join("")).toBe(text);
});
