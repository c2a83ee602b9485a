import { fields, missing, NO_SESSION, type Row } from "./row.ts";
import { EACH, SESSION, STATE } from "./shapes.ts";

const SENT = {
  ...fields("sessionId", "messageId", "text"),
  run: [
    "id",
    "status",
    "provider",
    "model",
    "attempts",
    "stopReason",
    "error",
    "usage",
    "memory",
    "queuedAt",
    "startedAt",
    "endedAt",
  ],
} as const;

export const TALK_ROWS: readonly Row[] = [
  { line: "create", exit: 0, prints: /^agent-\d{8}-\d{6}-[0-9a-f]{8}\n$/u },
  { line: "create --json --repo {repository}", exit: 0, json: STATE },
  { line: "--json create", exit: 0, json: STATE },
  {
    line: "create --provider nothing",
    exit: 1,
    error: 'There is no provider "nothing". Run `holdfast providers` to see all providers.',
  },
  {
    line: "create --json --mcp docs=https://example.com/mcp --mcp echo=cat --directory {root}",
    exit: 0,
    json: STATE,
  },
  {
    line: "create --mcp docs",
    exit: 64,
    error:
      "--mcp must be NAME=URL or NAME=COMMAND, for example: --mcp docs=https://example.com/mcp",
  },
  {
    line: "create --mcp a_b=cat",
    exit: 64,
    error:
      "mcpServers.a_b: must begin with a letter and have at most 32 letters, digits and hyphens.",
  },
  {
    line: "create --mcp-file {root}/nothing.json",
    exit: 64,
    error: /^Cannot read .*nothing\.json/u,
  },
  {
    line: "create --directory /",
    exit: 2,
    error: /^"\/" is outside the workspace root /u,
  },
  {
    line: "create --repo {root}/nothing",
    exit: 1,
    error: /nothing" does not exist or is not accessible\.$/u,
  },
  { line: "create --repo /", exit: 2, error: /is outside the workspace root/u },
  { line: "create --id {session}", exit: 2, error: "A session with this agent ID already exists." },
  {
    line: "create --id no/path",
    exit: 64,
    error:
      "--id must be 1 to 128 letters, digits, dots, colons, hyphens or underscores, and not a UUID.",
  },
  { line: "create --agent ''", exit: 64, error: "--agent must not be empty." },
  { line: "create --agent {long}", exit: 64, error: "--agent must have at most 200 characters." },
  {
    line: "create --option effort",
    exit: 64,
    error:
      '--option must be ID=VALUE, such as effort=high, not "effort". See: holdfast create --help',
  },
  {
    line: "create --metadata [1]",
    exit: 64,
    error: /^--metadata must be a JSON object, for example: /,
  },
  {
    line: "create --metadata",
    exit: 64,
    error: "--metadata needs a value. See: holdfast create --help",
  },
  {
    line: "create much",
    exit: 64,
    error: "Unexpected argument: much. See: holdfast create --help",
  },
  {
    line: "create --url {url} --database x.db",
    exit: 64,
    error: "--url and --database cannot be combined: a server uses its own database.",
    only: "server",
  },

  {
    line: "send {conversation} {answer}",
    exit: 0,
    prints: /^Here I am\.\n$/u,
    error: /^scripted · /u,
    only: "server",
  },
  {
    line: "send {conversation} {answer} --json",
    exit: 0,
    json: SENT,
    error: /^scripted · /u,
    only: "server",
  },
  { line: "send {conversation} {answer} --json --detach", exit: 0, json: SENT },
  {
    line: "send {conversation} {failure} --json",
    exit: 2,
    json: SENT,
    error: /It broke/u,
    only: "server",
  },
  {
    line: "send {conversation} {question} --json",
    exit: 3,
    json: SENT,
    error: /.*/u,
    only: "server",
  },
  {
    line: "send {conversation} Hello",
    exit: 2,
    error: /^No server uses this database, so no agent can answer\. /u,
    only: "database",
  },
  { line: "send {conversation} {answer} --json --detach --steer", exit: 0, json: SENT },
  {
    line: "send {steerable} Hello --json --detach --steer",
    exit: 0,
    json: { ...SENT, steering: true },
    error: /^— Injected: the running agent took the message\.$/mu,
    only: "server",
  },
  {
    line: "send {waiting} Hello --json --detach --steer",
    exit: 0,
    json: { ...SENT, steering: true },
    error: /^— Queued: /u,
    only: "server",
  },
  { line: "send nothing Hello --detach", exit: 1, error: NO_SESSION },
  {
    line: "send {conversation} Hello --provider nothing --detach",
    exit: 1,
    error: 'There is no provider "nothing". Run `holdfast providers` to see all providers.',
  },
  {
    line: "send {archived} Hello --detach",
    exit: 2,
    error: /^The session is archived\. .* Continue in a copy with: holdfast fork agent-/u,
  },
  {
    line: "send {session} Hello --detach",
    exit: 2,
    error: /^The session has no repository, .* Run: holdfast create --repo \.$/u,
  },
  { line: "send {conversation} '' --detach", exit: 64, error: "The message must not be empty." },
  {
    line: "send {conversation} Hello --delivery soon",
    exit: 64,
    error:
      '--delivery must be queue, reject, interrupt or steer, not "soon". See: holdfast send --help',
  },
  { line: "send", exit: 64, error: missing("ID", "send") },
  { line: "send nothing", exit: 64, error: missing("TEXT", "send") },

  { line: "options {session} --json", exit: 0, json: fields("provider", "options") },
  { line: "options nothing", exit: 1, error: NO_SESSION },
  { line: "options", exit: 64, error: missing("ID", "options") },

  { line: "watch {archived}", exit: 0, error: /.*/u, only: "server" },
  {
    line: "watch {archived} --since 0 --json",
    exit: 0,
    json: fields("id", "type", "data"),
    error: /.*/u,
    only: "server",
  },
  { line: "watch nothing", exit: 1, error: NO_SESSION, only: "server" },
  {
    line: "watch {session}",
    exit: 2,
    error: /^No server uses this database, so there are no events\. /u,
    only: "database",
  },
  {
    line: "watch {session} --since now",
    exit: 64,
    error: '--since must be a whole number, not "now". See: holdfast watch --help',
  },
  { line: "watch", exit: 64, error: missing("ID", "watch") },

  { line: "inbox", exit: 0 },
  { line: "inbox --json", exit: 0, json: fields("suspensions", "unusedAnswers"), only: "database" },
  {
    line: "inbox --json --data {dataWithQuestion}",
    exit: 0,
    json: { ...fields("unusedAnswers"), suspensions: EACH.suspension },
    only: "server",
  },
  {
    line: "inbox --dismiss nothing",
    exit: 1,
    error: "No allowed action with that ID is in the inbox.",
  },
  { line: "inbox much", exit: 64, error: "Unexpected argument: much. See: holdfast inbox --help" },

  { line: "resume {session} --json", exit: 0, json: SESSION },
  { line: "resume {waiting} --answer allow --json", exit: 0, json: SESSION, only: "server" },
  { line: "resume nothing", exit: 1, error: NO_SESSION },
  {
    line: "resume {session} --suspension nothing --answer yes",
    exit: 1,
    error: "The session has no suspension with this ID.",
  },
  {
    line: "resume {session} --answer yes",
    exit: 2,
    error: "The session is not waiting for an answer.",
  },
  { line: "resume {archived}", exit: 2, error: /^The session is archived\./u },
  {
    line: "resume {waiting} --answer perhaps",
    exit: 64,
    error:
      "The answer must name one of the offered options. Run `holdfast inbox` to see the options.",
    only: "server",
  },
  { line: "resume {session} --suspension x", exit: 64, error: "--suspension needs --answer." },
  { line: "resume", exit: 64, error: missing("ID", "resume") },

  { line: "cancel {session}", exit: 0, prints: /^agent-\S+ is idle\.\n$/u },
  { line: "cancel {session} --json", exit: 0, json: SESSION },
  { line: "cancel nothing", exit: 1, error: NO_SESSION },
  { line: "cancel {archived}", exit: 2, error: /^The session is archived\./u },
  { line: "cancel {session} --reason ''", exit: 64, error: "--reason must not be empty." },
  { line: "cancel", exit: 64, error: missing("ID", "cancel") },
];
