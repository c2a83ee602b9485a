import type { Command } from "commander";
import path from "node:path";
import { HOSTILE_ID } from "../hostile/hostile-server.ts";
import { HOSTILE, HOSTILE_NAME, HOSTILE_TITLE } from "./payload.ts";

export interface Surroundings {
  /** Of the hostile server. */
  readonly url: string;
  /** A data folder with a hostile configuration. */
  readonly data: string;
  /** Another one, with sessions and tokens of hostile names in its database. */
  readonly stored: string;
  /** A folder of state files with hostile names and contents. */
  readonly states: string;
  /** A repository with such a name. */
  readonly repository: string;
  /** Somewhere to write. */
  readonly folder: string;
}

export interface CommandCase {
  readonly lines: (around: Surroundings) => readonly (readonly string[])[];
  /** Shows texts of several lines as such. */
  readonly hasLines?: true;
  /** What it shows is JSON for a file: long on a terminal, and elsewhere as it is. */
  readonly isData?: true;
  /** Draws a bar of progress. */
  readonly hasProgress?: true;
}

/** Why a command shows nothing of what others have written. */
type Exempt = string;

/** Of a session in the database. */
const STORED_ID = "agent-1";
const id = HOSTILE_ID;

/** What must have been stored before; without a server, and by whoever can. */
export const preparing = ({ stored, repository }: Surroundings): readonly (readonly string[])[] => [
  ["create", "--id", STORED_ID, "--agent", HOSTILE_NAME, "--purpose", HOSTILE, "--data", stored],
  ["update", STORED_ID, "--title", HOSTILE_TITLE, "--data", stored],
  ["update", STORED_ID, "--metadata", JSON.stringify({ [HOSTILE]: HOSTILE }), "--data", stored],
  ["create", "--id", "agent-2", "--purpose", HOSTILE, "--data", stored],
  ["update", STORED_ID, "--error", HOSTILE, "--data", stored],
  ["finalize", "agent-2", "completed", "--summary", HOSTILE, "--data", stored],
  ["token", "create", "--name", HOSTILE_NAME, "--scope", "admin", "--data", stored],
  ["repos", "add", repository, "--name", HOSTILE_NAME, "--data", stored],
];
const asking = (...line: readonly string[]): CommandCase => ({
  lines: ({ url }) => [[...line, "--url", url]],
});
const either = (...line: readonly string[]): CommandCase => ({
  lines: ({ url, stored }) => [
    [...line, "--url", url],
    [...line.map((word) => (word === id ? STORED_ID : word)), "--data", stored],
  ],
});
const ANSWERS_A_PROGRAM = "answers the program that starts it, in JSON";
const OWN_SETTINGS = "says what it was told itself";

/** Each command with what makes it show as much as it can. One that is not here fails the test. */
export const COMMAND_CASES: Readonly<Record<string, CommandCase | Exempt>> = {
  create: asking("create", "--agent", "x", "--repo", id),
  update: asking("update", id, "--title", "x"),
  get: either("get", id),
  list: either("list", "--limit", "20"),
  "should-resume": asking("should-resume", id),
  finalize: asking("finalize", id, "completed"),
  send: { hasLines: true, lines: ({ url }) => [["send", id, "x", "--url", url]] },
  watch: { hasLines: true, lines: ({ url }) => [["watch", id, "--since", "0", "--url", url]] },
  inbox: asking("inbox"),
  cancel: asking("cancel", id),
  resume: asking("resume", id),
  archive: asking("archive", id),
  delete: asking("delete", id, "--yes"),
  fork: asking("fork", id),
  serve: OWN_SETTINGS,
  mcp: ANSWERS_A_PROGRAM,
  doctor: {
    lines: ({ data, stored }) => [
      ["doctor", "--data", data],
      ["doctor", "--data", stored],
    ],
  },
  nodes: asking("nodes"),
  "nodes list": asking("nodes", "list"),
  "nodes drain": asking("nodes", "drain", "x"),
  token: either("token"),
  "token list": either("token", "list"),
  "token create": asking("token", "create", "--name", "x", "--scope", "read"),
  "token revoke": asking("token", "revoke", id),
  removed: asking("removed"),
  restore: asking("restore", id),
  stats: either("stats"),
  providers: either("providers"),
  repos: either("repos"),
  "repos list": either("repos", "list"),
  "repos add": asking("repos", "add", "."),
  "repos remove": asking("repos", "remove", id),
  export: {
    isData: true,
    hasProgress: true,
    lines: ({ url, stored, folder }) => [
      ["export", id, "--url", url],
      ["export", STORED_ID, "--data", stored],
      ["export", "--format", "gaia", "--to", path.join(folder, "out"), "--data", stored],
      ["export", id, "--format", "gaia", "--to", path.join(folder, "out"), "--url", url],
    ],
  },
  import: {
    hasProgress: true,
    lines: ({ url, data, states }) => [
      ["import", states, "--data", path.join(data, "fresh")],
      ["import", path.join(states, "no\u001B[2Jsuch\u009Dfile"), "--url", url],
    ],
  },
  cleanup: {
    hasProgress: true,
    lines: ({ stored }) => [["cleanup", "--hours", "0", "--dry-run", "--data", stored]],
  },
  hook: "has commands only",
  "hook pre-delegate": ANSWERS_A_PROGRAM,
  "hook subagent-stop": ANSWERS_A_PROGRAM,
  "hook install": OWN_SETTINGS,
  db: "has commands only",
  "db migrate": OWN_SETTINGS,
  "db rollback": OWN_SETTINGS,
  "db status": OWN_SETTINGS,
  "db backup": OWN_SETTINGS,
  "db copy": OWN_SETTINGS,
  completion: OWN_SETTINGS,
  complete: { lines: () => [["complete", "--", "get", ""]] },
};

export function commandNames(command: Command, before = ""): readonly string[] {
  return command.commands.flatMap((inner) => {
    const name = `${before}${inner.name()}`;
    return [name, ...commandNames(inner, `${name} `)];
  });
}
