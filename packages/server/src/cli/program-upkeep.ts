import { Argument, Option, type Command } from "commander";
import { SCOPES } from "../domain/scope.ts";
import {
  checked,
  choice,
  COUNT,
  examples,
  NOT_NEGATIVE,
  oneOf,
  parserOf,
  POSITIVE,
  run,
  SHELLS,
  TIME,
  withData,
  withServerOptions,
} from "./program-options.ts";

export function addUpkeepCommands(holdfast: Command): void {
  addAgentsAndRepositories(holdfast);
  addTransfer(holdfast);
  holdfast.commandsGroup("Administration:");
  addStats(holdfast);
  addTokens(holdfast);
  addNodes(holdfast);
  addDatabase(holdfast);
  addCompletion(holdfast);
}

function addAgentsAndRepositories(holdfast: Command): void {
  holdfast.commandsGroup("Agents and repositories:");
  withData(holdfast.command("init"))
    .summary("choose and check your agent")
    .description(
      "Shows which agents are installed, lets you choose one, checks it with one message, and writes the config file.",
    )
    .option("--provider <name>", "default agent or model (default: asks)")
    .option(
      "--workspace-root <folder>",
      "folder that contains your repositories (default: the repository you are in)",
    )
    .option("-y, --yes", "do not ask: the configured agent, else the first installed one")
    .option("--no-check", "do not ask the agent for an answer")
    .option("--json", "print JSON")
    .addHelpText(
      ...examples("holdfast init", "holdfast init --provider gemini --workspace-root ~/projects"),
    )
    .action(run(async () => (await import("./init/init-command.ts")).init));
  withServerOptions(holdfast.command("providers"))
    .summary("list agents and models, and how to install them")
    .description("Lists the agents and models that can answer, and how to install missing ones.")
    .addHelpText(...examples("holdfast providers"))
    .action(run(async () => (await surroundings()).listProviders));

  withServerOptions(holdfast.command("login"))
    .summary("log in to an agent")
    .description(
      "Logs in to an agent in this terminal, as the agent itself does it. Sessions that wait for the login go on. Run it on the server's machine, as the user of the server.",
    )
    .argument("<provider>", "name of the agent")
    .option("--method <id>", "how to log in (default: asks)")
    .option("--check", "only print who is logged in; exits with 1 if nobody is")
    .addHelpText(
      ...examples("holdfast login claude", "holdfast login codex --method chat-gpt-device-code"),
    )
    .action(run(async () => (await import("./login/login-command.ts")).logIn));
  withServerOptions(holdfast.command("logout"))
    .summary("log out of an agent")
    .description("Asks an agent to remove its stored login. Keys in variables stay.")
    .argument("<provider>", "name of the agent")
    .addHelpText(...examples("holdfast logout codex"))
    .action(run(async () => (await import("./login/login-command.ts")).logOut));

  const list = run(async () => (await surroundings()).listRepos);
  const repos = withServerOptions(holdfast.command("repos"))
    .summary("list, add and remove repositories")
    .description("Lists the repositories that sessions can work in.")
    .addHelpText(...examples("holdfast repos", "holdfast repos add ."))
    .action(list);
  withServerOptions(repos.command("list"))
    .description("Lists the repositories, like `holdfast repos`.")
    .summary("list the repositories")
    .addHelpText(...examples("holdfast repos list"))
    .action(list);
  withServerOptions(repos.command("add"))
    .summary("add a repository and print its ID")
    .description(
      "Adds a Git repository and prints its ID. It must be inside the workspace root, the folder that the server lets agents work in.",
    )
    .argument("<path>", "folder of the repository")
    .option("--name <name>", "name (default: the name of the folder)")
    .option("--label <label>", "only servers with this label have the repository")
    .addHelpText(...examples("holdfast repos add ."))
    .action(run(async () => (await surroundings()).addRepo));
  withServerOptions(repos.command("remove"))
    .summary("remove a repository from the list")
    .description("Removes a repository from the list. Its files stay.")
    .argument("<repo>", "repository ID")
    .addHelpText(...examples("holdfast repos remove REPO"))
    .action(run(async () => (await surroundings()).removeRepo));
}

