import { fields, gaiaFields, missing, NO_SESSION, type Row } from "./row.ts";
import { DELETED_SESSION, RAW_SESSION, SESSION, STATE } from "./shapes.ts";

export const SESSION_ROWS: readonly Row[] = [
  { line: "list", exit: 0, json: STATE },
  { line: "list --json --search ''", exit: 0, json: STATE },
  { line: "list --search nothinglikethis", exit: 0, prints: /^\[\]\n$/u },
  { line: "--data {data} list --json", exit: 0, json: STATE },
  { line: "list --url {address}", exit: 0, json: STATE, only: "server" },
  { line: "list --url {url}", exit: 0, json: STATE, only: "server" },
  {
    line: "list --data {noFolder}",
    exit: 1,
    error: /^There is no Holdfast data: the folder .* does not exist\./u,
  },
  {
    line: "list --url 127.0.0.1:1",
    exit: 2,
    error: /^No server answers at http:\/\/127\.0\.0\.1:1\. /u,
  },
  {
    line: "list --url ftp://x",
    exit: 64,
    error:
      '--url must be the address of a server, such as http://127.0.0.1:4664, not "ftp://x". See: holdfast list --help',
  },
  {
    line: "list --status broken",
    exit: 64,
    error:
      '--status must be active, suspended, archived or error, not "broken". See: holdfast list --help',
  },
  {
    line: "list --limit 0",
    exit: 64,
    error: '--limit must be a whole number greater than 0, not "0". See: holdfast list --help',
  },
  {
    line: "list --from soon",
    exit: 64,
    error:
      '--from must be a time, such as 2026-01-31 or 2026-01-31T12:00:00Z, not "soon". See: holdfast list --help',
  },
  { line: "list --agent ''", exit: 64, error: "--agent must not be empty." },

  { line: "get {session}", exit: 0, json: STATE },
  { line: "get {session} --raw", exit: 0, json: RAW_SESSION },
  { line: "get nothing", exit: 1, error: NO_SESSION },
  { line: "get ''", exit: 1, error: /Run `holdfast list` to see all sessions\.$/u },
  { line: "get", exit: 64, error: missing("ID", "get") },

  { line: "fork {session} --json", exit: 0, json: SESSION },
  { line: "fork {session}", exit: 0, prints: /^[0-9a-f-]{36}\n$/u },
  { line: "fork nothing", exit: 1, error: NO_SESSION },
  {
    line: "fork {session} --at nothing",
    exit: 1,
    error: "The session has no such message to fork at.",
  },
  { line: "fork", exit: 64, error: missing("ID", "fork") },

  { line: "archive {session}", exit: 0, prints: /^agent-\S+ is archived\.\n$/u },
  { line: "archive {session} --json", exit: 0, json: SESSION },
  { line: "archive {archived} --json", exit: 0, json: SESSION },
  { line: "archive nothing", exit: 1, error: NO_SESSION },
  { line: "archive", exit: 64, error: missing("ID", "archive") },

  { line: "delete {session} --yes --json", exit: 0, json: SESSION },
  {
    line: "delete {session} --yes --with-agent-sessions --json",
    exit: 0,
    json: DELETED_SESSION,
    only: "server",
  },
  {
    line: "delete {session} --yes --with-agent-sessions",
    exit: 64,
    error: "Only a running server can delete the sessions of agents. See: holdfast delete --help",
    only: "database",
  },
  { line: "delete nothing --yes", exit: 1, error: NO_SESSION },
  { line: "delete {session}", exit: 64, error: "This cannot be undone. Pass --yes to confirm." },
  { line: "delete", exit: 64, error: missing("ID", "delete") },

  { line: "update {session} --phase planning", exit: 0, json: STATE },
  { line: "update {session} --mode ask --option effort=high", exit: 0, json: STATE },
  { line: "update nothing --phase planning", exit: 1, error: NO_SESSION },
  { line: "update {finalized} --phase planning", exit: 2, error: /finalized as completed/u },
  {
    line: "update {session} --phase lunch",
    exit: 64,
    error:
      /^--phase must be initializing, .* or abandoned, not "lunch"\. See: holdfast update --help$/u,
  },
  {
    line: "update {session}",
    exit: 64,
    error: /^Nothing to change\. Pass at least one option, for example: holdfast update /,
  },
  { line: "update {session} --error ''", exit: 64, error: "--error must not be empty." },
  {
    line: "update {session} --nothing",
    exit: 64,
    error: "There is no option --nothing. See: holdfast update --help",
  },

  {
    line: "should-resume {resumable}",
    exit: 0,
    json: gaiaFields("should_resume", "reason", "agent_id", "checks"),
  },
  {
    line: "should-resume {session} --json",
    exit: 1,
    json: gaiaFields("should_resume", "reason", "agent_id", "checks"),
  },
  {
    line: "should-resume nothing",
    exit: 1,
    json: gaiaFields("should_resume", "reason", "agent_id", "checks"),
  },
  {
    line: "should-resume {session} --max-errors 0",
    exit: 64,
    error: "--max-errors must be a whole number from 1 to 1000000.",
  },
  {
    line: "should-resume {session} --timeout-minutes 0",
    exit: 64,
    error:
      '--timeout-minutes must be a number greater than 0, not "0". See: holdfast should-resume --help',
  },
  {
    line: "should-resume {session} --require luck",
    exit: 64,
    error:
      '--require must be one or more of workspace, provider, lease, budget, separated by commas, not "luck". See: holdfast should-resume --help',
  },

  { line: "finalize {session} completed", exit: 0, json: STATE },
  { line: "finalize nothing completed", exit: 1, error: NO_SESSION },
  {
    line: "finalize {finalized} failed",
    exit: 2,
    error: "The session was already finalized as completed.",
  },
  {
    line: "finalize {session} done",
    exit: 64,
    error:
      'OUTCOME must be completed, failed or abandoned, not "done". See: holdfast finalize --help',
  },
  { line: "finalize {session}", exit: 64, error: missing("OUTCOME", "finalize") },

  { line: "cleanup --hours 24", exit: 0, json: gaiaFields("removed", "dry_run", "kept") },
  {
    line: "cleanup --dry-run --json",
    exit: 0,
    json: gaiaFields("removed", "dry_run", "kept", "first"),
  },
  { line: "cleanup --data {noFolder}", exit: 1, error: /^There is no Holdfast data/u },
  {
    line: "cleanup --hours soon",
    exit: 64,
    error: '--hours must be a number, 0 or greater, not "soon". See: holdfast cleanup --help',
  },
  {
    line: "cleanup --conversations",
    exit: 64,
    error: "This cannot be undone. Pass --yes to confirm.",
  },
  {
    line: "cleanup --url 127.0.0.1:1",
    exit: 64,
    error:
      "This command works on the database itself, not through a server. Pass --database instead of --url.",
  },

  {
    line: "hook pre-delegate",
    exit: 0,
    stdin: '{"agent_name":"tester"}',
    json: gaiaFields(
      "should_resume",
      "agent_id",
      "reason",
      "resume_metadata",
      "original_context",
      "detail",
    ),
  },
  { line: "hook pre-delegate --test", exit: 0, prints: /./u },
  {
    line: "hook pre-delegate --nothing",
    exit: 64,
    error: "There is no option --nothing. See: holdfast hook pre-delegate --help",
  },
  { line: "hook subagent-stop", exit: 0, stdin: '{"agent_id":"nothing"}', prints: /./u },
  {
    line: "hook subagent-stop much",
    exit: 64,
    error: "Unexpected argument: much. See: holdfast hook subagent-stop --help",
  },
  {
    line: "hook install --dry-run --json --project {root}",
    exit: 0,
    json: fields("file", "changed", "written", "command", "onPath"),
  },
  {
    line: "hook install --project {root}",
    exit: 64,
    error: "Nothing was changed. Pass --yes to write the changes, or --dry-run to only show them.",
    prints: /./u,
  },
  {
    line: "hook install --user --local",
    exit: 64,
    error: "--user applies to all projects and cannot be combined with --project or --local.",
  },
  {
    line: "hook nothing",
    exit: 64,
    error: 'There is no command "nothing". See: holdfast hook --help',
  },
];
