import { Argument, type Command } from "commander";
import type { HookOptions } from "./hooks/run-hook.ts";
import {
  agentOptions,
  checked,
  choice,
  DELIVERY_POLICIES,
  examples,
  FURTHER_CHECKS,
  ID,
  listOf,
  NOT_NEGATIVE,
  oneOf,
  OUTCOMES,
  parserOf,
  PHASES,
  POSITIVE,
  run,
  WHOLE,
  withData,
  withConnectionOptions,
  withServerOptions,
} from "./program-options.ts";
import type { DataFlags } from "./settings/settings.ts";

/** The commands of GAIA's scripts; `create`, `get` and `list` are among the others. */
export function addTrackingCommands(holdfast: Command): void {
  holdfast.commandsGroup("Record the work of your own agents:");
  withConnectionOptions(withServerOptions(holdfast.command("update")))
    .summary("change a session, or record an error")
    .description(
      "Changes the phase, the metadata, the preferences or the connections of a session, or records an error.",
    )
    .argument("<id>", ID)
    .addOption(choice("--phase <phase>", "new phase", PHASES))
    .option("--metadata <json>", "JSON object to merge into the metadata")
    .option("--error <text>", "error to record; it is counted")
    .option("--reset-errors", "set the number of errors to 0")
    .option("--title <text>", "new title")
    .option("--provider <name>", "agent or model that answers from now on")
    .option("--model <name>", "model of that provider")
    .option("--mode <id>", "mode of the agent from now on; see `holdfast options`")
    .addOption(
      agentOptions(
        "option of the agent from now on, such as effort=high; without a value, its default; can be repeated",
      ),
    )
    .addOption(
      choice(
        "--delivery <policy>",
        "what happens to new messages: open delivers, hold keeps them waiting, reject refuses them",
        DELIVERY_POLICIES,
      ),
    )
    .addHelpText(
      ...examples(
        "holdfast update ID --phase approval",
        `holdfast update ID --metadata '{"findings": ["issue A"]}'`,
        "holdfast update ID --reset-errors",
      ),
    )
    .action(run(async () => (await tracking()).updateSession));

  withServerOptions(holdfast.command("should-resume"))
    .summary("say whether to continue a session; exits with 0 or 1")
    .description(
      "Says whether an agent should continue this session instead of starting a new one, and why. Exits with 0 for yes and with 1 for no.",
    )
    .argument("<id>", ID)
    .addOption(
      checked("--timeout-minutes <n>", "longest time without activity (default: 30)", POSITIVE),
    )
    .addOption(checked("--max-errors <n>", "number of errors that means no (default: 3)", WHOLE))
    .addOption(
      checked(
        "--require <checks>",
        `more checks that must pass, separated by commas: ${FURTHER_CHECKS.join(", ")}`,
        listOf(FURTHER_CHECKS),
      ),
    )
    .addHelpText(...examples("holdfast should-resume ID --require workspace && ./continue.sh"))
    .action(run(async () => (await tracking()).shouldResume));

  withServerOptions(holdfast.command("finalize"))
    .summary("record how the work ended")
    .description("Records how the work of a session ended. It cannot be changed afterwards.")
    .argument("<id>", ID)
    .addArgument(
      new Argument("<outcome>", OUTCOMES.join(", ")).argParser(
        parserOf("OUTCOME", oneOf(OUTCOMES)),
      ),
    )
    .option("--summary <text>", "what was done")
    .addHelpText(...examples("holdfast finalize ID completed --summary 'Applied'"))
    .action(run(async () => (await tracking()).finalizeSession));

  withServerOptions(holdfast.command("cleanup"))
    .summary("remove old sessions that only record work")
    .description(
      "Removes old sessions that only record the work of an agent. Conversations are kept, unless you pass --conversations.",
    )
    .addOption(
      checked(
        "--hours <n>",
        "remove sessions without activity for so many hours",
        NOT_NEGATIVE,
      ).default(24),
    )
    .option("--conversations", "remove old conversations too; each is saved to a file first")
    .option("--dry-run", "only show which sessions would be removed")
    .option("-y, --yes", "do not ask for confirmation")
    .addHelpText(
      ...examples(
        "holdfast cleanup --hours 24 --dry-run",
        "holdfast cleanup --conversations --yes",
      ),
    )
    .action(run(async () => (await import("./commands/cleanup.ts")).cleanUp));

  addHooks(holdfast);
}

interface HookFlags extends DataFlags {
  readonly test?: true;
}

function hookAction(load: () => Promise<(options: HookOptions) => Promise<number>>) {
  return async (flags: HookFlags): Promise<void> => {
    const check = async () => (await import("./hooks/self-check.ts")).checkHooks;
    const hook = await (flags.test === true ? check() : load());
    process.exitCode = await hook({ flags, env: process.env, stdio: process });
  };
}

function addHooks(holdfast: Command): void {
  const hook = holdfast
    .command("hook")
    .summary("hooks for orchestrators such as Claude Code")
    .description(
      "Hooks for orchestrators such as Claude Code. They read JSON from stdin, print JSON, and exit with 0 even if they fail, so that they never stop their caller.",
    );
  withData(hook.command("pre-delegate"))
    .summary("say whether to continue a session")
    .description(
      "Says whether to continue a session instead of starting a new one. Reads the name of the agent from stdin, as JSON.",
    )
    .option("--test", "run a self-check that leaves nothing behind")
    .addHelpText(...examples(`echo '{"agent_name": "NAME"}' | holdfast hook pre-delegate`))
    .action(hookAction(async () => (await import("./hooks/pre-delegate.ts")).preDelegate));
  withData(hook.command("subagent-stop"))
    .summary("record that an agent has stopped")
    .description(
      "Records the outcome of the session whose agent has stopped. Reads the event from stdin, as JSON.",
    )
    .option("--test", "run a self-check that leaves nothing behind")
    .addHelpText(...examples(`echo '{"agent_id": "ID"}' | holdfast hook subagent-stop`))
    .action(hookAction(async () => (await import("./hooks/subagent-stop.ts")).subagentStop));
  withData(hook.command("install"))
    .summary("add both hooks to the settings of Claude Code")
    .description(
      "Adds both hooks to the settings of Claude Code. Shows the changes first and asks before it writes them.",
    )
    .option("--project <folder>", "project folder (default: the current folder)")
    .option("--local", "use the project's settings.local.json, which is not shared")
    .option("--user", "use your own settings, for all projects")
    .option("--uninstall", "remove the hooks")
    .option("--dry-run", "only show the changes")
    .option("-y, --yes", "do not ask for confirmation")
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast hook install --dry-run", "holdfast hook install --user"))
    .action(run(async () => (await import("./hooks/install-hooks.ts")).install));
}

const tracking = () => import("./commands/tracking.ts");
