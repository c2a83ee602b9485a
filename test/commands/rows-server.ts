import { fields, type Row } from "./row.ts";

const NOT_RUNNING = /^No server runs on /u;
const unexpected = (command: string): string =>
  `Unexpected argument: much. See: holdfast ${command} --help`;

const STATUS = fields(
  "running",
  "starting",
  "url",
  "pid",
  "version",
  "startedAt",
  "dataFolder",
  "database",
  "workspaceRoot",
  "answers",
  "problem",
  "liveAgents",
  "maxAgents",
  "questions",
);

export const SERVER_ROWS: readonly Row[] = [
  {
    line: "up --json",
    exit: 0,
    json: fields("started", "url", "pid", "version", "startedAt", "dataFolder"),
    only: "server",
  },
  { line: "up much", exit: 64, error: unexpected("up") },
  { line: "down", exit: 0, prints: NOT_RUNNING, only: "database" },
  {
    line: "down --json",
    exit: 0,
    json: fields("stopped", "pid", "dataFolder"),
    only: "database",
  },
  {
    line: "down --timeout long",
    exit: 64,
    error: '--timeout must be a number, 0 or greater, not "long". See: holdfast down --help',
  },
  { line: "restart", exit: 2, error: /was not started with `holdfast up`/u, only: "server" },
  { line: "restart much", exit: 64, error: unexpected("restart") },
  { line: "status --json", exit: 0, json: STATUS, only: "server" },
  { line: "status", exit: 1, prints: NOT_RUNNING, only: "database" },
  { line: "status --json", exit: 1, json: STATUS, only: "database" },
  { line: "status much", exit: 64, error: unexpected("status") },
  { line: "acp", exit: 0, prints: /^$/u, only: "server" },
  { line: "acp much", exit: 64, error: unexpected("acp") },
  {
    line: "acp --url ://",
    exit: 64,
    error:
      '--url must be the address of a server, such as http://127.0.0.1:4664, not "://". See: holdfast acp --help',
  },
  { line: "mcp", exit: 0, prints: /^$/u, only: "server" },
  { line: "mcp much", exit: 64, error: unexpected("mcp") },
  {
    line: "mcp --url ://",
    exit: 64,
    error:
      '--url must be the address of a server, such as http://127.0.0.1:4664, not "://". See: holdfast mcp --help',
  },
  { line: "logs -n 1 --json", exit: 0, prints: /^\{.*\}\n$/u, only: "server" },
  { line: "logs", exit: 1, error: /^There is no log in /u, only: "database" },
  {
    line: "logs -n few",
    exit: 64,
    error: '--lines must be a whole number, not "few". See: holdfast logs --help',
  },
  {
    line: "service install --print --json",
    exit: 0,
    json: fields("manager", "file", "text"),
  },
  { line: "service install much", exit: 64, error: unexpected("service install") },
  { line: "service uninstall --json", exit: 0, json: fields("manager", "file", "removed") },
  { line: "service uninstall much", exit: 64, error: unexpected("service uninstall") },
  {
    line: "service status --json",
    exit: 1,
    json: fields("manager", "file", "installed", "active"),
  },
  { line: "service status much", exit: 64, error: unexpected("service status") },
  {
    line: "init --provider scripted --workspace-root {root} --no-check --json",
    exit: 0,
    json: fields(
      "defaultProvider",
      "workspaceRoot",
      "configFile",
      "changed",
      "answer",
      "restartNeeded",
      "agents",
      "next",
    ),
  },
  {
    line: "init --provider nothing --json",
    exit: 1,
    error: /^There is no agent "nothing"\. Choose one of /u,
  },
  { line: "init", exit: 64, error: /^Pass --provider NAME to choose an agent, or --yes /u },
];
