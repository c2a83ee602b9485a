import { fields, missing, NO_SESSION, type Row } from "./row.ts";
import { CREATED_TOKEN, EACH, NODE, REPOSITORY, SESSION, STATS, TOKEN } from "./shapes.ts";

const NO_DATA = /^There is no Holdfast data/u;
const IMPORTED = ["source", "imported", "updated", "unchanged", "kept", "refused"] as const;

export const UPKEEP_ROWS: readonly Row[] = [
  {
    line: "serve --port none",
    exit: 64,
    error: 'The port must be a number from 0 to 65535, not "none".',
  },
  { line: "serve --data {data} --port 0", exit: 2, error: /uses the data folder/u, only: "server" },

  { line: "open --print", exit: 0, prints: /^http:\/\/\S+\n$/u, only: "server" },
  { line: "open --json", exit: 0, json: fields("url"), only: "server" },
  { line: "open", exit: 2, error: /^No server runs\. /u, only: "database" },
  { line: "open much", exit: 64, error: "Unexpected argument: much. See: holdfast open --help" },

  {
    line: "doctor --json",
    exit: 0,
    json: { ...fields(), findings: { each: ["name", "verdict", "says"] } },
  },
  {
    line: "doctor much",
    exit: 64,
    error: "Unexpected argument: much. See: holdfast doctor --help",
  },

  { line: "providers", exit: 0, prints: /^demo\tDemo agent\tyes\t/mu },
  {
    line: "providers --json",
    exit: 0,
    json: { ...fields("defaultProvider"), providers: EACH.provider },
  },
  {
    line: "login nothing",
    exit: 1,
    error: 'There is no provider "nothing". Run `holdfast providers` to see all providers.',
  },
  { line: "login", exit: 64, error: missing("PROVIDER", "login") },
  {
    line: "login locked",
    exit: 64,
    error: "Pass --method with one of: device, terminal, key. See: holdfast login --help",
  },
  {
    line: "login locked --method none",
    exit: 1,
    error: 'Locked agent has no login method "none". It has: device, terminal, key.',
  },
  { line: "login locked --method key", exit: 1, error: /^Set LOCKED_KEY in the environment of / },
  {
    line: "login locked --method device --json",
    exit: 0,
    json: fields("provider", "method", "released", "status"),
  },
  { line: "login locked --check", exit: 0, prints: /^locked: logged in as Scripted Plus/u },
  { line: "logout locked --json", exit: 0, json: fields("provider") },
  { line: "login locked --check", exit: 1, prints: /^locked: not logged in\n$/u },
  {
    line: "login locked --method terminal",
    exit: 0,
    prints: /Logged in to locked/u,
  },
  { line: "logout locked", exit: 0, prints: /^Logged out of locked\. /u },
  { line: "login demo", exit: 1, error: "Demo agent offers no way to log in." },
  {
    line: "login demo --check --json",
    exit: 0,
    json: fields("provider", "status"),
  },
  {
    line: "login demo much",
    exit: 64,
    error: "Unexpected argument: demo, much. See: holdfast login --help",
  },
  {
    line: "logout nothing",
    exit: 1,
    error: 'There is no provider "nothing". Run `holdfast providers` to see all providers.',
  },
  { line: "logout", exit: 64, error: missing("PROVIDER", "logout") },
  { line: "logout demo", exit: 1, error: "Demo agent does not offer to log out." },
  {
    line: "providers much",
    exit: 64,
    error: "Unexpected argument: much. See: holdfast providers --help",
  },

  { line: "repos add {repository}", exit: 0, prints: /^[0-9a-f-]{36}\n$/u },
  { line: "repos add {repository} --json", exit: 0, json: REPOSITORY },
  { line: "repos --json add {repository}", exit: 0, json: REPOSITORY },
  {
    line: "repos add {root}/nothing",
    exit: 1,
    error: /nothing" does not exist or is not accessible\.$/u,
  },
  { line: "repos add /", exit: 2, error: /is outside the workspace root/u },
  { line: "repos add {repository} --name ''", exit: 64, error: "--name must not be empty." },
  { line: "repos add", exit: 64, error: missing("PATH", "repos add") },
  { line: "repos --json", exit: 0, json: { ...fields(), repos: EACH.repository } },
  { line: "repos list --json", exit: 0, json: { ...fields(), repos: EACH.repository } },
  { line: "repos list --data {noFolder}", exit: 1, error: NO_DATA },
  {
    line: "repos list much",
    exit: 64,
    error: "Unexpected argument: much. See: holdfast repos list --help",
  },
  {
    line: "repos nothing",
    exit: 64,
    error: "Unexpected argument: nothing. See: holdfast repos --help",
  },
  { line: "repos remove {repo} --json", exit: 0, json: REPOSITORY },
  {
    line: "repos remove nothing",
    exit: 1,
    error: "There is no such repository. Run `holdfast repos` to see all repositories.",
  },
  { line: "repos remove", exit: 64, error: missing("REPO", "repos remove") },

  { line: "export {session}", exit: 0, prints: /^\{.*\}\n/u },
  { line: "export {session} --to {newFile} --json", exit: 0, json: fields("written") },
  {
    line: "export --format gaia --to {newFile} --json",
    exit: 0,
    json: fields("written", "unchanged", "refused"),
  },
  { line: "export nothing", exit: 1, error: NO_SESSION },
  { line: "export", exit: 64, error: "Pass the session to export: holdfast export ID" },
  {
    line: "export --format gaia",
    exit: 64,
    error: "Pass the target folder: holdfast export --format gaia --to .claude/session",
  },
  {
    line: "export --format zip",
    exit: 64,
    error: '--format must be bundle or gaia, not "zip". See: holdfast export --help',
  },

  { line: "import {bundle}", exit: 0, prints: /^agent-\S+\n$/u },
  { line: "import {bundle} --json", exit: 0, json: fields(...IMPORTED, "sessionId") },
  { line: "import {states} --json", exit: 0, json: fields(...IMPORTED) },
  { line: "import {newFile}", exit: 1, error: /^Cannot read / },
  {
    line: "import {notBundle}",
    exit: 2,
    error: /is not a bundle of a session\. Line 1 is not JSON\.$/u,
  },
  { line: "import", exit: 64, error: missing("PATHS", "import") },

  { line: "restore {removed} --json", exit: 0, json: SESSION },
  {
    line: "restore nothing",
    exit: 1,
    error:
      "No removed session with this ID can be restored here. Run `holdfast removed` to see all removed sessions.",
  },
  { line: "restore", exit: 64, error: missing("ID", "restore") },
  { line: "removed --json", exit: 0, json: fields("removed", "total") },
  { line: "removed --data {noFolder}", exit: 1, error: NO_DATA },
  {
    line: "removed --limit 1.5",
    exit: 64,
    error: '--limit must be a whole number greater than 0, not "1.5". See: holdfast removed --help',
  },

  { line: "stats --json", exit: 0, json: STATS },
  { line: "stats --data {noFolder}", exit: 1, error: NO_DATA },
  {
    line: "stats --from soon",
    exit: 64,
    error:
      '--from must be a time, such as 2026-01-31 or 2026-01-31T12:00:00Z, not "soon". See: holdfast stats --help',
  },

  { line: "token create --name ci --scope send", exit: 0, prints: /^\S{20,}\n$/u },
  { line: "token create --name ci --scope send --json", exit: 0, json: CREATED_TOKEN },
  {
    line: "token create --scope send",
    exit: 64,
    error: "--name is required. See: holdfast token create --help",
  },
  { line: "token create --name '' --scope send", exit: 64, error: "--name must not be empty." },
  {
    line: "token create --name ci --scope root",
    exit: 64,
    error:
      '--scope must be read, send, approve or admin, not "root". See: holdfast token create --help',
  },
  {
    line: "token create --name ci --scope send --session {session} --json",
    exit: 0,
    json: CREATED_TOKEN,
  },
  { line: "token create --name ci --scope send --session nothing", exit: 1, error: NO_SESSION },
  {
    line: "token create --name ci --scope approve --session {session}",
    exit: 64,
    error: "--scope must be read or send if the token is for one session.",
  },
  {
    line: "token create --name ci --scope read --expires 999999",
    exit: 64,
    error: "--expires must be a number above 0 and at most 3650.",
  },
  { line: "token --json", exit: 0, json: { ...fields(), tokens: EACH.token } },
  { line: "token much", exit: 64, error: "Unexpected argument: much. See: holdfast token --help" },
  { line: "token list --json", exit: 0, json: { ...fields(), tokens: EACH.token } },
  { line: "token list --data {noFolder}", exit: 1, error: NO_DATA },
  {
    line: "token list much",
    exit: 64,
    error: "Unexpected argument: much. See: holdfast token list --help",
  },
  { line: "token revoke {token} --json", exit: 0, json: TOKEN },
  {
    line: "token revoke nothing",
    exit: 1,
    error: "There is no such token. Run `holdfast token` to see all tokens.",
  },
  { line: "token revoke", exit: 64, error: missing("TOKEN", "token revoke") },

  { line: "nodes --json", exit: 0, json: { ...fields(), nodes: EACH.node }, only: "server" },
  { line: "nodes --json", exit: 0, json: fields("nodes"), only: "database" },
  { line: "nodes much", exit: 64, error: "Unexpected argument: much. See: holdfast nodes --help" },
  { line: "nodes list --json", exit: 0, json: fields("nodes") },
  { line: "nodes list --data {noFolder}", exit: 1, error: NO_DATA },
  {
    line: "nodes list much",
    exit: 64,
    error: "Unexpected argument: much. See: holdfast nodes list --help",
  },
  { line: "nodes drain {node} --undo --json", exit: 0, json: NODE, only: "server" },
  {
    line: "nodes drain nothing",
    exit: 1,
    error: "No live node with that name or ID. Run `holdfast nodes` to see all nodes.",
  },
  { line: "nodes drain nothing --wait --undo", exit: 64, error: /cannot be used with/u },
  {
    line: "nodes drain nothing --timeout long",
    exit: 64,
    error: '--timeout must be a number, 0 or greater, not "long". See: holdfast nodes drain --help',
  },

  { line: "db status", exit: 0, prints: /^0001-portal\t\d{4}-/u },
  {
    line: "db status --json",
    exit: 0,
    json: { ...fields("engine"), migrations: { each: ["name", "executedAt"] } },
  },
  { line: "db status --data {noFolder}", exit: 1, error: NO_DATA },
  {
    line: "db status --database redis://x",
    exit: 64,
    error: "The database must be postgres://… or a SQLite file, not redis:….",
  },
  { line: "db migrate --json", exit: 0, json: fields("engine", "migrations") },
  {
    line: "db migrate much",
    exit: 64,
    error: "Unexpected argument: much. See: holdfast db migrate --help",
  },
  {
    line: "db rollback --json --database {copy}",
    exit: 0,
    json: fields("engine", "migrations"),
    only: "database",
  },
  { line: "db rollback --data {noFolder}", exit: 1, error: NO_DATA },
  { line: "db rollback", exit: 2, error: /uses it/u, only: "server" },
  {
    line: "db rollback much",
    exit: 64,
    error: "Unexpected argument: much. See: holdfast db rollback --help",
  },
  { line: "db check --json", exit: 0, json: fields("damage") },
  {
    line: "db check --database postgres://x/y",
    exit: 2,
    error: "PostgreSQL checks its files itself: use pg_amcheck.",
  },
  {
    line: "db check much",
    exit: 64,
    error: "Unexpected argument: much. See: holdfast db check --help",
  },
  { line: "db backup {newFile} --json", exit: 0, json: fields("file", "bytes", "tables") },
  { line: "db backup {newFile} --database {newFile}", exit: 1, error: /: no such database\.$/u },
  { line: "db backup {noFolder}", exit: 2, error: /is not a folder\.$/u },
  { line: "db backup", exit: 64, error: missing("FILE", "db backup") },
  {
    line: "db copy --from {copy} --to {newFile} --json",
    exit: 0,
    json: fields("tables"),
    only: "database",
  },
  { line: "db copy --from {newFile} --to {newFile}", exit: 1, error: /: no such database\.$/u },
  {
    line: "db copy --from {copy}",
    exit: 64,
    error: "--to is required. See: holdfast db copy --help",
  },
  {
    line: "db nothing",
    exit: 64,
    error: /^There is no command "nothing"\..* See: holdfast db --help$/u,
  },

  { line: "completion bash", exit: 0, prints: /complete -F/u },
  {
    line: "completion cmd",
    exit: 64,
    error:
      'SHELL must be bash, zsh, fish or powershell, not "cmd". See: holdfast completion --help',
  },
  { line: "completion", exit: 64, error: missing("SHELL", "completion") },
];
