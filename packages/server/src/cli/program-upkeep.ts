import { Option, type Command } from "commander";
import { SCOPES } from "../domain/scope.ts";
import type { HookOptions } from "./hooks/run-hook.ts";
import {
  choice,
  examples,
  notNegative,
  positiveNumber,
  run,
  time,
  withData,
  withServerOptions,
} from "./program-options.ts";
import type { DataFlags } from "./settings/settings.ts";

export function addUpkeepCommands(holdfast: Command): void {
  addServer(holdfast);
  addNodes(holdfast);
  addTokens(holdfast);
  addSurroundings(holdfast);
  addTransfer(holdfast);
  addHooks(holdfast);
  addDatabase(holdfast);
}

function addServer(holdfast: Command): void {
  holdfast.commandsGroup("Server:");
  withData(holdfast.command("serve"))
    .description("serve the API and the web page")
    .option("--host <host>", "address to listen on (default: 127.0.0.1)")
    .option("--port <port>", "port to listen on; 0 picks a free one (default: 4664)")
    .action(run(async () => (await serving()).serve));
  withServerOptions(holdfast.command("open"))
    .description("open the web page in a browser, signed in")
    .option("--print", "print the address instead, which works once")
    .action(run(async () => (await import("./access/open-page.ts")).openPage));
  holdfast.command("mcp", { hidden: true }).action(run(async () => (await serving()).serveTools));
  withServerOptions(holdfast.command("doctor"))
    .description("check the installation and report problems")
    .action(run(async () => (await doctor()).examine));
}

function addNodes(holdfast: Command): void {
  const list = run(async () => (await nodeCommands()).listNodes);
  const nodes = withServerOptions(holdfast.command("nodes"))
    .description("list the servers that share the database")
    .action(list);
  withServerOptions(nodes.command("list"))
    .description("list the servers that share the database")
    .action(list);
  withServerOptions(nodes.command("drain"))
    .description("stop assigning work to a node and let it finish")
    .argument("<node>", "node name or ID")
    .option("--wait", "wait until the node is drained")
    .option("--timeout <seconds>", "maximum time to wait", notNegative, 600)
    .addOption(new Option("--undo", "assign work to the node again").conflicts("wait"))
    .addHelpText(
      ...examples("holdfast nodes drain NODE --wait", "holdfast nodes drain NODE --undo"),
    )
    .action(run(async () => (await nodeCommands()).drainNode));
}

function addTokens(holdfast: Command): void {
  const list = run(async () => (await tokens()).listTokens);
  const token = withServerOptions(holdfast.command("token"))
    .description("manage API tokens")
    .action(list);
  withServerOptions(token.command("create"))
    .description("create a token and print it once")
    .requiredOption("--name <name>", "name, for your own reference")
    .addOption(
      choice(
        "--scope <scope>",
        "scope; each includes the ones before it",
        SCOPES,
      ).makeOptionMandatory(),
    )
    .option("--expires <days>", "days until the token expires (default: never)", positiveNumber)
    .addHelpText(
      ...examples(
        "ADMIN=$(holdfast token create --name admin --scope admin)",
        "TOKEN=$(holdfast token create --name ci --scope send --expires 90)",
      ),
    )
    .action(run(async () => (await tokens()).createToken));
  withServerOptions(token.command("list"))
    .description("list the tokens; their secrets are not stored")
    .action(list);
  withServerOptions(token.command("revoke"))
    .description("revoke a token on all nodes")
    .argument("<token>", "token ID, as listed")
    .action(run(async () => (await tokens()).revokeToken));
}

function addSurroundings(holdfast: Command): void {
  holdfast.commandsGroup("Providers, repositories and files:");
  withServerOptions(holdfast.command("stats"))
    .description("show statistics of sessions and runs")
    .option(
      "--from <time>",
      "only runs that ended, and sessions active, at or after this time",
      time,
    )
    .option("--to <time>", "only runs that ended, and sessions created, before this time", time)
    .addHelpText(...examples("holdfast stats --from 2026-01-08T18:00Z --to 2026-01-08T19:00Z"))
    .action(run(async () => (await stats()).showStats));
  withServerOptions(holdfast.command("providers"))
    .description("list agents and models, and how to install the missing ones")
    .action(run(async () => (await surroundings()).listProviders));

  const list = run(async () => (await surroundings()).listRepos);
  const repos = withServerOptions(holdfast.command("repos"))
    .description("list the repositories that sessions can work in")
    .action(list);
  withServerOptions(repos.command("list")).description("list the repositories").action(list);
  withServerOptions(repos.command("add"))
    .description("add a repository and print its ID")
    .argument("<path>", "Git repository inside the workspace root")
    .option("--name <name>", "name (default: the name of the folder)")
    .option(
      "--label <label>",
      "only nodes with this label have it (default: all nodes with this path)",
    )
    .action(run(async () => (await surroundings()).addRepo));
  withServerOptions(repos.command("remove"))
    .description("remove a repository from the list; its files stay")
    .argument("<repo>", "repository ID")
    .action(run(async () => (await surroundings()).removeRepo));
}

