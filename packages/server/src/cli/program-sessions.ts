import { Argument, type Command } from "commander";
import {
  choice,
  DELIVERY_POLICIES,
  examples,
  FURTHER_CHECKS,
  listOf,
  oneOf,
  OUTCOMES,
  PHASES,
  positiveNumber,
  run,
  STATES,
  STATUSES,
  time,
  wholeNumber,
  withServerOptions,
} from "./program-options.ts";

const ID = "session ID or agent ID";

export function addSessionCommands(holdfast: Command): void {
  addTracking(holdfast);
  addTalking(holdfast);
  addLifecycle(holdfast);
}

/** The commands that GAIA's scripts know. */
function addTracking(holdfast: Command): void {
  holdfast.commandsGroup("Sessions:");
  withServerOptions(holdfast.command("create"))
    .description("create a session and print its ID")
    .option("--agent <name>", "agent name")
    .option("--purpose <text>", "purpose")
    .option("--id <id>", "agent ID (default: agent-DATE-TIME-RANDOM)")
    .option("--metadata <json>", "metadata, as a JSON object")
    .option("--title <text>", "title")
    .option(
      "--repo <path>",
      "repository to work in: path, name or ID (default: the one you are in; none with --agent, --purpose, --id or --url)",
    )
    .option("--no-repo", "no repository, even if you are in one")
    .option("--provider <name>", "agent or model for its messages")
    .option("--model <name>", "model of that provider")
    .addHelpText(
      ...examples(
        "holdfast create --agent terraform-architect --purpose approval_workflow",
        "holdfast create --provider gemini --title 'Fix the build'",
        "holdfast create --repo ../other-project",
      ),
    )
    .action(run(async () => (await tracking()).createSession));

  withServerOptions(holdfast.command("update"))
    .description("change a session's phase, metadata or preferences, or record an error")
    .argument("<id>", ID)
    .addOption(choice("--phase <phase>", "new phase", PHASES))
    .option("--metadata <json>", "JSON object to merge into the metadata")
    .option("--error <text>", "error to record; raises the error count")
    .option("--reset-errors", "set the error count to 0")
    .option("--title <text>", "new title")
    .option("--provider <name>", "preferred provider for its messages")
    .option("--model <name>", "preferred model of that provider")
    .addOption(choice("--delivery <policy>", "how new messages are delivered", DELIVERY_POLICIES))
    .addHelpText(
      ...examples(
        "holdfast update agent-20260108-180530-abc12345 --phase approval",
        `holdfast update ID --metadata '{"findings": ["issue A"]}'`,
        "holdfast update ID --reset-errors",
      ),
    )
    .action(run(async () => (await tracking()).updateSession));

  withServerOptions(holdfast.command("get"))
    .description("print a session's state as JSON")
    .argument("<id>", ID)
    .option("--raw", "print the stored rows, even if they cannot be read as a session")
    .action(run(async () => (await tracking()).getSession));

  withServerOptions(holdfast.command("list"))
    .description("list sessions, newest first (JSON: last updated first)")
    .option("--active-only", "only sessions that are ready to be resumed, last updated first")
    .option("--agent <name>", "only sessions of this agent")
    .addOption(choice("--status <status>", "only sessions with this status", STATUSES))
    .addOption(choice("--state <state>", "only sessions in this state", STATES))
    .addOption(choice("--phase <phase>", "only sessions in this phase", PHASES))
    .option("--search <words>", "search titles, purposes and messages")
    .option("--from <time>", "only sessions active at or after this time", time)
    .option("--to <time>", "only sessions created before this time", time)
    .option("--limit <n>", "maximum number of sessions", wholeNumber)
    .addHelpText(
      ...examples(
        "holdfast list --active-only",
        "holdfast list --agent terraform-architect --json",
      ),
    )
    .action(run(async () => (await tracking()).listSessions));

  withServerOptions(holdfast.command("should-resume"))
    .description("say whether to resume a session; exits 0 for yes, 1 for no")
    .argument("<id>", ID)
    .option("--timeout-minutes <n>", "maximum inactivity in minutes", positiveNumber)
    .option("--max-errors <n>", "error count from which the answer is no", wholeNumber)
    .option(
      "--require <checks>",
      `additional checks that must pass: ${FURTHER_CHECKS.join(", ")}`,
      listOf(FURTHER_CHECKS),
    )
    .addHelpText(...examples("holdfast should-resume $ID --require workspace && ./continue.sh"))
    .action(run(async () => (await tracking()).shouldResume));

  withServerOptions(holdfast.command("finalize"))
    .description("record the outcome of a session")
    .argument("<id>", ID)
    .addArgument(
      new Argument("<outcome>", OUTCOMES.join(", ")).argParser(oneOf("outcome", OUTCOMES)),
    )
    .option("--summary <text>")
    .addHelpText(...examples("holdfast finalize ID completed --summary 'Applied'"))
    .action(run(async () => (await tracking()).finalizeSession));
}

