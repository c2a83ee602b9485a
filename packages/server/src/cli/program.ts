import { Command } from "commander";
import { addServerCommands } from "./program-server.ts";
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
    // Errors repeat arguments, which may contain control characters.
    .configureOutput({ writeErr: (text) => void process.stderr.write(neutralise(text)) })
    // Options after `repos add` belong to `add`, although `repos` has the same ones.
    .enablePositionalOptions()
    .showHelpAfterError("(Run `holdfast --help` to see all commands.)")
    .configureHelp({ sortSubcommands: false, styleTitle: (title) => title.toUpperCase() })
    .addHelpText(
      "after",
      `
EXAMPLES:
  holdfast                                           start the server and open its page
  id=$(holdfast create --agent terraform-architect)  create a session and keep its ID
  holdfast send $id "What is in this repository?"    send a message and stream the answer
  holdfast inbox                                     list everything waiting for your answer
  holdfast should-resume $id && echo "resume it"     branch on the exit code`,
    );
  addSessionCommands(holdfast);
  addServerCommands(holdfast);
  addUpkeepCommands(holdfast);
  if (argv[0] === "complete" || argv[0] === "completion") {
    const { addCompletion } = await import("./commands/completion.ts");
    await addCompletion(holdfast);
  } else {
    holdfast
      .command("completion")
      .argument("<shell>", "zsh, bash, fish or powershell")
      .description("print a shell script that completes commands and IDs")
      .addHelpText("after", "\nEXAMPLE:\n  source <(holdfast completion bash)");
  }
  return holdfast;
}
