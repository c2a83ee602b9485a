import { globSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { PROJECTS } from "./projects.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

it("every test file belongs to exactly one project", () => {
  const owners = new Map<string, string[]>();
  for (const file of find(["{packages,test,bench,scripts}/**/*.{test,spec}.{ts,tsx,mts,js,mjs}"]))
    owners.set(file, []);
  for (const [name, { include, exclude }] of Object.entries(PROJECTS))
    for (const file of find(include, exclude)) owners.get(file)?.push(name);
  const wrong = [...owners].filter(([, names]) => names.length !== 1);
  expect(wrong).toEqual([]);
  expect(new Set([...owners.values()].flat())).toEqual(new Set(Object.keys(PROJECTS)));
});

function find(include: readonly string[], exclude: readonly string[] = []): readonly string[] {
  const options = { cwd: ROOT, exclude: ["**/node_modules/**", "**/dist/**", ...exclude] };
  return globSync([...include], options);
}
