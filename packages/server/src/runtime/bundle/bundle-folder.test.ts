import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bundleFolder } from "./bundle-folder.ts";
import { collect, from } from "./testing/lines.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "bundle-folder-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("returns the lines of a bundle unchanged, including line separators of Unicode", async () => {
  const bundles = bundleFolder(folder);
  const lines = ['{"text":"a\u2028b\u2029c"}', "x".repeat(600_000), '{"text":"ä\u0085"}'];
  await bundles.write("session", Date.parse("2026-01-02"), from(lines));
  const [file] = await bundles.list("session");
  if (file === undefined) throw new Error("no bundle was written");
  expect(await collect(bundles.lines(file))).toEqual(lines);
});
