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
const TEXTS = isLong ? 50_000 : 40;
const GROWTHS = isLong ? 5_000 : 8;

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

/** What is wrong with the page of a text; null if nothing is. */
function faultIn(text: string): string | null {
  for (const [name, make] of Object.entries(OUTPUTS)) {
    const output = make(text);
    const most = MOST_PER_CHARACTER * text.length + MOST_AT_LEAST;
    if (output.length > most) return `${name}: ${output.length} characters of ${text.length}`;
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

/** How a longer text takes more than in proportion; null if it does not. */
function excessOf(growth: Growing): string | null {
  const [short, long] = [grownTo(growth, SHORT), grownTo(growth, FACTOR * SHORT)];
  for (const [name, make] of Object.entries(OUTPUTS)) {
    const more = make(long).length / (make(short).length + MOST_AT_LEAST);
    if (more > MOST_TIMES) return `${name}: ${more.toFixed(0)} times the output`;
    const ms = cpuMs(() => make(long));
    if (ms < LEAST_MS) continue;
    const before = Math.min(...TRIES.map(() => cpuMs(() => make(short))));
    // Other work of the thread, such as collecting garbage, can slow down one try, but not all of them.
    const isExcessive = (each: number): boolean => each > LEAST_MS && each > MOST_TIMES * before;
    const least = isExcessive(ms) ? Math.min(ms, ...TRIES.map(() => cpuMs(() => make(long)))) : ms;
    if (isExcessive(least))
      return `${name}: ${least.toFixed(0)} ms, and ${before.toFixed(0)} ms for a quarter of it`;
  }
  return null;
}

function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
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
