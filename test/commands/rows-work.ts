import { missing, NO_SESSION, type Row } from "./row.ts";
import {
  CHANGES,
  COMMITTED,
  DRY_REWIND,
  EACH,
  FILE_DIFF,
  MERGED,
  PULL_REQUEST,
  PUSHED,
  REBASED,
} from "./shapes.ts";

/** Commands about the files of a session. Only a server runs agents, so only there files change. */
export const WORK_ROWS: readonly Row[] = [
  { line: "changes {worked} --json", exit: 0, json: CHANGES, only: "server" },
  { line: "changes {worked}", exit: 0, prints: /^A\tnew\.txt\t\+1 -0\t\n$/u, only: "server" },
  { line: "changes {worked} --run last --patch", exit: 0, prints: /^\+work$/mu, only: "server" },
  { line: "changes {worked} --file new.txt", exit: 0, prints: /^\+work$/mu, only: "server" },
  { line: "changes {worked} --file new.txt --json", exit: 0, json: FILE_DIFF, only: "server" },
  {
    line: "changes {worked} --runs --json",
    exit: 0,
    json: { jsonVersion: true, runs: EACH.run },
    only: "server",
  },
  {
    line: "changes {worked} --file other.txt",
    exit: 1,
    error: '"other.txt" is not among the changed files.',
    only: "server",
  },
  { line: "changes {session}", exit: 1, error: "The session has no repository." },
  {
    line: "changes {conversation}",
    exit: 1,
    error: /^Git cannot be used here: its \.git is not a Git repository\.$/u,
  },
  { line: "changes {session} --run nothing", exit: 1, error: "The session has no such run." },
  { line: "changes nothing", exit: 1, error: NO_SESSION },
  {
    line: "changes {session} --stat --patch",
    exit: 64,
    error: "Use only one of --runs, --stat, --patch and --file. See: holdfast changes --help",
  },
  { line: "changes", exit: 64, error: missing("ID", "changes") },

  { line: "rewind {worked} --to last --dry-run --json", exit: 0, json: DRY_REWIND, only: "server" },
  {
    line: "rewind {worked} --to last --yes",
    exit: 0,
    prints: /^new\.txt\tis removed\nRewound\.\n$/u,
    only: "server",
  },
  {
    line: "rewind {worked} --undo",
    exit: 2,
    error: /^There is no rewind that can/u,
    only: "server",
  },
  {
    line: "rewind {waiting} --to last",
    exit: 2,
    error: /^A run is in progress\. Cancel the run with: holdfast cancel/u,
    only: "server",
  },
  { line: "rewind nothing --to last", exit: 1, error: NO_SESSION },
  {
    line: "rewind {session}",
    exit: 64,
    error: "Use either --to or --undo. See: holdfast rewind --help",
  },

  { line: "commit {worked} --json", exit: 0, json: COMMITTED, only: "server" },
  {
    line: "commit {worked} -m Done",
    exit: 0,
    prints: /^Committed 1 file as [0-9a-f]{12}\.\n$/u,
    only: "server",
  },
  { line: "commit {committed}", exit: 2, error: "There is nothing to commit.", only: "server" },
  { line: "commit {session}", exit: 2, error: /^The session has no repository\./u },
  { line: "commit", exit: 64, error: missing("ID", "commit") },

  { line: "merge {committed} --into other --json", exit: 0, json: MERGED, only: "server" },
  {
    line: "merge {worked}",
    exit: 2,
    error: "There is work that is not committed: new.txt.",
    only: "server",
  },
  { line: "merge", exit: 64, error: missing("ID", "merge") },
  { line: "rebase {committed} --json", exit: 0, json: REBASED, only: "server" },
  { line: "rebase", exit: 64, error: missing("ID", "rebase") },
  { line: "push {committed} --json", exit: 0, json: PUSHED, only: "server" },
  { line: "push", exit: 64, error: missing("ID", "push") },
  { line: "pull-request {committed} --json", exit: 0, json: PULL_REQUEST, only: "server" },
  {
    line: "pull-request {committed}",
    exit: 0,
    prints: /^https:\/\/example\.com\/pull\/7\n$/u,
    only: "server",
  },
  { line: "pull-request", exit: 64, error: missing("ID", "pull-request") },

  {
    line: "compare --agents scripted,steerable --repo {gitRepository} --detach --json {work}",
    exit: 0,
    json: { jsonVersion: true, sessions: true },
    only: "server",
  },
  {
    line: "compare --agents scripted,steerable --repo {gitRepository} {work}",
    exit: 0,
    prints: /^scripted\tdone\t1 files, \+1 -0\t[0-9a-f-]{36}\nsteerable\tdone\t1 files, /u,
    only: "server",
  },
  {
    line: "compare --agents scripted hello",
    exit: 64,
    error: "--agents needs at least two names, separated by commas. See: holdfast compare --help",
  },
];
