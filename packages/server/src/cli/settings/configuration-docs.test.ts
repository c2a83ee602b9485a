import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { BUILT_IN } from "../../providers/built-in.ts";
import { readConfigFile } from "./config-file.ts";
import { knownNames } from "./config-schema.ts";

const docs = readFileSync(
  path.resolve(import.meta.dirname, "../../../../../docs/configuration.md"),
  "utf8",
);

it("the config files in the docs are valid", () => {
  const examples = [...docs.matchAll(/```json\n(.*?)```/gsu)].map(([, text = ""]) => text);
  expect(examples).toHaveLength(2);
  for (const example of examples) {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-docs-"));
    try {
      writeFileSync(path.join(folder, "holdfast.config.json"), example);
      expect(readConfigFile(folder).agents.size).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
});

it("every setting and every built-in provider is in the docs", () => {
  const settings = ["limits", "node", "retention", "resume", "worktrees"].flatMap((section) =>
    knownNames([section]),
  );
  const names = [
    ...knownNames([]).filter((name) => name !== "$schema"),
    ...knownNames(["providers", "x"]),
    ...settings,
    ...BUILT_IN.flatMap(({ name, pathVariable }) => [name, pathVariable ?? name]),
  ];
  expect(names.filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
});

it("every environment variable of the settings is in the docs", () => {
  const source = readFileSync(path.resolve(import.meta.dirname, "settings.ts"), "utf8");
  const names = new Set(
    [...source.matchAll(/"((?:HOLDFAST|AGENT)_[A-Z_]+)"/gu)].map(([, name = ""]) => name),
  );
  expect(names.size).toBeGreaterThan(10);
  expect([...names].filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
});
