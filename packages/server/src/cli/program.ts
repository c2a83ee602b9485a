import { Command } from "commander";
import { addSessionCommands } from "./program-sessions.ts";
import { addUpkeepCommands } from "./program-upkeep.ts";
import { neutralise } from "./terminal/neutralise.ts";
import { VERSION } from "./version.ts";

/** The whole command line. The code of a command is loaded when it runs. */
export async function program(argv: readonly string[]): Promise<Command> {
  const holdfast = new Command("holdfast")
    .description("Keeps conversations with coding agents alive.")
    .version(VERSION, "-V, --version")
    .exitOverride()
    // Errors repeat arguments, which may contain control characters. The report of a failed command prints them.
    .configureOutput({
      writeErr: (text) => void process.stderr.write(neutralise(text)),
      outputError: () => {},
    })
    // Options after `repos add` belong to `add`, although `repos` has the same ones.
    .enablePositionalOptions()
    .configureHelp({ sortSubcommands: false, styleTitle: (title) => title.toUpperCase() })
    .addHelpText(
      "after",
      `
EXAMPLES:
  holdfast serve                                     start the server
  id=$(holdfast create --agent terraform-architect)  create a session and keep its ID
  holdfast send $id "What is in this repository?"    send a message and stream the answer
  holdfast inbox                                     list everything waiting for your answer
  holdfast should-resume $id && echo "resume it"     branch on the exit code`,
    );
  addSessionCommands(holdfast);
  addUpkeepCommands(holdfast);
  // Only the shell calls this, through the script of `completion`.
  if (argv[0] === "complete")
    await (await import("./commands/completion.ts")).addCompletion(holdfast);
  return holdfast;
}
