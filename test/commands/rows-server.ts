import { fields, type Row } from "./row.ts";

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
const STARTED = fields("started", "url", "pid", "version", "startedAt", "dataFolder");
const BAD_PORT = 'The port must be a number from 0 to 65535, not "none".';

const unexpected = (command: string): Row => ({
  line: `${command} much`,
  exit: 64,
  error: `Unexpected argument: much. See: holdfast ${command} --help`,
});

/** The server of the world runs in the foreground. */
export const SERVER_ROWS: readonly Row[] = [
  { line: "up --json", exit: 0, json: STARTED, only: "server" },
  { line: "up", exit: 0, prints: /^Holdfast \S+ already runs at http:\S+ \(pid /u, only: "server" },
  { line: "up --port none", exit: 64, error: BAD_PORT, only: "database" },
  unexpected("up"),

  { line: "down --json", exit: 0, json: fields("stopped", "pid", "dataFolder"), only: "database" },
  { line: "down", exit: 0, prints: /^No server runs on /u, only: "database" },
  unexpected("down"),

  { line: "restart", exit: 2, error: /was not started with `holdfast up`/u, only: "server" },
  unexpected("restart"),

  { line: "status --json", exit: 0, json: STATUS, only: "server" },
  { line: "status", exit: 0, prints: /^running: yes\nurl: http/u, only: "server" },
  { line: "status --json", exit: 1, json: STATUS, only: "database" },
  { line: "status", exit: 1, prints: /^No server runs on /u, only: "database" },
  unexpected("status"),

  { line: "logs -n 1", exit: 0, prints: /^\{"level":30,.*\}\n$/u, only: "server" },
  { line: "logs", exit: 1, error: /^There is no log in /u, only: "database" },
  unexpected("logs"),

  { line: "service install --print", exit: 0, prints: /holdfast/u },
  { line: "service install --print --json", exit: 0, json: fields("manager", "file", "text") },
  { line: "service install --port none", exit: 64, error: BAD_PORT },
  { line: "service uninstall --json", exit: 0, json: fields("manager", "file", "removed") },
  unexpected("service uninstall"),
  {
    line: "service status --json",
    exit: 1,
    json: fields("manager", "file", "installed", "active"),
  },
  unexpected("service status"),
];
