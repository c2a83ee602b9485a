import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const README = new URL("../README.md", import.meta.url);
const EXAMPLES = new URL("./testing/examples.ts", import.meta.url);

describe("the README", () => {
  it("contains exactly the examples that are compiled and run", () => {
    const [connect, ...shown] = Array.from(
      readFileSync(README, "utf8").matchAll(/^```ts\n(.*?)^```$/gmsu),
      ([, code = ""]) => code,
    );
    const compiled = Array.from(
      readFileSync(EXAMPLES, "utf8").matchAll(/^export async function .*?\{\n(.*?)^\}$/gmsu),
      ([, body = ""]) => body.replaceAll(/^ {2}/gmu, ""),
    );
    expect(connect).toContain("createClient({ url:");
    expect(shown).toEqual(compiled);
  });
});