function addTransfer(holdfast: Command): void {
  holdfast.commandsGroup("Files:");
  withServerOptions(holdfast.command("export"))
    .summary("write sessions to files")
    .description(
      "Writes sessions to files. A bundle holds a whole session; the format gaia writes state.json files, without messages.",
    )
    .argument(
      "[ids...]",
      "session IDs or agent IDs (with --format gaia, default: all with an agent)",
    )
    .addOption(choice("--format <format>", "file format", ["bundle", "gaia"]).default("bundle"))
    .option("--to <folder>", "target folder (default for one bundle: stdout)")
    .addHelpText(
      ...examples(
        "holdfast export ID > session.jsonl",
        "holdfast export --format gaia --to .claude/session",
      ),
    )
    .action(run(async () => (await transfer()).exportSessions));
  withServerOptions(holdfast.command("import"))
    .summary("read sessions from files")
    .description("Reads sessions from bundles or from a folder of GAIA's state.json files.")
    .argument("<paths...>", "bundle files, a folder of state.json files, or - for stdin")
    .addHelpText(...examples("holdfast import session.jsonl", "holdfast import .claude/session"))
    .action(run(async () => (await transfer()).importSessions));
  withServerOptions(holdfast.command("removed"))
    .summary("list removed sessions that can be restored")
    .description("Lists sessions that Holdfast removed because of their age and can restore.")
    .addOption(checked("--limit <n>", "maximum number of sessions", COUNT))
    .addHelpText(...examples("holdfast removed"))
    .action(run(async () => (await removed()).listRemoved));
  withServerOptions(holdfast.command("restore"))
    .summary("restore a removed session")
    .description("Restores a removed session.")
    .argument("<id>", "session ID, as `holdfast removed` lists it")
    .addHelpText(...examples("holdfast restore ID"))
    .action(run(async () => (await removed()).restoreSession));
}

function addStats(holdfast: Command): void {
  withServerOptions(holdfast.command("stats"))
    .summary("show success rates, durations, tokens and costs")
    .description("Shows success rates, durations, errors, tokens and costs of sessions and runs.")
    .addOption(checked("--from <time>", "count from this time on", TIME))
    .addOption(checked("--to <time>", "count up to this time", TIME))
    .addHelpText(...examples("holdfast stats --from 2026-01-08 --to 2026-01-09"))
    .action(run(async () => (await stats()).showStats));
}

function addTokens(holdfast: Command): void {
  const list = run(async () => (await tokens()).listTokens);
  const token = withServerOptions(holdfast.command("token"))
    .summary("list, create and revoke tokens for the API")
    .description("Lists the tokens with which other programs use the API of the server.")
    .addHelpText(...examples("holdfast token", "holdfast token create --name ci --scope send"))
    .action(list);
  withServerOptions(token.command("create"))
    .summary("create a token and print it")
    .description("Creates a token and prints it. It is not shown again.")
    .requiredOption("--name <name>", "name, to recognise it in the list")
    .addOption(
      choice(
        "--scope <scope>",
        "what the token allows; each scope includes those before it",
        SCOPES,
      ).makeOptionMandatory(),
    )
    .option("--session <id>", "only for this session, with the scope read or send")
    .addOption(checked("--expires <days>", "days until it expires (default: never)", POSITIVE))
    .addHelpText(
      ...examples(
        "TOKEN=$(holdfast token create --name ci --scope send --expires 90)",
        "TOKEN=$(holdfast token create --name agent --scope send --session ID)",
      ),
    )
    .action(run(async () => (await tokens()).createToken));
  withServerOptions(token.command("list"))
    .summary("list the tokens")
    .description("Lists the tokens, like `holdfast token`. The secrets themselves are not stored.")
    .addHelpText(...examples("holdfast token list"))
    .action(list);
  withServerOptions(token.command("revoke"))
    .summary("make a token invalid")
    .description("Makes a token invalid on all servers.")
    .argument("<token>", "token ID, as `holdfast token` lists it")
    .addHelpText(...examples("holdfast token revoke TOKEN"))
    .action(run(async () => (await tokens()).revokeToken));
}

