import type { Command } from "commander";
import path from "node:path";
import { HOSTILE_ID } from "../hostile/hostile-server.ts";
import { HOSTILE, HOSTILE_NAME, HOSTILE_TITLE } from "./payload.ts";

export interface CommandContext {
  /** URL of the hostile server. */
  readonly url: string;
  /** A data folder with a hostile configuration. */
  readonly data: string;
  /** A data folder with sessions and tokens with hostile names in its database. */
  readonly stored: string;
  /** A folder of state files with hostile names and content. */
  readonly states: string;
  /** A repository with a hostile name. */
  readonly repository: string;
  /** A folder for output. */
  readonly folder: string;
}

export interface CommandCase {
  readonly lines: (context: CommandContext) => readonly (readonly string[])[];
  /** Prints texts with several lines as such. */
  readonly hasLines?: true;
  /** Prints JSON for a file: long lines on a terminal, unchanged elsewhere. */
  readonly isData?: true;
  /** Prints lines that the terminal wraps. */
  readonly hasLongLines?: true;
  /** Shows a progress bar. */
  readonly hasProgress?: true;
}

/** The reason why a command prints no foreign text. */
type Exempt = string;

/** ID of a session in the database. */
const STORED_ID = "agent-1";
const id = HOSTILE_ID;

/** Commands that store hostile texts, without a server. */
export const preparation = ({
  stored,
  repository,
}: CommandContext): readonly (readonly string[])[] => [
  ["create", "--id", STORED_ID, "--agent", HOSTILE_NAME, "--purpose", HOSTILE, "--data", stored],
  ["update", STORED_ID, "--title", HOSTILE_TITLE, "--data", stored],
  ["update", STORED_ID, "--metadata", JSON.stringify({ [HOSTILE]: HOSTILE }), "--data", stored],
  ["create", "--id", "agent-2", "--purpose", HOSTILE, "--data", stored],
  ["update", STORED_ID, "--error", HOSTILE, "--data", stored],
  ["finalize", "agent-2", "completed", "--summary", HOSTILE, "--data", stored],
  ["token", "create", "--name", HOSTILE_NAME, "--scope", "admin", "--data", stored],
  ["repos", "add", repository, "--name", HOSTILE_NAME, "--data", stored],
];
const throughServer = (...line: readonly string[]): CommandCase => ({
  lines: ({ url }) => [[...line, "--url", url]],
});
const throughBoth = (...line: readonly string[]): CommandCase => ({
  lines: ({ url, stored }) => [
    [...line, "--url", url],
    [...line.map((word) => (word === id ? STORED_ID : word)), "--data", stored],
  ],
});
const ANSWERS_A_PROGRAM = "answers the calling program in JSON";
const OWN_SETTINGS = "prints only its own settings";

/** Each command with arguments that make it print as much as possible. A missing command fails the test. */
export const COMMAND_CASES: Readonly<Record<string, CommandCase | Exempt>> = {
  create: throughServer("create", "--agent", "x", "--repo", id),
  update: throughServer("update", id, "--title", "x"),
  get: throughBoth("get", id),
  list: throughBoth("list", "--limit", "20"),
  "should-resume": throughServer("should-resume", id),
  finalize: throughServer("finalize", id, "completed"),
  send: { hasLines: true, lines: ({ url }) => [["send", id, "x", "--url", url]] },
  options: throughServer("options", id),
  watch: { hasLines: true, lines: ({ url }) => [["watch", id, "--since", "0", "--url", url]] },
  inbox: throughServer("inbox"),
  cancel: throughServer("cancel", id),
  resume: throughServer("resume", id),
  archive: throughServer("archive", id),
  delete: { ...throughServer("delete", id, "--yes"), hasLongLines: true },
  fork: throughServer("fork", id),
  changes: {
    lines: ({ url }) => [
      ["changes", id, "--url", url],
      ["changes", id, "--runs", "--url", url],
      ["changes", id, "--file", "x", "--url", url],
      ["changes", id, "--patch", "--url", url],
    ],
    hasLines: true,
    isData: true,
  },
  rewind: throughServer("rewind", id, "--to", "last", "--yes"),
  commit: throughServer("commit", id),
  merge: throughServer("merge", id),
  rebase: throughServer("rebase", id),
  push: throughServer("push", id),
  "pull-request": throughServer("pull-request", id),
  compare: throughServer("compare", "--agents", "a,b", "--repo", id, "--detach", "x"),
  up: OWN_SETTINGS,
  down: OWN_SETTINGS,
  restart: OWN_SETTINGS,
  status: OWN_SETTINGS,
  logs: { hasLongLines: true, lines: ({ data }) => [["logs", "--data", data]] },
  service: "has only subcommands",
  "service install": OWN_SETTINGS,
  "service uninstall": OWN_SETTINGS,
  "service status": OWN_SETTINGS,
  serve: OWN_SETTINGS,
  open: throughServer("open", "--print"),
  acp: ANSWERS_A_PROGRAM,
  mcp: ANSWERS_A_PROGRAM,
  doctor: {
    lines: ({ data, stored }) => [
      ["doctor", "--data", data],
      ["doctor", "--data", stored],
    ],
  },
  nodes: throughServer("nodes"),
  "nodes list": throughServer("nodes", "list"),
  "nodes drain": throughServer("nodes", "drain", "x"),
  token: throughBoth("token"),
  "token list": throughBoth("token", "list"),
  "token create": throughServer("token", "create", "--name", "x", "--scope", "read"),
  "token revoke": throughServer("token", "revoke", id),
  removed: throughServer("removed"),
  restore: throughServer("restore", id),
  stats: throughBoth("stats"),
  init: OWN_SETTINGS,
  providers: throughBoth("providers"),
  login: throughServer("login", "demo", "--check"),
  logout: throughServer("logout", "demo"),
  repos: throughBoth("repos"),
  "repos list": throughBoth("repos", "list"),
  "repos add": throughServer("repos", "add", "."),
  "repos remove": throughServer("repos", "remove", id),
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
  hook: "has only subcommands",
  "hook pre-delegate": ANSWERS_A_PROGRAM,
  "hook subagent-stop": ANSWERS_A_PROGRAM,
  "hook install": OWN_SETTINGS,
  db: "has only subcommands",
  "db migrate": OWN_SETTINGS,
  "db rollback": OWN_SETTINGS,
  "db status": OWN_SETTINGS,
  "db backup": OWN_SETTINGS,
  "db check": OWN_SETTINGS,
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
