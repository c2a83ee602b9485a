import { Option, type Command } from "commander";
import { SCOPES } from "../domain/scope.ts";
import type { HookFlags } from "./commands/hooks.ts";
import type { BackupFlags, CopyFlags } from "./commands/database.ts";
import type { CleanupFlags } from "./commands/cleanup.ts";
import type { DrainFlags } from "./commands/nodes.ts";
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
  withDesk,
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
  withDesk(holdfast.command("doctor"))
    .description("look at everything Holdfast stands on, and say what is wrong")
    .action(async (flags: CommonFlags) => {
      process.exitCode = await (await import("./commands/doctor.ts")).examine(flags);
    });
}

function addNodes(holdfast: Command): void {
  const list = async (flags: CommonFlags) => (await import("./commands/nodes.ts")).listNodes(flags);
  const nodes = withDesk(holdfast.command("nodes"))
    .description("the servers that share the database")
    .action(list);
  withDesk(nodes.command("list")).description("list them").action(list);
  withDesk(nodes.command("drain"))
    .description("let one finish and hand over its work, and give it no more")
    .argument("<node>", "its name or id")
    .option("--wait", "until nothing is at work there any more")
    .option("--timeout <seconds>", "how long to wait at most", notNegative, 600)
    .addOption(new Option("--undo", "give it work again").conflicts("wait"))
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
  const token = withDesk(holdfast.command("token")).description("manage API tokens").action(list);
  withDesk(token.command("create"))
    .description("make one, and print it once")
    .requiredOption("--name <name>", "what it is for")
    .addOption(
      choice(
        "--scope <scope>",
        "scope; each includes the ones before it",
        SCOPES,
      ).makeOptionMandatory(),
    )
    .option("--expires <days>", "until when (default: until it is revoked)", positiveNumber)
    .addHelpText(
      "after",
      examples(
        "ADMIN=$(holdfast token create --name admin --scope admin)",
        "TOKEN=$(holdfast token create --name ci --scope send --expires 90)",
      ) +
        "\n\nThe first token must have the scope admin. From then on every request needs a token.",
    )
    .action(async (flags: CreateTokenFlags) => (await tokens()).createToken(flags));
  withDesk(token.command("list"))
    .description("list them; the tokens themselves are not kept")
    .action(list);
  withDesk(token.command("revoke"))
    .description("refuse one from now on, on all nodes")
    .argument("<token>", "its id, as listed")
    .action(async (id: string, flags: CommonFlags) => (await tokens()).revokeToken(id, flags));
}

function addSurroundings(holdfast: Command): void {
  holdfast.commandsGroup("Around sessions:");
  withDesk(holdfast.command("stats"))
    .description("how sessions and their runs went")
    .option("--from <time>", "runs that ended, and sessions active, at or after", time)
    .option("--to <time>", "runs that ended, and sessions created, before", time)
    .addHelpText(
      "after",
      examples("holdfast stats --from 2026-01-08T18:00Z --to 2026-01-08T19:00Z"),
    )
    .action(async (flags: StatsFlags) => (await import("./commands/stats.ts")).showStats(flags));
  withDesk(holdfast.command("providers"))
    .description("agents and models, which of them are installed, and how to install the others")
    .action(async (flags: CommonFlags) => (await surroundings()).listProviders(flags));

  const repos = withDesk(holdfast.command("repos"))
    .description("repositories that sessions can work in")
    .action(async (flags: CommonFlags) => (await surroundings()).listRepos(flags));
  withDesk(repos.command("list"))
    .description("list them")
    .action(async (flags: CommonFlags) => (await surroundings()).listRepos(flags));
  withDesk(repos.command("add"))
    .description("add one, and print its id")
    .argument("<path>", "a Git repository inside the workspace root")
    .option("--name <name>")
    .option("--label <label>", "only nodes with this label have it (default: all with its path)")
    .action(async (path: string, flags: AddRepoFlags) =>
      (await surroundings()).addRepo(path, flags),
    );
  withDesk(repos.command("remove"))
    .description("forget one; its files stay")
    .argument("<repo>", "its id")
    .action(async (id: string, flags: CommonFlags) => (await surroundings()).removeRepo(id, flags));
}

