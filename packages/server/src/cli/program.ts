import { Command } from "commander";
import { HELP } from "./help.ts";
import { addChangesCommands, addWorkCommands } from "./program-changes.ts";
import { addServerCommands } from "./program-server.ts";
import { addSessionCommands } from "./program-sessions.ts";
import { addTrackingCommands } from "./program-tracking.ts";
import { addUpkeepCommands } from "./program-upkeep.ts";
import { neutralise } from "./terminal/neutralise.ts";
import { VERSION } from "./version.ts";

/** Groups of commands. Most of the time of a short command would go into the groups that it is not in. */
const GROUPS: readonly { readonly add: (holdfast: Command) => void; readonly names: string }[] = [
  {
    add: addServerCommands,
    names: "serve open acp mcp doctor up down restart status logs service",
  },
  {
    add: addSessionCommands,
    names: "create send options watch inbox resume cancel list get fork archive delete",
  },
  { add: addChangesCommands, names: "changes rewind" },
  { add: addWorkCommands, names: "commit merge rebase push pull-request compare" },
  { add: addTrackingCommands, names: "update should-resume finalize cleanup hook" },
  {
    add: addUpkeepCommands,
    names:
      "init providers login logout repos export import removed restore stats token nodes db completion",
  },
];

/** The whole command line, or the part of it with the command in the first word. The code of a command is loaded when it runs. */
export async function program(argv: readonly string[]): Promise<Command> {
  const holdfast = new Command("holdfast")
    .description(DESCRIPTION)
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show the help of a command")
    .exitOverride()
    // Errors repeat arguments, which may contain control characters. The report of a failed command prints them.
    .configureOutput({
      writeErr: (text) => void process.stderr.write(neutralise(text)),
      outputError: () => {},
    })
    // Options after `repos add` belong to `add`, although `repos` has the same ones.
    .enablePositionalOptions()
    .configureHelp(HELP)
    .addHelpText("after", AFTER_HELP);
  const [first = ""] = argv;
  const named = GROUPS.filter(({ names }) => names.split(" ").includes(first));
  for (const { add } of named.length > 0 ? named : GROUPS) add(holdfast);
  // Only the shell calls this, through the script of `completion`.
  if (argv[0] === "complete")
    await (await import("./commands/completion.ts")).addCompletion(holdfast);
  return holdfast;
}

const DESCRIPTION =
  "Keeps conversations with coding agents alive. A session is a conversation that is stored: it survives crashes and restarts, waits for your answers, and can go on with another agent.";

const AFTER_HELP = `
EXAMPLES:
  holdfast                               start the server and open its page
  holdfast init                          choose and check your agent
  id=$(holdfast create)                  create a session in this repository
  holdfast send $id "Explain this code"  send a message and show the answer
  holdfast inbox                         list everything that waits for you

Run \`holdfast COMMAND --help\` for the options of a command.
ID stands for the ID of a session, or the agent ID that it was created with.
Commands use the running server, or the database if no server runs.

EXIT CODES:
  0  done, or yes
  1  no, or not found
  2  failed
  3  the agent waits for an answer
  64 wrong usage`;
