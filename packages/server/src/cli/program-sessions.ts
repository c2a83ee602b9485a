import { Argument, type Command } from "commander";
import type { Outcome } from "@holdfast/protocol";
import type { AnswerFlags, InboxFlags } from "./commands/lifecycle.ts";
import type { SendFlags, WatchFlags } from "./commands/talk.ts";
import type {
  CommonFlags,
  CreateFlags,
  FinalizeFlags,
  ListFlags,
  ResumeFlags,
  UpdateFlags,
} from "./commands/tracking.ts";
import {
  choice,
  DELIVERY_POLICIES,
  examples,
  FURTHER_CHECKS,
  listOf,
  OUTCOMES,
  PHASES,
  positiveNumber,
  STATES,
  STATUSES,
  time,
  wholeNumber,
  withServerOptions,
} from "./program-options.ts";

const ID = "of the session, or the agent id it was made with";

export function addSessionCommands(holdfast: Command): void {
  addTracking(holdfast);
  addTalking(holdfast);
  addLifecycle(holdfast);
}

/** The commands that GAIA's scripts know. */
function addTracking(holdfast: Command): void {
  holdfast.commandsGroup("Sessions:");
  withServerOptions(holdfast.command("create"))
    .description("make a session and print its id")
    .option("--agent <name>", "who works in it")
    .option("--purpose <text>", "what for")
    .option("--id <id>", "an agent id of your own (default: agent-DATE-TIME-RANDOM)")
    .option("--metadata <json>", "a JSON object")
    .option("--title <text>")
    .option("--repo <path>", "repository to work in: its path, name or id")
    .option("--provider <name>", "agent or model for its messages")
    .option("--model <name>")
    .addHelpText(
      "after",
      examples(
        "holdfast create --agent terraform-architect --purpose approval_workflow",
        "holdfast create --repo . --provider gemini --title 'Fix the build'",
      ),
    )
    .action(async (flags: CreateFlags) => (await tracking()).createSession(flags));

  withServerOptions(holdfast.command("update"))
    .description("change a session's phase, metadata or preference, or report an error")
    .argument("<id>", ID)
    .addOption(choice("--phase <phase>", "what its agent does now", PHASES))
    .option("--metadata <json>", "merged into what is there")
    .option("--error <text>", "counted, and kept as the last one")
    .option("--reset-errors", "set the number of errors to 0")
    .option("--title <text>")
    .option("--provider <name>", "preferred for its messages")
    .option("--model <name>", "preferred model of that provider")
    .addOption(choice("--delivery <policy>", "what happens to new messages", DELIVERY_POLICIES))
    .addHelpText(
      "after",
      examples(
        "holdfast update agent-20260108-180530-abc12345 --phase approval",
        `holdfast update ID --metadata '{"findings": ["issue A"]}'`,
        "holdfast update ID --reset-errors",
      ),
    )
    .action(async (id: string, flags: UpdateFlags) => (await tracking()).updateSession(id, flags));

  withServerOptions(holdfast.command("get"))
    .description("print a session's state as JSON")
    .argument("<id>", ID)
    .option("--raw", "print the session as it is stored, even if it cannot be read")
    .action(async (id: string, flags: CommonFlags & { readonly raw?: true }) =>
      (await tracking()).getSession(id, flags),
    );

  withServerOptions(holdfast.command("list"))
    .description("list sessions, newest first; as JSON, the last updated first")
    .option("--active-only", "only sessions that are ready to be resumed, the last updated first")
    .option("--agent <name>")
    .addOption(choice("--status <status>", "only in this status", STATUSES))
    .addOption(choice("--state <state>", "only in this state", STATES))
    .addOption(choice("--phase <phase>", "only in this phase", PHASES))
    .option("--search <words>", "in titles, purposes and messages")
    .option("--from <time>", "active at or after", time)
    .option("--to <time>", "created before", time)
    .option("--limit <n>", "at most so many", wholeNumber)
    .addHelpText(
      "after",
      examples("holdfast list --active-only", "holdfast list --agent terraform-architect --json"),
    )
    .action(async (flags: ListFlags) => (await tracking()).listSessions(flags));

  withServerOptions(holdfast.command("should-resume"))
    .description("say whether to take a session up again; exits 0 for yes, 1 for no")
    .argument("<id>", ID)
    .option("--timeout-minutes <n>", "how long it may have been inactive", positiveNumber)
    .option("--max-errors <n>", "how many errors are too many", wholeNumber)
    .option(
      "--require <checks>",
      `further checks that count: ${FURTHER_CHECKS.join(", ")}`,
      listOf(FURTHER_CHECKS),
    )
    .addHelpText("after", examples("holdfast should-resume $ID --require workspace && ./go-on.sh"))
    .action(async (id: string, flags: ResumeFlags) => {
      process.exitCode = await (await tracking()).shouldResume(id, flags);
    });

  withServerOptions(holdfast.command("finalize"))
    .description("say how the work of a session ended")
    .argument("<id>", ID)
    .addArgument(new Argument("<outcome>").choices([...OUTCOMES]))
    .option("--summary <text>")
    .addHelpText("after", examples("holdfast finalize ID completed --summary 'Applied'"))
    .action(async (id: string, outcome: Outcome, flags: FinalizeFlags) =>
      (await tracking()).finalizeSession(id, outcome, flags),
    );
}

