import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const BUILT = path.resolve(import.meta.dirname, "../../packages/server/dist/web");
const KB = 1_000;

it.each([
  ["the list", "list-page", 140],
  ["a session opened by its link", "session-page", 180],
])("%s starts with limited JavaScript", (_, page, limitKb) => {
  const entry = read("index.html");
  const files = new Set<string>();
  for (const file of filesNamedIn(entry, /(?:src|href)="\/(?<file>[^"]+\.js)"/gu)) add(files, file);
  add(files, path.join("assets", chunkOf(page)));
  const sizes = [...files].map((file) => gzipSync(read(file), { level: 9 }).length);
  const kb = sizes.reduce((sum, size) => sum + size, 0) / KB;
  expect(files.size).toBeGreaterThan(2);
  expect(kb).toBeLessThanOrEqual(limitKb);
});

it("the page starts with one style sheet: it orders the layers of all others, so none may come before it", () => {
  expect([...filesNamedIn(read("index.html"), /href="\/(?<file>[^"]+\.css)"/gu)]).toHaveLength(1);
});

/** Adds a file and all its imports. */
function add(files: Set<string>, file: string): void {
  if (files.has(file)) return;
  files.add(file);
  const imports = /(?:from|import)\s*"(?<file>\.\/[^"]+\.js)"/gu;
  for (const other of filesNamedIn(read(file), imports))
    add(files, path.join(path.dirname(file), other));
}

function filesNamedIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(({ groups }) => groups?.["file"] ?? "");
}

function chunkOf(page: string): string {
  const chunks = readdirSync(path.join(BUILT, "assets")).filter(
    (name) => name.startsWith(`${page}-`) && name.endsWith(".js"),
  );
  expect(chunks).toHaveLength(1);
  return chunks[0] ?? "";
}

function read(file: string): string {
  return readFileSync(path.join(BUILT, file), "utf8");
}