function addTalking(holdfast: Command): void {
  withServerOptions(holdfast.command("send"))
    .description("send a message and stream the answer")
    .argument("<id>", ID)
    .argument("<text...>", "message; - reads it from stdin")
    .option(
      "--provider <name>",
      "provider for this message (default: the session's, else the last run's)",
    )
    .option("--model <name>", "model for this message")
    .addOption(
      choice("--delivery <mode>", "what to do while the agent is busy", [
        "queue",
        "reject",
        "interrupt",
      ]),
    )
    .addOption(
      choice("--continuity <policy>", "whether the agent must remember the session", [
        "auto",
        "required",
        "off",
      ]),
    )
    .option("--detach", "return once the message is stored")
    .addHelpText(
      "after",
      "\nExits 0 when the run completed, 2 when it failed, 3 when it is suspended.",
    )
    .addHelpText(...examples('holdfast send ID "Run the tests"', "git diff | holdfast send ID -"))
    .action(run(async () => (await talk()).send));

  withServerOptions(holdfast.command("watch"))
    .description("show the events of a session until it is archived or you press Ctrl-C")
    .argument("<id>", ID)
    .option(
      "--since <seq>",
      "start after this event number; 0 starts at the beginning",
      wholeNumber,
    )
    .action(run(async () => (await talk()).watch));

  withServerOptions(holdfast.command("inbox"))
    .description(
      "list everything waiting for your answer, and allowed actions that were not performed",
    )
    .option("--dismiss <id>", "remove an allowed action that was not performed from the list")
    .action(run(async () => (await lifecycle()).showInbox));
}

function addLifecycle(holdfast: Command): void {
  withServerOptions(holdfast.command("cancel"))
    .description("cancel the current run")
    .argument("<id>", ID)
    .option("--reason <text>", "reason to record")
    .action(run(async () => (await lifecycle()).cancelRun));

  withServerOptions(holdfast.command("resume"))
    .description("resume a suspended session, or answer its question")
    .argument("<id>", ID)
    .option("--suspension <id>", "suspension to answer (default: the only open one)")
    .option("--answer <answer>", "option ID, text or JSON")
    .addHelpText(...examples("holdfast resume ID", "holdfast resume ID --answer allow_once"))
    .action(run(async () => (await lifecycle()).resumeSession));

  withServerOptions(holdfast.command("archive"))
    .description("archive a session; it can still be read and forked")
    .argument("<id>", ID)
    .action(run(async () => (await lifecycle()).archiveSession));

  withServerOptions(holdfast.command("delete"))
    .description("delete a session permanently")
    .argument("<id>", ID)
    .option("-y, --yes", "do not ask for confirmation")
    .action(run(async () => (await lifecycle()).deleteSession));

  withServerOptions(holdfast.command("fork"))
    .description("create a session with a copy of this one's history and print its ID")
    .argument("<id>", ID)
    .option("--at <message>", "last message to copy (default: all)")
    .action(run(async () => (await lifecycle()).forkSession));
}

const tracking = () => import("./commands/tracking.ts");
const talk = () => import("./commands/talk.ts");
const lifecycle = () => import("./commands/lifecycle.ts");