function addTransfer(holdfast: Command): void {
  withDesk(holdfast.command("export"))
    .description("write sessions to files: whole bundles, or state.json as GAIA has it")
    .argument("[ids...]", "sessions (default with --format gaia: all that have an agent)")
    .addOption(choice("--format <format>", "what to write", ["bundle", "gaia"]).default("bundle"))
    .option("--to <folder>", "where to; a single bundle goes to stdout without it")
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
  withDesk(holdfast.command("import"))
    .description("take sessions in: bundles, or a .claude/session folder")
    .argument("<paths...>", "bundle files, a folder of state.json files, or - for stdin")
    .addHelpText(
      "after",
      examples("holdfast import session.jsonl", "holdfast import .claude/session"),
    )
    .action(async (paths: readonly string[], flags: ImportFlags) => {
      process.exitCode = await (await transfer()).importSessions(paths, flags);
    });
  withDesk(holdfast.command("cleanup"))
    .description("remove old sessions that only track an agent; conversations stay")
    .option("--hours <n>", "remove sessions inactive for this many hours", notNegative, 24)
    .option("--conversations", "remove old conversations too, each after a bundle was written")
    .option("--dry-run", "only show which sessions would be removed")
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      examples("holdfast cleanup --hours 24 --dry-run", "holdfast cleanup --conversations --yes"),
    )
    .action(async (flags: CleanupFlags) => {
      process.exitCode = await (await import("./commands/cleanup.ts")).cleanUp(flags);
    });
  withDesk(holdfast.command("removed"))
    .description("list sessions that were removed and can be restored")
    .option("--limit <n>", "maximum number of sessions", positiveNumber)
    .action(async (flags: RemovedFlags) =>
      (await import("./commands/removed.ts")).listRemoved(flags),
    );
  withDesk(holdfast.command("restore"))
    .description("restore a removed session")
    .argument("<id>", "session ID, as listed by holdfast removed")
    .action(async (id: string, flags: CommonFlags) =>
      (await import("./commands/removed.ts")).restoreSession(id, flags),
    );
}

function addHooks(holdfast: Command): void {
  const hook = holdfast
    .command("hook")
    .description("hooks for orchestrators: JSON in, JSON out, never in the way");
  withData(hook.command("pre-delegate"))
    .description("say whether to resume a session instead of beginning anew")
    .option("--test", "check itself, and leave nothing behind")
    .addHelpText("after", examples(`echo '{"agent_name": "NAME"}' | holdfast hook pre-delegate`))
    .action(async (flags: HookFlags) => {
      process.exitCode = await (await import("./commands/hooks.ts")).answerPreDelegate(flags);
    });
  withData(hook.command("subagent-stop"))
    .description("finalize the session of an agent that has ended")
    .option("--test", "check itself, and leave nothing behind")
    .action(async (flags: HookFlags) => {
      process.exitCode = await (await import("./commands/hooks.ts")).answerSubagentStop(flags);
    });
  withData(hook.command("install"))
    .description("write both into the settings of Claude Code, after showing what changes")
    .option("--project <folder>", "whose settings (default: the current folder)")
    .option("--local", "its settings that are not shared")
    .option("--user", "your own settings, for all projects")
    .option("--uninstall", "take them out again")
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "do not ask")
    .option("--json", "as JSON")
    .action(async (flags: InstallFlags) => {
      process.exitCode = await (await import("./commands/hooks.ts")).install(flags);
    });
}

function addDatabase(holdfast: Command): void {
  holdfast.commandsGroup("Data:");
  const db = holdfast.command("db").description("look after the database");
  withData(db.command("migrate"))
    .description("bring the schema up to date; refused while nodes are alive")
    .action(async (flags: DataFlags) => (await database()).migrate(flags));
  withData(db.command("rollback"))
    .description("take the last migration back; refused while nodes are alive")
    .action(async (flags: DataFlags) => (await database()).rollback(flags));
  withData(db.command("status"))
    .description("list the migrations and when they ran")
    .option("--json", "as JSON")
    .action(async (flags: DataFlags & { readonly json?: true }) =>
      (await database()).status(flags),
    );
  withData(db.command("backup"))
    .description("write the database to a new file, also while a server runs, and verify it")
    .argument("<file>", "which must not exist yet")
    .option("--json", "as JSON")
    .addHelpText("after", examples("holdfast db backup holdfast-2026-01-08.db"))
    .action(async (file: string, flags: BackupFlags) => (await database()).backup(file, flags));
  db.command("copy")
    .description("copy everything into another, empty database")
    .requiredOption("--from <url>", "postgres://… or a SQLite file")
    .requiredOption("--to <url>", "postgres://… or a SQLite file")
    .option("--json", "as JSON")
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
