import type { Command } from "commander";
import {
  agentOptions,
  checked,
  choice,
  COUNT,
  examples,
  ID,
  PHASES,
  run,
  STATES,
  STATUSES,
  TIME,
  WHOLE,
  withConnectionOptions,
  withServerOptions,
} from "./program-options.ts";

export function addSessionCommands(holdfast: Command): void {
  addTalking(holdfast);
  addLifecycle(holdfast);
}

function addTalking(holdfast: Command): void {
  holdfast.commandsGroup("Talk to an agent:");
  withConnectionOptions(withServerOptions(holdfast.command("create")))
    .summary("create a session and print its ID")
    .description(
      "Creates a session and prints its ID. A session with a repository is a conversation: send it messages with `holdfast send`. A session without one only records what an agent of your own does.",
    )
    .option(
      "--repo <path>",
      "repository to work in: a folder, or its name or ID in Holdfast (default: the one you are in; none with --agent, --purpose, --id or --url)",
    )
    .option("--no-repo", "no repository, even if you are in one")
    .option("--worktree", "work in a Git worktree with a branch of its own")
    .option("--shared", "work in the folder of the repository, even if worktrees are the default")
    .option("--base <commit>", "commit, branch or tag at which the worktree begins")
    .option("--title <text>", "title, shown in lists")
    .option("--provider <name>", "agent or model that answers; see `holdfast providers`")
    .option("--model <name>", "model of that provider")
    .option("--mode <id>", "mode of the agent, such as plan; see `holdfast options`")
    .addOption(agentOptions("option of the agent, such as effort=high; can be repeated"))
    .option("--agent <name>", "name of the agent whose work is recorded")
    .option("--purpose <text>", "purpose of that work")
    .option("--id <id>", "your own ID for the session (default: agent-DATE-TIME-RANDOM)")
    .option("--metadata <json>", "your own data, as a JSON object")
    .addHelpText(
      ...examples(
        "holdfast create --provider gemini --title 'Fix the build'",
        "holdfast create --repo ../other-project",
        "holdfast create --worktree --base main --title 'Try another parser'",
        "holdfast create --mcp docs=https://example.com/mcp --directory ../library",
        "id=$(holdfast create --agent terraform-architect --purpose approval)",
      ),
    )
    .action(run(async () => (await tracking()).createSession));

  withServerOptions(holdfast.command("send"))
    .summary("send a message and show the answer")
    .description(
      "Sends a message to the agent of a session and shows the answer as it arrives. If the agent asks for permission, you can answer in the terminal. Ctrl-C stops showing the answer; the agent goes on.",
    )
    .argument("<id>", ID)
    .argument("<text...>", "the message; - reads it from stdin")
    .option("--provider <name>", "agent or model for this message (default: as before)")
    .option("--model <name>", "model for this message")
    .option("--mode <id>", "mode of the agent for this message; see `holdfast options`")
    .addOption(
      agentOptions("option of the agent for this message, such as effort=high; can be repeated"),
    )
    .addOption(
      choice(
        "--delivery <mode>",
        "what to do while the agent is busy: queue (default), reject, interrupt or steer",
        ["queue", "reject", "interrupt", "steer"],
      ),
    )
    .option(
      "--steer",
      "give the message to the agent during its work, or queue it if the agent cannot take it (same as --delivery steer)",
    )
    .addOption(
      choice(
        "--continuity <policy>",
        "whether the agent must know the earlier messages: auto (default, if possible), required or off",
        ["auto", "required", "off"],
      ),
    )
    .option("--detach", "return as soon as the message is stored")
    .addHelpText(
      "after",
      "\nEXIT CODES:\n  0  the agent has finished\n  2  the agent failed\n  3  the agent waits for an answer",
    )
    .addHelpText(
      ...examples(
        'holdfast send ID "Run the tests"',
        "git diff | holdfast send ID -",
        'holdfast send ID --provider claude "Do you agree?"',
        'holdfast send ID --steer "Only the unit tests"',
      ),
    )
    .action(run(async () => (await talk()).send));

  withServerOptions(holdfast.command("options"))
    .summary("list what the agent of a session lets you choose")
    .description(
      "Lists mode, model and the other options of the agent that gets the next message, with their values. Choose others with `holdfast update` for the session, or with `holdfast send` for one message.",
    )
    .argument("<id>", ID)
    .addHelpText(
      ...examples(
        "holdfast options ID",
        "holdfast update ID --mode plan --option effort=high",
        'holdfast send ID --mode plan "How would you do it?"',
      ),
    )
    .action(run(async () => (await import("./commands/agent-options.ts")).listOptions));

  withServerOptions(holdfast.command("watch"))
    .summary("show what happens in a session")
    .description(
      "Shows messages, tool calls and questions of a session as they happen, until the session is archived or you press Ctrl-C.",
    )
    .argument("<id>", ID)
    .addOption(
      checked("--since <number>", "start after this event; 0 starts at the beginning", WHOLE),
    )
    .addHelpText(...examples("holdfast watch ID", "holdfast watch ID --since 0 --json"))
    .action(run(async () => (await talk()).watch));

  withServerOptions(holdfast.command("inbox"))
    .summary("list everything that waits for your answer")
    .description(
      "Lists the questions of all agents, each with the command that answers it, and actions that you allowed but no agent performed.",
    )
    .option("--dismiss <id>", "remove an action that was not performed from the list")
    .addHelpText(...examples("holdfast inbox"))
    .action(run(async () => (await lifecycle()).showInbox));

  withServerOptions(holdfast.command("resume"))
    .summary("answer a question, or make a suspended session active")
    .description(
      "Answers the question of an agent, which then continues. Without --answer, makes a suspended session active again.",
    )
    .argument("<id>", ID)
    .option("--answer <answer>", "ID of an option as `holdfast inbox` lists it, text or JSON")
    .option("--suspension <id>", "question to answer, if there are several")
    .addHelpText(...examples("holdfast resume ID --answer allow_once", "holdfast resume ID"))
    .action(run(async () => (await lifecycle()).resumeSession));

  withServerOptions(holdfast.command("cancel"))
    .summary("stop what the agent is doing")
    .description("Stops the current run of a session. Its text so far is kept.")
    .argument("<id>", ID)
    .option("--reason <text>", "reason to record")
    .addHelpText(...examples("holdfast cancel ID"))
    .action(run(async () => (await lifecycle()).cancelRun));
}

