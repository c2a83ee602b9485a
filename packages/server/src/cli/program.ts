import { Command } from "commander";
import { addSessionCommands } from "./program-sessions.ts";
import { addUpkeepCommands } from "./program-upkeep.ts";
import { neutralise } from "./terminal/neutralise.ts";
import { VERSION } from "./version.ts";

/** The whole command line. What a command does is loaded when it is asked for. */
export async function program(argv: readonly string[]): Promise<Command> {
  const holdfast = new Command("holdfast")
    .description("Keeps conversations with coding agents alive.")
    .version(VERSION, "-V, --version")
    .exitOverride()
    // What was asked for is repeated, and a shell may have taken it from anywhere.
    .configureOutput({ writeErr: (text) => void process.stderr.write(neutralise(text)) })
    // What follows `repos add` is said to that, although `repos` knows the same options.
    .enablePositionalOptions()
    .showHelpAfterError("(holdfast --help lists the commands)")
    .configureHelp({ sortSubcommands: false, styleTitle: (title) => title.toUpperCase() })
    .addHelpText(
      "after",
      `
EXAMPLES:
  holdfast serve                                     the API and the page
  id=$(holdfast create --agent terraform-architect)  a session, and its id
  holdfast send $id "What is in this repository?"    the answer as it comes
  holdfast inbox                                     what waits for you
  holdfast should-resume $id && echo "go on"         by exit code`,
    );
  addSessionCommands(holdfast);
  addUpkeepCommands(holdfast);
  if (argv[0] === "complete" || argv[0] === "completion") {
    const { addCompletion } = await import("./commands/completion.ts");
    await addCompletion(holdfast);
  } else {
    holdfast
      .command("completion")
      .argument("<shell>", "zsh, bash, fish or powershell")
      .description("print a script that completes commands and ids")
      .addHelpText("after", "\nEXAMPLE:\n  source <(holdfast completion bash)");
  }
  return holdfast;
}