function addTransfer(holdfast: Command): void {
  withServerOptions(holdfast.command("export"))
    .description("write sessions to files, as bundles or as GAIA's state.json")
    .argument(
      "[ids...]",
      "session IDs or agent IDs (default with --format gaia: all sessions with an agent)",
    )
    .addOption(choice("--format <format>", "file format", ["bundle", "gaia"]).default("bundle"))
    .option("--to <folder>", "target folder (default for a single bundle: stdout)")
    .addHelpText(
      ...examples(
        "holdfast export ID > session.jsonl",
        "holdfast export --format gaia --to .claude/session",
      ),
    )
    .action(run(async () => (await transfer()).exportSessions));
  withServerOptions(holdfast.command("import"))
    .description("import sessions from bundles or a .claude/session folder")
    .argument("<paths...>", "bundle files, a folder of state.json files, or - for stdin")
    .addHelpText(...examples("holdfast import session.jsonl", "holdfast import .claude/session"))
    .action(run(async () => (await transfer()).importSessions));
  withServerOptions(holdfast.command("cleanup"))
    .description("remove old sessions that only track an agent; conversations are kept")
    .option("--hours <n>", "remove sessions inactive for this many hours", notNegative, 24)
    .option("--conversations", "also remove old conversations; each is written to a bundle first")
    .option("--dry-run", "only show which sessions would be removed")
    .option("-y, --yes", "do not ask for confirmation")
    .addHelpText(
      ...examples(
        "holdfast cleanup --hours 24 --dry-run",
        "holdfast cleanup --conversations --yes",
      ),
    )
    .action(run(async () => (await cleanup()).cleanUp));
  withServerOptions(holdfast.command("removed"))
    .description("list sessions that were removed and can be restored")
    .option("--limit <n>", "maximum number of sessions", positiveNumber)
    .action(run(async () => (await removed()).listRemoved));
  withServerOptions(holdfast.command("restore"))
    .description("restore a removed session")
    .argument("<id>", "session ID, as listed by holdfast removed")
    .action(run(async () => (await removed()).restoreSession));
}

interface HookFlags extends DataFlags {
  readonly test?: true;
}

function hookAction(load: () => Promise<(options: HookOptions) => Promise<number>>) {
  return async (flags: HookFlags): Promise<void> => {
    const check = async () => (await import("./hooks/self-check.ts")).checkHooks;
    const hook = await (flags.test === true ? check() : load());
    process.exitCode = await hook({ flags, env: process.env, stdio: process });
  };
}

function addHooks(holdfast: Command): void {
  const hook = holdfast
    .command("hook")
    .description("hooks for orchestrators: JSON in, JSON out, exit code always 0");
  withData(hook.command("pre-delegate"))
    .description("say whether to resume a session instead of starting a new one")
    .option("--test", "run a self-check that leaves nothing behind")
    .addHelpText(...examples(`echo '{"agent_name": "NAME"}' | holdfast hook pre-delegate`))
    .action(hookAction(async () => (await import("./hooks/pre-delegate.ts")).preDelegate));
  withData(hook.command("subagent-stop"))
    .description("finalize the session of an agent that has stopped")
    .option("--test", "run a self-check that leaves nothing behind")
    .action(hookAction(async () => (await import("./hooks/subagent-stop.ts")).subagentStop));
  withData(hook.command("install"))
    .description("add both hooks to the settings of Claude Code, after showing the changes")
    .option("--project <folder>", "project folder (default: the current folder)")
    .option("--local", "use the project's settings.local.json, which is not shared")
    .option("--user", "use your own settings, for all projects")
    .option("--uninstall", "remove the hooks")
    .option("--dry-run", "only show the changes")
    .option("-y, --yes", "do not ask for confirmation")
    .option("--json", "print JSON")
    .action(run(async () => (await import("./hooks/install-hooks.ts")).install));
}

function addDatabase(holdfast: Command): void {
  holdfast.commandsGroup("Data:");
  const db = holdfast.command("db").description("manage the database");
  withData(db.command("migrate"))
    .description("migrate the schema to this version; refused while nodes are alive")
    .option("--json", "print JSON")
    .action(run(async () => (await database()).migrate));
  withData(db.command("rollback"))
    .description("roll back the last migration; refused while nodes are alive")
    .option("--json", "print JSON")
    .action(run(async () => (await database()).rollback));
  withData(db.command("status"))
    .description("list the migrations and when they ran")
    .option("--json", "print JSON")
    .action(run(async () => (await database()).status));
  withData(db.command("backup"))
    .description("back up the database to a new file and verify it; works while a server runs")
    .argument("<file>", "target file; must not exist")
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast db backup holdfast-2026-01-08.db"))
    .action(run(async () => (await database()).backup));
  withData(db.command("check"))
    .description(
      "read the whole database file and report damaged places; works while a server runs",
    )
    .option("--json", "print JSON")
    .action(run(async () => (await damage()).checkForDamage));
  db.command("copy")
    .description("copy the whole database into an empty one")
    .requiredOption("--from <url>", "source: postgres://… or a SQLite file")
    .requiredOption("--to <url>", "target: postgres://… or a SQLite file")
    .option("--json", "print JSON")
    .addHelpText(
      ...examples("holdfast db copy --from holdfast.db --to postgres://user@host/holdfast"),
    )
    .action(run(async () => (await database()).copy));
}

const serving = () => import("./commands/serving.ts");
const damage = () => import("./commands/damage.ts");
const doctor = () => import("./commands/doctor.ts");
const nodeCommands = () => import("./commands/nodes.ts");
const tokens = () => import("./commands/token.ts");
const surroundings = () => import("./commands/surroundings.ts");
const stats = () => import("./commands/stats.ts");
const cleanup = () => import("./commands/cleanup.ts");
const removed = () => import("./commands/removed.ts");
const transfer = () => import("./commands/transfer.ts");
const database = () => import("./commands/database.ts");
