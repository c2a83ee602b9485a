import { Command, CommanderError } from "commander";
import { databaseStatus, migrateDatabase, rollbackDatabase } from "./db-commands.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { dataSettings, serveSettings, type DataFlags, type ServeFlags } from "./settings.ts";
import { stopInTime, stopSignal } from "./stop-signal.ts";
import { VERSION } from "./version.ts";

/** Runs one command line; the exit code is set, never thrown. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    await program().parseAsync([...argv], { from: "user" });
  } catch (error) {
    process.exitCode = report(error);
  }
}

function program(): Command {
  const holdfast = new Command("holdfast")
    .description("Keeps conversations with coding agents alive.")
    .version(VERSION, "-V, --version")
    .exitOverride()
    .showHelpAfterError("(holdfast --help lists the commands)");

  withData(holdfast.command("serve"))
    .description("serve the API and the web page")
    .option("--host <host>", "address to listen on (default 127.0.0.1)")
    .option("--port <port>", "port to listen on; 0 picks a free one (default 4664)")
    .action(serve);

  holdfast.command("mcp", { hidden: true }).action(serveTools);

  const db = holdfast.command("db").description("look after the database");
  withData(db.command("migrate"))
    .description("bring the schema up to date")
    .action(async (flags: DataFlags) =>
      say(await migrateDatabase(dataSettings(flags, process.env))),
    );
  withData(db.command("rollback"))
    .description("take the last migration back")
    .action(async (flags: DataFlags) =>
      say(await rollbackDatabase(dataSettings(flags, process.env))),
    );
  withData(db.command("status"))
    .description("list the migrations and when they ran")
    .option("--json", "as JSON")
    .action(async ({ json, ...flags }: DataFlags & { json?: true }) =>
      say(await databaseStatus(dataSettings(flags, process.env), { json: json === true })),
    );
  return holdfast;
}

function withData(command: Command): Command {
  return command
    .option("--data <folder>", "data folder (default: holdfast in the user's data folder)")
    .option(
      "--database <url>",
      "postgres://… or a SQLite file (default: a file in the data folder)",
    );
}

async function serve(flags: ServeFlags): Promise<void> {
  const settings = serveSettings(flags, process.env);
  const { greeting, startServer } = await import("./serve.ts");
  const askedToStop = stopSignal();
  const server = await startServer(settings);
  say(greeting(server.url, settings));
  await askedToStop;
  await stopInTime(server.stop);
}

/** Tools for an agent, which starts this beside itself and tells by the environment which session it is. */
async function serveTools(): Promise<void> {
  const { openToolServer } = await import("./tools/tool-server.ts");
  const server = await openToolServer(process.env, process);
  await server.closed;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** One line on stderr, and the code to end with. What commander has to say it has said already. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const { message } = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`holdfast: ${message}\n`);
  return error instanceof CommandFailure ? error.exitCode : EXIT.failed;
}