function addTalking(holdfast: Command): void {
  withServerOptions(holdfast.command("send"))
    .description("send a message and show the answer as it comes")
    .argument("<id>", ID)
    .argument("<text...>", "the message; - reads it from stdin")
    .option("--provider <name>", "for this message (default: the session's, else the last run's)")
    .option("--model <name>", "for this message")
    .addOption(
      choice("--delivery <mode>", "when its agent is busy", ["queue", "reject", "interrupt"]),
    )
    .addOption(
      choice("--continuity <policy>", "whether its agent must remember", [
        "auto",
        "required",
        "off",
      ]),
    )
    .option("--detach", "return once the message is stored")
    .addHelpText(
      "after",
      `\nExits 0 when the run completed, 2 when it failed, 3 when it waits for something.\n${examples(
        'holdfast send ID "Run the tests"',
        "git diff | holdfast send ID -",
      )}`,
    )
    .action(async (id: string, words: readonly string[], flags: SendFlags) => {
      process.exitCode = await (await import("./commands/talk.ts")).send(id, words, flags);
    });

  withServerOptions(holdfast.command("watch"))
    .description("show what happens in a session until it is put away, or Ctrl-C")
    .argument("<id>", ID)
    .option("--since <seq>", "from after this event on; 0 from the beginning", wholeNumber)
    .action(async (id: string, flags: WatchFlags) => {
      process.exitCode = await (await import("./commands/talk.ts")).watch(id, flags);
    });

  withServerOptions(holdfast.command("inbox"))
    .description("list everything waiting for your answer, and allowed actions that were not done")
    .option("--dismiss <id>", "remove an allowed action that was not done from the list")
    .action(async (flags: InboxFlags) => (await lifecycle()).showInbox(flags));
}

function addLifecycle(holdfast: Command): void {
  withServerOptions(holdfast.command("cancel"))
    .description("cancel the current run")
    .argument("<id>", ID)
    .option("--reason <text>")
    .action(async (id: string, flags: CommonFlags) => (await lifecycle()).cancelRun(id, flags));

  withServerOptions(holdfast.command("resume"))
    .description("make a suspended session active, or give it the answer it waits for")
    .argument("<id>", ID)
    .option("--suspension <id>", "which one it answers (default: the only one)")
    .option("--answer <answer>", "an option's id, a text, or JSON")
    .addHelpText("after", examples("holdfast resume ID", "holdfast resume ID --answer allow_once"))
    .action(async (id: string, flags: AnswerFlags) => (await lifecycle()).resumeSession(id, flags));

  withServerOptions(holdfast.command("archive"))
    .description("put a session away; it can still be read and forked")
    .argument("<id>", ID)
    .action(async (id: string, flags: CommonFlags) =>
      (await lifecycle()).archiveSession(id, flags),
    );

  withServerOptions(holdfast.command("delete"))
    .description("delete a session for good")
    .argument("<id>", ID)
    .option("-y, --yes", "do not ask")
    .action(async (id: string, flags: CommonFlags & { readonly yes?: true }) => {
      process.exitCode = await (await lifecycle()).deleteSession(id, flags);
    });

  withServerOptions(holdfast.command("fork"))
    .description("make a new session with this one's history, and print its id")
    .argument("<id>", ID)
    .option("--at <message>", "the last message to take over (default: all)")
    .action(async (id: string, flags: CommonFlags & { readonly at?: string }) =>
      (await lifecycle()).forkSession(id, flags),
    );
}

const tracking = () => import("./commands/tracking.ts");
const lifecycle = () => import("./commands/lifecycle.ts");
