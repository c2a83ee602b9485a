import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** A test needs what this machine lacks. The runner takes it for a skipped test and tells the reason. */
export class MissingHere extends Error {
  override readonly name = "MissingHere";
}

/** Skips the test, or in `beforeAll` every test of the suite, unless the reason is null. */
export function need(reason: string | null): void {
  if (reason !== null) throw new MissingHere(reason);
}

/** With the package it is in where that has another name. */
export function needProgram(program: string, debianPackage = program): void {
  const { error } = spawnSync(program, ["--version"]);
  if (error === undefined) return;
  need(`${program} is not installed (Debian: apt install ${debianPackage})`);
}

/** What processes do is read there. */
export function needProc(): void {
  need(existsSync("/proc/self/fd") ? null : "there is no /proc, which only Linux has");
}
