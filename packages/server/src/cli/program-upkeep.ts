import { Option, type Command } from "commander";
import { SCOPES } from "../domain/scope.ts";
import type { CopyFlags, JsonFlags } from "./commands/database.ts";
import type { CleanupFlags } from "./commands/cleanup.ts";
import type { DrainFlags } from "./commands/nodes.ts";
import type { HookOptions } from "./hooks/run-hook.ts";
import type { InstallFlags } from "./hooks/install-hooks.ts";
import type { CreateTokenFlags } from "./commands/token.ts";
import type { RemovedFlags } from "./commands/removed.ts";
import type { StatsFlags } from "./commands/stats.ts";
import type { ExportFlags, ImportFlags } from "./commands/transfer.ts";
import type { AddRepoFlags } from "./commands/surroundings.ts";
import type { CommonFlags } from "./commands/tracking.ts";
import {
  choice,
  examples,
  notNegative,
  positiveNumber,
  time,
  withData,
  withServerOptions,
} from "./program-options.ts";
import type { DataFlags, ServeFlags } from "./settings/settings.ts";

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
    .action(async (flags: ServeFlags) => (await import("./commands/serving.ts")).serve(flags));
  holdfast
    .command("mcp", { hidden: true })
    .action(async () => (await import("./commands/serving.ts")).serveTools());
  withServerOptions(holdfast.command("doctor"))
    .description("check the installation and report problems")
    .action(async (flags: CommonFlags) => {
      process.exitCode = await (await import("./commands/doctor.ts")).examine(flags);
    });
}

function addNodes(holdfast: Command): void {
  const list = async (flags: CommonFlags) => (await import("./commands/nodes.ts")).listNodes(flags);
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
      "after",
      examples("holdfast nodes drain NODE --wait", "holdfast nodes drain NODE --undo"),
    )
    .action(async (node: string, flags: DrainFlags) =>
      (await import("./commands/nodes.ts")).drainNode(node, flags),
    );
}

function addTokens(holdfast: Command): void {
  const list = async (flags: CommonFlags) => (await tokens()).listTokens(flags);
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
      "after",
      examples(
        "ADMIN=$(holdfast token create --name admin --scope admin)",
        "TOKEN=$(holdfast token create --name ci --scope send --expires 90)",
      ) +
        "\n\nThe first token must have the scope admin. From then on every request needs a token.",
    )
    .action(async (flags: CreateTokenFlags) => (await tokens()).createToken(flags));
  withServerOptions(token.command("list"))
    .description("list the tokens; their secrets are not stored")
    .action(list);
  withServerOptions(token.command("revoke"))
    .description("revoke a token on all nodes")
    .argument("<token>", "token ID, as listed")
    .action(async (id: string, flags: CommonFlags) => (await tokens()).revokeToken(id, flags));
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
    .addHelpText(
      "after",
      examples("holdfast stats --from 2026-01-08T18:00Z --to 2026-01-08T19:00Z"),
    )
    .action(async (flags: StatsFlags) => (await import("./commands/stats.ts")).showStats(flags));
  withServerOptions(holdfast.command("providers"))
    .description("list agents and models, and how to install the missing ones")
    .action(async (flags: CommonFlags) => (await surroundings()).listProviders(flags));

  const repos = withServerOptions(holdfast.command("repos"))
    .description("list the repositories that sessions can work in")
    .action(async (flags: CommonFlags) => (await surroundings()).listRepos(flags));
  withServerOptions(repos.command("list"))
    .description("list the repositories")
    .action(async (flags: CommonFlags) => (await surroundings()).listRepos(flags));
  withServerOptions(repos.command("add"))
    .description("add a repository and print its ID")
    .argument("<path>", "Git repository inside the workspace root")
    .option("--name <name>", "name (default: the name of the folder)")
    .option(
      "--label <label>",
      "only nodes with this label have it (default: all nodes with this path)",
    )
    .action(async (path: string, flags: AddRepoFlags) =>
      (await surroundings()).addRepo(path, flags),
    );
  withServerOptions(repos.command("remove"))
    .description("remove a repository from the list; its files stay")
    .argument("<repo>", "repository ID")
    .action(async (id: string, flags: CommonFlags) => (await surroundings()).removeRepo(id, flags));
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
      "after",
      examples(
        "holdfast export ID > session.jsonl",
        "holdfast export --format gaia --to .claude/session",
      ),
    )
    .action(async (ids: readonly string[], flags: ExportFlags) => {
      process.exitCode = await (await transfer()).exportSessions(ids, flags);
    });
  withServerOptions(holdfast.command("import"))
    .description("import sessions from bundles or a .claude/session folder")
    .argument("<paths...>", "bundle files, a folder of state.json files, or - for stdin")
    .addHelpText(
      "after",
      examples("holdfast import session.jsonl", "holdfast import .claude/session"),
    )
    .action(async (paths: readonly string[], flags: ImportFlags) => {
      process.exitCode = await (await transfer()).importSessions(paths, flags);
    });
  withServerOptions(holdfast.command("cleanup"))
    .description("remove old sessions that only track an agent; conversations are kept")
    .option("--hours <n>", "remove sessions inactive for this many hours", notNegative, 24)
    .option("--conversations", "also remove old conversations; each is written to a bundle first")
    .option("--dry-run", "only show which sessions would be removed")
    .option("-y, --yes", "do not ask for confirmation")
    .addHelpText(
      "after",
      examples("holdfast cleanup --hours 24 --dry-run", "holdfast cleanup --conversations --yes"),
    )
    .action(async (flags: CleanupFlags) => {
      process.exitCode = await (await import("./commands/cleanup.ts")).cleanUp(flags);
    });
  withServerOptions(holdfast.command("removed"))
    .description("list sessions that were removed and can be restored")
    .option("--limit <n>", "maximum number of sessions", positiveNumber)
    .action(async (flags: RemovedFlags) =>
      (await import("./commands/removed.ts")).listRemoved(flags),
    );
  withServerOptions(holdfast.command("restore"))
    .description("restore a removed session")
    .argument("<id>", "session ID, as listed by holdfast removed")
    .action(async (id: string, flags: CommonFlags) =>
      (await import("./commands/removed.ts")).restoreSession(id, flags),
    );
}

