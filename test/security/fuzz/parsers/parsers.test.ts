import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { repeat } from "../../../../packages/server/src/domain/testing/repeat.ts";
import { mutate } from "../mutate.ts";
import { randomFrom, seedFor } from "../random.ts";
import { refusalOf, TARGETS, type ParserTarget } from "./targets.ts";

const INPUTS = repeat({ short: 1_500, long: 200_000 });
const CORPUS = path.join(import.meta.dirname, "corpus");

/**
 * The corpus has good input of each parser, and every input that once broke it. A new one is added by the failing run:
 * commit the file with the fix.
 */
function corpusOf({ name }: ParserTarget): readonly Buffer[] {
  const folder = path.join(CORPUS, name);
  return readdirSync(folder)
    .toSorted()
    .map((file) => readFileSync(path.join(folder, file)));
}

describe.each(TARGETS)("the parser of $name", (target) => {
  it("takes some of its corpus, refuses the rest, and breaks at none of it", () => {
    const folder = temporaryFolder();
    const replies = corpusOf(target).map((input) =>
      refusalOf(() => target.parse(input, folder), target.refusal),
    );
    expect(replies).toContain(null);
  });

  it("takes or refuses whatever comes", () => {
    const folder = temporaryFolder();
    const random = randomFrom(seedFor(`parser of ${target.name}`));
    const corpus = corpusOf(target);
    let refused = 0;
    for (let count = 0; count < INPUTS; count += 1) {
      const base = corpus[random.below(corpus.length)] ?? Buffer.alloc(0);
      const input = mutate(base.toString().split("\n"), random);
      const file = keep(target, input, () => {
        if (refusalOf(() => target.parse(input, folder), target.refusal) !== null) refused += 1;
      });
      expect(file).toBeNull();
    }
    expect(refused > 0 || target.refusal === null).toBe(true);
  });
});

/** Adds an input that breaks the parser to the corpus. Returns its file, or null. */
function keep({ name }: ParserTarget, input: Buffer, parse: () => void): string | null {
  try {
    parse();
    return null;
  } catch (error) {
    const digest = createHash("sha256").update(input).digest("hex").slice(0, 12);
    const file = path.join(CORPUS, name, `broke-${digest}`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, input);
    return `${file}: ${String(error)}`;
  }
}

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-fuzz-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
