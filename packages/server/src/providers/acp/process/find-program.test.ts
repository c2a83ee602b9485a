import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findProgram } from "./find-program.ts";

function folderWith(name: string, mode: number): string {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-path-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, name), "#!/bin/sh\n");
  chmodSync(path.join(folder, name), mode);
  return folder;
}

it("the first executable in the search path is found", () => {
  const plain = folderWith("tool", 0o644);
  const first = folderWith("tool", 0o755);
  const second = folderWith("tool", 0o755);
  expect(findProgram("tool", [plain, first, second].join(":"))).toBe(path.join(first, "tool"));
  expect(findProgram(path.join(second, "tool"), undefined)).toBe(path.join(second, "tool"));
});

it("relative folders of the search path are skipped, and a folder is not a program", () => {
  const folder = folderWith("other", 0o755);
  mkdirSync(path.join(folder, "tool"));
  expect(findProgram("tool", folder)).toBeNull();
  expect(findProgram("package.json", ".:")).toBeNull();
  expect(findProgram("tool", undefined)).toBeNull();
  expect(findProgram("", folder)).toBeNull();
});
