import type { Command } from "commander";
import { examples, ID, run, withServerOptions } from "./program-options.ts";

const RUN = "its ID, or `last`; see --runs";

/** Commands about the working files of a session. */
export function addChangesCommands(holdfast: Command): void {
  holdfast.commandsGroup("See and take back changes:");
  withServerOptions(holdfast.command("changes"))
    .summary("show which files a session changed")
    .description(
      "Shows which files changed in a session, whoever changed them. Files that Git ignores are not included.",
    )
    .argument("<id>", ID)
    .option("--run <run>", `only what changed during this run: ${RUN}`)
    .option("--since <run>", `what has changed since this run began: ${RUN}`)
    .option("--runs", "list the runs, each with what it changed")
    .option("--stat", "list the files (default)")
    .option("--patch", "print a patch for `git apply`")
    .option("--file <path>", "print the unified diff of this file")
    .addHelpText(
      ...examples(
        "holdfast changes ID",
        "holdfast changes ID --run last --patch",
        "holdfast changes ID --file src/main.ts",
      ),
    )
    .action(run(async () => (await changes()).showChanges));

  withServerOptions(holdfast.command("rewind"))
    .summary("go back to the state before a run")
    .description(
      "Restores the files as they were before a run, and takes the run and all later ones out of the conversation. Nothing is deleted. Files that somebody else has changed since stay as they are.",
    )
    .argument("<id>", ID)
    .option("--to <run>", "the run before which to go: its ID, or `last`; see `changes --runs`")
    .option("--files-only", "leave the conversation as it is")
    .option("--conversation-only", "leave the files as they are")
    .option("--force", "also restore files that somebody else has changed since")
    .option("--dry-run", "only say what would be done")
    .option("--undo", "take the last rewind back")
    .option("-y, --yes", "do not ask for confirmation")
    .addHelpText(
      ...examples(
        "holdfast rewind ID --to last",
        "holdfast rewind ID --to RUN --dry-run",
        "holdfast rewind ID --undo",
      ),
    )
    .action(run(async () => (await changes()).rewindSession));
}

const changes = () => import("./commands/changes.ts");
