import { posix } from "node:path";
import { isTest, type SourceFile } from "./violations.ts";
import { scanImports } from "./scan-imports.ts";

/** A folder with more files than this contains more than one concept. */
const MAX_FILES = 20;

/** There is one file per schema version, so their number grows. */
const MIGRATION = /\/migrations\/\d{4}-[^/]+$/;

/** One sentence per folder with too many files. Tests and subfolders do not count. */
export function crowdedFolders(files: readonly SourceFile[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    if (isTest(path) || !isPackageSource(path) || MIGRATION.test(path)) continue;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => `${folder}: ${count} files; the maximum is ${MAX_FILES}`);
}

/** The import cycles, including imports of types: one line of paths per cycle. */
export function importCycles(files: readonly SourceFile[]): readonly string[] {
  const sources = files.filter(({ path }) => isPackageSource(path) && /\.tsx?$/.test(path));
  const paths = new Set(sources.map(({ path }) => path));
  const imports = new Map(
    sources.map(({ path, source }) => [
      path,
      scanImports(path, source)
        .filter((name) => name !== null)
        .map((name) => posix.join(posix.dirname(path), name))
        .filter((target) => paths.has(target)),
    ]),
  );
  return components(imports)
    .filter((component) => component.length > 1)
    .map((component) => component.toSorted().join(" "));
}

/** Strongly connected components by Tarjan's algorithm. */
function components(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const result: string[][] = [];
  const indexes = new Map<string, number>();
  const lows = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): number => {
    const index = indexes.size;
    indexes.set(node, index);
    lows.set(node, index);
    stack.push(node);
    for (const target of edges.get(node) ?? []) {
      if (!indexes.has(target)) visit(target);
      else if (!stack.includes(target)) continue;
      lows.set(node, Math.min(lows.get(node) ?? index, lows.get(target) ?? index));
    }
    if (lows.get(node) === index) result.push(stack.splice(stack.indexOf(node)));
    return index;
  };
  for (const node of edges.keys()) if (!indexes.has(node)) visit(node);
  return result;
}

function isPackageSource(path: string): boolean {
  return /^packages\/[^/]+\/src\//.test(path);
}