function addNodes(holdfast: Command): void {
  const list = run(async () => (await nodeCommands()).listNodes);
  const nodes = withServerOptions(holdfast.command("nodes"))
    .summary("list servers that share the database")
    .description("Lists the servers that share the database. Each is called a node.")
    .addHelpText(...examples("holdfast nodes", "holdfast nodes drain NODE --wait"))
    .action(list);
  withServerOptions(nodes.command("list"))
    .summary("list the nodes")
    .description("Lists the nodes, like `holdfast nodes`.")
    .addHelpText(...examples("holdfast nodes list"))
    .action(list);
  withServerOptions(nodes.command("drain"))
    .summary("let a node finish and give it no more work")
    .description("Gives a node no more work, so that it can be stopped once it has finished.")
    .argument("<node>", "node name or ID")
    .option("--wait", "wait until the node has finished")
    .addOption(checked("--timeout <seconds>", "longest time to wait", NOT_NEGATIVE).default(600))
    .addOption(new Option("--undo", "give the node work again").conflicts("wait"))
    .addHelpText(
      ...examples("holdfast nodes drain NODE --wait", "holdfast nodes drain NODE --undo"),
    )
    .action(run(async () => (await nodeCommands()).drainNode));
}

function addDatabase(holdfast: Command): void {
  const db = holdfast
    .command("db")
    .summary("migrate, check, back up and copy the database")
    .description("Manages the database.");
  withData(db.command("migrate"))
    .summary("bring the tables to this version of Holdfast")
    .description(
      "Brings the tables to this version of Holdfast. It does nothing while a server uses the database.",
    )
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast db migrate"))
    .action(run(async () => (await database()).migrate));
  withData(db.command("rollback"))
    .summary("undo the last migration")
    .description("Undoes the last migration. It does nothing while a server uses the database.")
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast db rollback"))
    .action(run(async () => (await database()).rollback));
  withData(db.command("status"))
    .summary("list the migrations")
    .description("Lists the migrations and when each one ran.")
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast db status"))
    .action(run(async () => (await database()).status));
  withData(db.command("backup"))
    .summary("back up a SQLite database")
    .description(
      "Copies a SQLite database to a new file and verifies the copy, even while a server runs.",
    )
    .argument("<file>", "new file")
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast db backup holdfast-2026-01-08.db"))
    .action(run(async () => (await database()).backup));
  withData(db.command("check"))
    .summary("look for damage in a SQLite database")
    .description(
      "Reads a whole SQLite database and reports damage, even while a server runs. Exits with 2 if there is any.",
    )
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast db check"))
    .action(run(async () => (await damage()).checkForDamage));
  db.command("copy")
    .summary("copy everything into an empty database")
    .description("Copies everything into an empty database and compares the two.")
    .requiredOption("--from <url>", "source: postgres://… or a SQLite file")
    .requiredOption("--to <url>", "target: postgres://… or a SQLite file")
    .option("--json", "print JSON")
    .addHelpText(
      ...examples("holdfast db copy --from holdfast.db --to postgres://user@host/holdfast"),
    )
    .action(run(async () => (await database()).copy));
}

function addCompletion(holdfast: Command): void {
  const shell = parserOf("SHELL", oneOf(SHELLS));
  holdfast
    .command("completion")
    .summary("print a completion script for your shell")
    .description("Prints a script for your shell that completes commands, options and IDs.")
    .addArgument(new Argument("<shell>", SHELLS.join(", ")).argParser(shell))
    .addHelpText(...examples("source <(holdfast completion bash)"))
    .action(run(async () => (await import("./commands/completion-script.ts")).printCompletion));
}

const damage = () => import("./commands/damage.ts");
const nodeCommands = () => import("./commands/nodes.ts");
const tokens = () => import("./commands/token.ts");
const surroundings = () => import("./commands/surroundings.ts");
const stats = () => import("./commands/stats.ts");
const removed = () => import("./commands/removed.ts");
const transfer = () => import("./commands/transfer.ts");
const database = () => import("./commands/database.ts");
