import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** A record that an agent writes about itself. */
export interface Sighting {
  readonly at: number;
  /** The same time on the calm clock. */
  readonly calmAt: number;
  readonly node: string;
  readonly pid: number;
  /** The repository's folder; each session of a test has its own. */
  readonly repo: string;
  readonly event: "born" | "prompt" | "done" | "gone";
  /** The `#tag` line of the agent's prompt; null if it has none. */
  readonly tag?: string | null;
  /** At a prompt: other live agents in the same repository. */
  readonly others?: readonly { readonly pid: number; readonly node: string }[];
}

export interface WitnessOptions {
  readonly node: string;
  readonly folder: string;
}

export const WITNESS_VARIABLE = "WITNESS";

export const witnessCommand: readonly string[] = [
  process.execPath,
  path.join(import.meta.dirname, "witness-agent-entry.mjs"),
];

export function parseWitnessOptions(text: string | undefined): WitnessOptions {
  if (text === undefined) throw new Error(`${WITNESS_VARIABLE} is not set`);
  return JSON.parse(text);
}

export function parseAccount(text: string): readonly Sighting[] {
  // A killed agent may have left half a line.
  return text.split("\n").flatMap((line): Sighting[] => {
    try {
      return line === "" ? [] : [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

/** The records of all agents of all nodes, sorted by time. */
export function readAccounts(folder: string): readonly Sighting[] {
  return readdirSync(folder)
    .flatMap((name) => parseAccount(readFileSync(path.join(folder, name), "utf8")))
    .toSorted((left, right) => left.at - right.at);
}
