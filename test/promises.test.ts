import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSources, root } from "./architecture/read-sources.ts";
import { disagreements, promiseIds, updateTable } from "./promises/promise-table.ts";
import { scanTitles } from "./promises/scan-titles.ts";

const keeper = "test/keep.test.ts";

describe("docs/promises.md", () => {
  it("names the tests of every promise (npm run promises brings it up to date)", () => {
    const table = readFileSync(join(root, "docs/promises.md"), "utf8");
    expect(disagreements(table, readSources())).toEqual([]);
  });
});

describe("the table of promises is refused when", () => {
  it.each([
    {
      it: "a promise has no row",
      table: tableOf({}).replace(/^\| B3 .*\n/m, ""),
      files: {},
      said: "B3: has no row",
    },
    {
      it: "a promise has two rows",
      table: `${tableOf({})}| B3 | Again. | open | – |\n`,
      files: {},
      said: "B3: has 2 rows",
    },
    {
      it: "a row is for no promise",
      table: `${tableOf({})}| B9 | Unheard of. | open | – |\n`,
      files: {},
      said: "B9: there is no such promise",
    },
    {
      it: "a row names a file that does not exist",
      table: tableOf({ A1: "`test/gone.test.ts`" }),
      files: {},
      said: "A1: says `test/gone.test.ts`, the tests say –",
    },
    {
      it: "a row names a file whose titles do not name the promise",
      table: tableOf({ A1: `\`${keeper}\`` }),
      files: { [keeper]: 'it("A10 resumes, like A1x and xA1", () => {}); const a = "A1";' },
      said: `A1: says \`${keeper}\`, the tests say –`,
      also: `A10: says –, the tests say \`${keeper}\``,
    },
    {
      it: "a row is open although a test names the promise",
      table: tableOf({}),
      files: { [keeper]: 'describe("store", () => it("keeps sessions (A1)", () => {}));' },
      said: `A1: says –, the tests say \`${keeper}\``,
    },
    {
      it: "a row is open by a test",
      table: tableOf({ A1: `\`${keeper}\`` }).replace("in part", "open"),
      files: { [keeper]: 'it("A1: sessions persist", () => {});' },
      said: `A1: is open by \`${keeper}\``,
    },
    {
      it: "a row is kept by no test",
      table: tableOf({}).replace("| A1 | A promise. | open", "| A1 | A promise. | kept"),
      files: {},
      said: "A1: is kept by –",
    },
    {
      it: "a row has another state",
      table: tableOf({}).replace("| A1 | A promise. | open", "| A1 | A promise. | nearly"),
      files: {},
      said: "A1: is nearly, which is no state",
    },
    {
      it: "a row leaves out one of the files",
      table: tableOf({ A1: `\`${keeper}\`` }),
      files: {
        [keeper]: 'it("A1: sessions persist", () => {});',
        "packages/server/src/storage/testing/contract.ts": "describe(`A1 on ${name}`, () => {});",
      },
      said: `A1: says \`${keeper}\`, the tests say \`packages/server/src/storage/testing/contract.ts\`, \`${keeper}\``,
    },
  ])("$it", ({ table, files, said, also }) => {
    expect(disagreements(table, sources(files))).toEqual([said, ...(also ? [also] : [])]);
  });
});

describe("the table of promises", () => {
  it("is brought up to date by an update, which changes nothing the second time", () => {
    const files = sources({ [keeper]: 'it("C7 and P4: no gap", () => {});' });
    const updated = updateTable(tableOf({ C1: "`test/gone.test.ts`" }), files);
    expect(updated).toBe(tableOf({ C7: `\`${keeper}\``, P4: `\`${keeper}\`` }));
    expect(updateTable(updated, files)).toBe(updated);
    expect(disagreements(updated, files)).toEqual([]);
  });
});

describe("the title scanner", () => {
  it("reads the titles of tests and groups, and not those that never run", () => {
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

function tableOf(cells: Readonly<Record<string, string>>): string {
  const rows = promiseIds.map((id) => {
    const cell = cells[id];
    return `| ${id} | A promise. | ${cell === undefined ? "open | –" : `in part | ${cell}`} |\n`;
  });
  return ["| id | promise | state | by |\n", "| --- | --- | --- | --- |\n", ...rows].join("");
}

function sources(files: Readonly<Record<string, string | undefined>>) {
  return Object.entries(files).map(([path, source = ""]) => ({ path, source }));
}
