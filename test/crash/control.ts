import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** What a server under test is told while it runs, by a file that only the test writes. */
export interface Control {
  /** Where the process is to end itself, with no chance to tidy up; the how manieth time it gets there. */
  readonly dieAt: { readonly failpoint: string; readonly time: number } | null;
  /** How far its clock is off. */
  readonly clockMs: number;
}

/** What a server says when its program is loaded and the database not yet open. */
export const LOADED = "loaded";
export const CONTROL_VARIABLE = "CRASH_CONTROL";
const NO_CONTROL: Control = { dieAt: null, clockMs: 0 };

export function readControl(file: string): Control {
  return JSON.parse(readFileSync(file, "utf8"));
}

export function writeControl(file: string, control: Partial<Control>): void {
  writeFileSync(`${file}.new`, JSON.stringify({ ...NO_CONTROL, ...control }));
  renameSync(`${file}.new`, file);
}

export function controlFile(): string {
  const file = process.env[CONTROL_VARIABLE];
  if (file === undefined) throw new Error(`${CONTROL_VARIABLE} is not set`);
  return file;
}
