import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSources, root } from "./architecture/read-sources.ts";
import { disagreements, listTests, promiseIds } from "./promises/promise-table.ts";
import { scanTitles } from "./promises/scan-titles.ts";

const testFile = "test/keep.test.ts";

describe("the promises", () => {
  it("agree with the tests", () => {
    const table = readFileSync(join(root, "docs/promises.md"), "utf8");
    expect(disagreements(table, readSources())).toEqual([]);
  });

  it("are listed with their tests (npm run promises updates the page)", () => {
    const page = readFileSync(join(root, "docs/promise-tests.md"), "utf8");
    expect(page).toBe(listTests(readSources()));
  });
});

describe("the table of promises is invalid when", () => {
  it.each([
    {
      it: "a promise has no row",
      table: tableOf({}).replace(/^\| B3 .*\n/m, ""),
      errors: ["B3: has no row"],
    },
    {
      it: "a promise has two rows",
      table: `${tableOf({})}| B3 | Again. | open |\n`,
      errors: ["B3: has 2 rows"],
    },
    {
      it: "a row has an unknown promise",
      table: `${tableOf({})}| B9 | Unknown. | open |\n`,
      errors: ["B9: unknown promise"],
    },
    {
      it: "a row is open although a test names the promise",
      table: tableOf({}),
      files: { [testFile]: 'describe("store", () => it("keeps sessions (A1)", () => {}));' },
      errors: ["A1: is open, but 1 files test it"],
    },
    {
      it: "no title names the promise as a whole word",
      table: tableOf({ A1: "in part", A10: "in part" }),
      files: { [testFile]: 'it("A10 resumes, like A1x and xA1", () => {}); const a = "A1";' },
      errors: ["A1: is in part without a test"],
    },
    {
      it: "a promise is kept without a test",
      table: tableOf({ A1: "kept" }),
      errors: ["A1: is kept without a test"],
    },
    {
      it: "a row has an unknown state",
      table: tableOf({ A1: "nearly" }),
      errors: ["A1: nearly is not a state"],
    },
  ])("$it", ({ table, files = {}, errors }) => {
    expect(disagreements(table, sources(files))).toEqual(errors);
  });
});

describe("the page of tests", () => {
  it("lists each promise that has tests, with the files in order", () => {
    const page = listTests(
      sources({
        [testFile]: 'it("C7 and P4: no gap", () => {});',
        "packages/server/src/storage/testing/contract.ts": "describe(`P4 on ${name}`, () => {});",
        "packages/server/src/storage/store.ts": 'it("P4 outside a test file", () => {});',
      }),
    );
    const sections = page.slice(page.indexOf("## "));
    expect(sections).toBe(
      [
        "## C7\n\n- `test/keep.test.ts`\n\n",
        "## P4\n\n- `packages/server/src/storage/testing/contract.ts`\n- `test/keep.test.ts`\n",
      ].join(""),
    );
  });
});

describe("the title scanner", () => {
  it("reads the titles of tests and groups, except those that never run", () => {
    const source = `
      describe("group", () => {
        it("plain", () => {});
        it.only("only", () => {});
        test.each([1])("each %i", () => {});
        describe.skipIf(slow)(\`on \${engine}\`, () => {});
        it.skip("skipped", () => {});
        it.todo("to do");
        permit("no test", () => {});
        // it("commented out", () => {});
      });
    `;
    expect(scanTitles("a.test.ts", source).toSorted()).toEqual(
      ["group", "plain", "only", "each %i", "on  "].toSorted(),
    );
  });
});

function tableOf(states: Readonly<Record<string, string>>): string {
  const rows = promiseIds.map((id) => `| ${id} | A promise. | ${states[id] ?? "open"} |\n`);
  return ["| id | promise | state |\n", "| --- | --- | --- |\n", ...rows].join("");
}

function sources(files: Readonly<Record<string, string | undefined>>) {
  return Object.entries(files).map(([path, source = ""]) => ({ path, source }));
}