interface HookFlags extends DataFlags {
  readonly test?: true;
}

async function answer(
  hook: (options: HookOptions) => Promise<number>,
  flags: HookFlags,
): Promise<number> {
  const options = { flags, env: process.env, stdio: process };
  if (flags.test !== true) return hook(options);
  const { checkHooks } = await import("./hooks/self-check.ts");
  return checkHooks(options);
}

function addHooks(holdfast: Command): void {
  const hook = holdfast
    .command("hook")
    .description("hooks for orchestrators: JSON in, JSON out, exit code always 0");
  withData(hook.command("pre-delegate"))
    .description("say whether to resume a session instead of starting a new one")
    .option("--test", "run a self-check that leaves nothing behind")
    .addHelpText("after", examples(`echo '{"agent_name": "NAME"}' | holdfast hook pre-delegate`))
    .action(async (flags: HookFlags) => {
      const { preDelegate } = await import("./hooks/pre-delegate.ts");
      process.exitCode = await answer(preDelegate, flags);
    });
  withData(hook.command("subagent-stop"))
    .description("finalize the session of an agent that has stopped")
    .option("--test", "run a self-check that leaves nothing behind")
    .action(async (flags: HookFlags) => {
      const { subagentStop } = await import("./hooks/subagent-stop.ts");
      process.exitCode = await answer(subagentStop, flags);
    });
  withData(hook.command("install"))
    .description("add both hooks to the settings of Claude Code, after showing the changes")
    .option("--project <folder>", "project folder (default: the current folder)")
    .option("--local", "use the project's settings.local.json, which is not shared")
    .option("--user", "use your own settings, for all projects")
    .option("--uninstall", "remove the hooks")
    .option("--dry-run", "only show the changes")
    .option("-y, --yes", "do not ask for confirmation")
    .option("--json", "print JSON")
    .action(async (flags: InstallFlags) => {
      const { installHooks } = await import("./hooks/install-hooks.ts");
      process.exitCode = await installHooks({ flags, env: process.env });
    });
}

function addDatabase(holdfast: Command): void {
  holdfast.commandsGroup("Data:");
  const db = holdfast.command("db").description("manage the database");
  withData(db.command("migrate"))
    .description("migrate the schema to this version; refused while nodes are alive")
    .action(async (flags: DataFlags) => (await database()).migrate(flags));
  withData(db.command("rollback"))
    .description("roll back the last migration; refused while nodes are alive")
    .action(async (flags: DataFlags) => (await database()).rollback(flags));
  withData(db.command("status"))
    .description("list the migrations and when they ran")
    .option("--json", "print JSON")
    .action(async (flags: JsonFlags) => (await database()).status(flags));
  withData(db.command("backup"))
    .description("back up the database to a new file and verify it; works while a server runs")
    .argument("<file>", "target file; must not exist")
    .option("--json", "print JSON")
    .addHelpText("after", examples("holdfast db backup holdfast-2026-01-08.db"))
    .action(async (file: string, flags: JsonFlags) => (await database()).backup(file, flags));
  db.command("copy")
    .description("copy the whole database into an empty one")
    .requiredOption("--from <url>", "source: postgres://… or a SQLite file")
    .requiredOption("--to <url>", "target: postgres://… or a SQLite file")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      examples("holdfast db copy --from holdfast.db --to postgres://user@host/holdfast"),
    )
    .action(async (flags: CopyFlags) => (await database()).copy(flags));
}

const tokens = () => import("./commands/token.ts");
const surroundings = () => import("./commands/surroundings.ts");
const transfer = () => import("./commands/transfer.ts");
const database = () => import("./commands/database.ts");
