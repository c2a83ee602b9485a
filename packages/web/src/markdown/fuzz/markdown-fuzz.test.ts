import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { growing, grownTo, hostileMarkdown, type Growing } from "../testing/hostile-markdown.ts";
import { foreignIn, OUTPUTS } from "../testing/rendered.tsx";

interface CpuUsage {
  readonly user: number;
  readonly system: number;
}
/** The page has no types of Node, which runs its tests. */
declare const process: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): void };
  threadCpuUsage(since?: CpuUsage): CpuUsage;
  getBuiltinModule(name: "node:fs"): { writeFileSync(file: URL, text: string): void };
};

const isLong = process.env["HOLDFAST_TEST_LONG"] === "1";
/** `FUZZ_SEED` repeats a run. */
const fixed = Number(process.env["FUZZ_SEED"]);
const SEED = Number.isSafeInteger(fixed) && fixed > 0 ? fixed : Date.now() % 2 ** 31;
/** Each long test takes about 100 seconds. */
const TEXTS = isLong ? 20_000 : 40;
const GROWTHS = isLong ? 3_000 : 8;

/**
 * The corpus has texts with all syntax, hostile ones, and every text that once broke the page. A new one is added by the
 * failing run: commit the file with the fix.
 */
const CORPUS = import.meta.glob<string>("./corpus/*", {
  query: "?raw",
  import: "default",
  eager: true,
});
/** Texts whose repetition took too much once, or could. */
const GROWING = import.meta.glob<string>("./growths/*", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** An element with its attributes is longer than the sign that makes it, and a code block has a button. */
const MOST_PER_CHARACTER = 200;
const MOST_AT_LEAST = 5_000;

function mostCharacters(text: string): number {
  return MOST_PER_CHARACTER * text.length + MOST_AT_LEAST;
}

/** What is wrong with the page of a text; null if nothing is. */
function faultIn(text: string): string | null {
  for (const [name, make] of Object.entries(OUTPUTS)) {
    const output = make(text);
    if (output.length > mostCharacters(text))
      return `${name}: ${output.length} characters of ${text.length}`;
    const foreign = name === "plainText" ? null : foreignIn(output);
    if (foreign !== null) return `${name}: ${foreign}`;
  }
  return null;
}

const [SHORT, FACTOR] = [3_000, 4];
/** Four times the text may take this many times the time, or give so much more: less than the square. */
const MOST_TIMES = 10;
const TRIES = [1, 2, 3, 4, 5, 6];
/** Below this, a measurement says nothing. */
const LEAST_MS = 60;
/** Any text may take this much, such as one with many levels of quotes. */
const MOST_MS_PER_CHARACTER = 0.1;

/** How a text costs too much for its length, or a longer one more than in proportion; null if neither is so. */
function excessOf(growth: Growing): string | null {
  for (const [name, make] of Object.entries(OUTPUTS)) {
    const costAt = (length: number): Cost => costOf(make, grownTo(growth, length));
    const [short, long] = [costAt(SHORT), costAt(FACTOR * SHORT)];
    // A longer text can have another form, such as one that does not end in an open tag, and costs more for once. Only
    // if an even longer one costs more again, the cost is not in proportion.
    const isOver =
      isTooMuch(short) ||
      isTooMuch(long) ||
      (isOutOfProportion(short, long) && isOutOfProportion(long, costAt(FACTOR * FACTOR * SHORT)));
    if (isOver) return `${name}: ${[short, long].map(inWords).join(", ")}`;
  }
  return null;
}

interface Cost {
  readonly make: (text: string) => string;
  readonly text: string;
  readonly size: number;
  readonly ms: number;
}

function costOf(make: (text: string) => string, text: string): Cost {
  const before = process.threadCpuUsage();
  const size = make(text).length;
  const { user, system } = process.threadCpuUsage(before);
  return { make, text, size, ms: (user + system) / 1_000 };
}

function inWords({ text, size, ms }: Cost): string {
  return `${size} characters and ${ms.toFixed(0)} ms for ${text.length} characters`;
}

function isTooMuch(cost: Cost): boolean {
  if (cost.size > mostCharacters(cost.text)) return true;
  return isSlower(cost, MOST_MS_PER_CHARACTER * cost.text.length);
}

function isOutOfProportion(short: Cost, long: Cost): boolean {
  if (long.size > MOST_TIMES * (short.size + MOST_AT_LEAST)) return true;
  return long.ms > LEAST_MS && isSlower(long, Math.max(LEAST_MS, MOST_TIMES * leastMs(short)));
}

/** Other work of the thread, such as collecting garbage, can slow down one try, but not all of them. */
function isSlower(cost: Cost, most: number): boolean {
  return cost.ms > most && TRIES.every(() => costOf(cost.make, cost.text).ms > most);
}

function leastMs({ make, text }: Cost): number {
  return Math.min(...TRIES.map(() => costOf(make, text).ms));
}

/** Adds what was found to the texts that are tried first. */
function keep(folder: "corpus" | "growths", text: string): void {
  const file = new URL(`${folder}/broke-${SEED}`, import.meta.url);
  process.getBuiltinModule("node:fs").writeFileSync(file, text);
}

describe("Markdown of an agent", () => {
  it.each(Object.entries(CORPUS))("is shown as harmless elements: %s", (_, text) => {
    expect(faultIn(text)).toBeNull();
  });

  it(`is shown as harmless elements, of a size in proportion, FUZZ_SEED=${SEED}`, () => {
    const texts = hostileMarkdown(Object.values(CORPUS));
    const run = fc.check(
      fc.property(texts, (text) => {
        expect(faultIn(text)).toBeNull();
      }),
      { numRuns: TEXTS, seed: SEED },
    );
    const [found] = run.counterexample ?? [];
    if (found !== undefined) keep("corpus", found);
    expect([found, run.errorInstance ?? ""]).toEqual([undefined, ""]);
  });

  it.each(Object.entries(GROWING))("takes time and space in proportion: %s", (_, text) => {
    expect(excessOf(JSON.parse(text))).toBeNull();
  });

  it("takes time and space in proportion to its length, whatever is repeated", () => {
    const run = fc.check(
      fc.property(growing, (text) => {
        expect(excessOf(text)).toBeNull();
      }),
      { numRuns: GROWTHS, seed: SEED, endOnFailure: true },
    );
    const [found] = run.counterexample ?? [];
    if (found !== undefined) keep("growths", JSON.stringify(found));
    expect([found, run.errorInstance ?? ""]).toEqual([undefined, ""]);
  });
});
