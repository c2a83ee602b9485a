import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** This machine lacks something that the test needs. The runner skips the test and reports the reason. */
export class MissingHere extends Error {
  override readonly name = "MissingHere";
}

/** Skips the test, or in `beforeAll` every test of the suite, unless the reason is null. */
export function need(reason: string | null): void {
  if (reason !== null) throw new MissingHere(reason);
}

/** Skips the test unless the program is installed. `debianPackage` is the package that contains it. */
export function needProgram(program: string, debianPackage = program): void {
  const { error } = spawnSync(program, ["--version"]);
  if (error === undefined) return;
  need(`${program} is not installed (Debian: apt install ${debianPackage})`);
}

/** Skips the test where processes cannot be inspected. */
export function needProc(): void {
  need(existsSync("/proc/self/fd") ? null : "there is no /proc, which only Linux has");
}
