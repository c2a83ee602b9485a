import type { SourceFile } from "../architecture/complaints.ts";
import { scanTitles } from "./scan-titles.ts";

export const promiseIds: readonly string[] = [
  ...numbered("A", 16),
  ...numbered("B", 8),
  ...numbered("C", 10),
  ...numbered("P", 7),
];

const ROW = /^\| *([A-Z]\d+) *\|(.*)\|(.*)\|(.*)\|$/gm;

/** How far a promise is kept is for people to say; that a test exists does not make it whole. */
const STATES = ["kept", "in part", "open"];

const NO_TEST = "–";

/** Where the table and the tests disagree, one sentence each. */
export function disagreements(table: string, files: readonly SourceFile[]): readonly string[] {
  const rows = [...table.matchAll(ROW)].map(([, id = "", , state = "", cell = ""]) => ({
    id,
    state: state.trim(),
    cell: cell.trim(),
  }));
  const kept = keptBy(files);
  const unknown = rows.filter(({ id }) => !promiseIds.includes(id));
  return [
    ...unknown.map(({ id }) => `${id}: there is no such promise`),
    ...promiseIds.flatMap((id) => {
      const [row, ...more] = rows.filter((candidate) => candidate.id === id);
      if (row === undefined) return [`${id}: has no row`];
      if (more.length > 0) return [`${id}: has ${more.length + 1} rows`];
      const should = toCell(kept.get(id));
      if (row.cell !== should) return [`${id}: says ${row.cell}, the tests say ${should}`];
      if (!STATES.includes(row.state)) return [`${id}: is ${row.state}, which is no state`];
      const isOpen = should === NO_TEST;
      return (row.state === "open") === isOpen ? [] : [`${id}: is ${row.state} by ${should}`];
    }),
  ];
}

/** The same table with the last column as the tests have it; what was open is now kept in part. */
export function updateTable(table: string, files: readonly SourceFile[]): string {
  const kept = keptBy(files);
  return table.replace(ROW, (_, id: string, promise: string, before: string) => {
    const cell = toCell(kept.get(id));
    const state = before.trim() === "kept" ? "kept" : "in part";
    return `| ${id} | ${promise.trim()} | ${cell === NO_TEST ? "open" : state} | ${cell} |`;
  });
}

function keptBy(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const titled = files
    .filter(({ path }) => /\.test\.tsx?$/.test(path) || /\/testing\/.*\.tsx?$/.test(path))
    .map(({ path, source }) => ({ path, words: wordsOf(scanTitles(path, source)) }));
  return new Map(
    promiseIds.map((id) => [
      id,
      titled
        .filter(({ words }) => words.has(id))
        .map(({ path }) => path)
        .toSorted(),
    ]),
  );
}

function wordsOf(titles: readonly string[]): ReadonlySet<string> {
  return new Set(titles.flatMap((title) => title.split(/[^A-Za-z0-9]+/)));
}

function toCell(paths: readonly string[] = []): string {
  return paths.length === 0 ? NO_TEST : paths.map((path) => `\`${path}\``).join(", ");
}

function numbered(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
}
