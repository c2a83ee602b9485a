import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { needProgram } from "../../domain/testing/machine.ts";
import { repeat } from "../../domain/testing/repeat.ts";
import { branchName, numberedBranch } from "./branch-name.ts";

const sessionId = "0198c0de-1234-7abc-8def-0123456789ab";

describe("the branch of a session", () => {
  it.each([
    ["Fix the login page", "holdfast/fix-the-login-page-456789ab"],
    ["", "holdfast/session-456789ab"],
    ["…!?", "holdfast/session-456789ab"],
    ["Überprüfe Größe", "holdfast/uberprufe-gro-e-456789ab"],
    ["  --a..b@{c}.lock/../d~^: ", "holdfast/a-b-c-lock-d-456789ab"],
    [`${"a".repeat(39)} b`, `holdfast/${"a".repeat(39)}-456789ab`],
    ["日本語", "holdfast/session-456789ab"],
  ])("D7: is named after its title and ID: %j", (title, expected) => {
    expect(branchName({ title, sessionId })).toBe(expected);
  });

  it("D7: is always a valid branch for Git", () => {
    needProgram("git");
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.string({ maxLength: 80 }),
    );
    fc.assert(
      fc.property(
        texts,
        fc.oneof(fc.uuid(), texts),
        fc.integer({ min: 1, max: 99 }),
        (title, id, number) => {
          const name = numberedBranch(branchName({ title, sessionId: id }), number);
          expect(name).toMatch(/^holdfast\/[a-z0-9]+(?:-[a-z0-9]+)*$/u);
          expect(name.length).toBeLessThan(70);
          expect(spawnSync("git", ["check-ref-format", "--branch", name]).status).toBe(0);
        },
      ),
      { numRuns: repeat({ short: 100, long: 2_000 }) },
    );
  });
});