function addLifecycle(holdfast: Command): void {
  holdfast.commandsGroup("Sessions:");
  withServerOptions(holdfast.command("list"))
    .summary("list sessions")
    .description(
      "Lists sessions, the newest first. As JSON, and with --active-only, the last updated come first.",
    )
    .option("--active-only", "only sessions that are ready to be resumed")
    .option("--agent <name>", "only sessions of this agent")
    .addOption(choice("--status <status>", "only sessions with this status", STATUSES))
    .addOption(choice("--state <state>", "only sessions in this state", STATES))
    .addOption(choice("--phase <phase>", "only sessions in this phase", PHASES))
    .option("--search <words>", "only sessions with these words in a title, purpose or message")
    .addOption(checked("--from <time>", "only sessions active at or after this time", TIME))
    .addOption(checked("--to <time>", "only sessions created before this time", TIME))
    .addOption(checked("--limit <n>", "maximum number of sessions", COUNT))
    .addHelpText(
      ...examples(
        "holdfast list --search 'login page'",
        "holdfast list --agent terraform-architect --json",
      ),
    )
    .action(run(async () => (await tracking()).listSessions));

  withServerOptions(holdfast.command("get"))
    .summary("print a session as JSON")
    .description("Prints a session as JSON.")
    .argument("<id>", ID)
    .option("--raw", "print its rows in the database, even if they are damaged")
    .addHelpText(...examples("holdfast get ID"))
    .action(run(async () => (await tracking()).getSession));

  withServerOptions(holdfast.command("fork"))
    .summary("copy a session and print the ID of the copy")
    .description("Creates a session with a copy of the messages of another and prints its ID.")
    .argument("<id>", ID)
    .option("--at <message>", "ID of the last message to copy (default: all messages)")
    .addHelpText(...examples("copy=$(holdfast fork ID)"))
    .action(run(async () => (await lifecycle()).forkSession));

  withServerOptions(holdfast.command("archive"))
    .summary("close a session; it can still be read and forked")
    .description("Closes a session for good. It can still be read and forked.")
    .argument("<id>", ID)
    .addHelpText(...examples("holdfast archive ID"))
    .action(run(async () => (await lifecycle()).archiveSession));

  withServerOptions(holdfast.command("delete"))
    .summary("delete a session and its messages")
    .description("Deletes a session and its messages. This cannot be undone, so it asks first.")
    .argument("<id>", ID)
    .option("-y, --yes", "do not ask for confirmation")
    .option("--with-agent-sessions", "also delete the sessions that its agents keep")
    .option(
      "--with-worktree",
      "also remove its worktree if not everything is committed; that is kept as a ref",
    )
    .addHelpText(
      ...examples("holdfast delete ID --yes", "holdfast delete ID --with-agent-sessions"),
    )
    .action(run(async () => (await lifecycle()).deleteSession));
}

const tracking = () => import("./commands/tracking.ts");
const talk = () => import("./commands/talk.ts");
const lifecycle = () => import("./commands/lifecycle.ts");
