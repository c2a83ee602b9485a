import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** Instructions for a running server under test, in a file that only the test writes. */
export interface Control {
  /** The failpoint at which the process kills itself without cleanup, when it reaches it for the nth time. */
  readonly dieAt: { readonly failpoint: string; readonly time: number } | null;
  /** Offset of its clock. */
  readonly clockMs: number;
}

/** The server prints this when its program is loaded and the database is not open yet. */
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
