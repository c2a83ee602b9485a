import type { SourceFile } from "../architecture/violations.ts";
import { scanTitles } from "./scan-titles.ts";

export const promiseIds: readonly string[] = [
  ...idsOf("A", 16),
  ...idsOf("B", 8),
  ...idsOf("C", 10),
  ...idsOf("D", 11),
  ...idsOf("P", 7),
];

const ROW = /^\| *([A-Z]\d+) *\|(.*)\|(.*)\|$/gm;

/** People decide how far a promise is kept, because a test that names it may not prove all of it. */
const STATES = ["kept", "in part", "open"];

/** One sentence for each disagreement between the table of promises and the tests. */
export function disagreements(table: string, files: readonly SourceFile[]): readonly string[] {
  const rows = [...table.matchAll(ROW)].map(([, id = "", , state = ""]) => ({
    id,
    state: state.trim(),
  }));
  const tests = testsByPromise(files);
  const unknown = rows.filter(({ id }) => !promiseIds.includes(id));
  return [
    ...unknown.map(({ id }) => `${id}: unknown promise`),
    ...promiseIds.flatMap((id) => {
      const [row, ...duplicates] = rows.filter((candidate) => candidate.id === id);
      if (row === undefined) return [`${id}: has no row`];
      if (duplicates.length > 0) return [`${id}: has ${duplicates.length + 1} rows`];
      if (!STATES.includes(row.state)) return [`${id}: ${row.state} is not a state`];
      const count = tests.get(id)?.length ?? 0;
      if (row.state === "open" && count > 0) return [`${id}: is open, but ${count} files test it`];
      if (row.state !== "open" && count === 0) return [`${id}: is ${row.state} without a test`];
      return [];
    }),
  ];
}

/** The generated page: for each promise the files whose test titles name it. */
export function listTests(files: readonly SourceFile[]): string {
  const sections = [...testsByPromise(files)]
    .filter(([, paths]) => paths.length > 0)
    .map(([id, paths]) => `## ${id}\n\n${paths.map((path) => `- \`${path}\`\n`).join("")}`);
  return `${HEAD}\n${sections.join("\n")}`;
}

const HEAD = `# Tests by promise

\`npm run promises\` generates this page from the titles of the tests. [promises.md](promises.md) explains the promises.
`;

function testsByPromise(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const testFiles = files
    .filter(({ path }) => /\.test\.tsx?$/.test(path) || /\/testing\/.*\.tsx?$/.test(path))
    .map(({ path, source }) => ({ path, words: wordsOf(scanTitles(path, source)) }));
  return new Map(
    promiseIds.map((id) => [
      id,
      testFiles
        .filter(({ words }) => words.has(id))
        .map(({ path }) => path)
        .toSorted(),
    ]),
  );
}

function wordsOf(titles: readonly string[]): ReadonlySet<string> {
  return new Set(titles.flatMap((title) => title.split(/[^A-Za-z0-9]+/)));
}

function idsOf(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
}
