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

/** Commands that keep the work of a session. */
export function addWorkCommands(holdfast: Command): void {
  holdfast.commandsGroup("Keep the work of a session:");
  withServerOptions(holdfast.command("commit"))
    .summary("commit everything that a session changed")
    .description(
      "Commits all files that Git does not ignore, on the branch of the session. Hooks of the repository run in the sandbox.",
    )
    .argument("<id>", ID)
    .option("-m, --message <text>", "message of the commit (default: made from the session)")
    .addHelpText(...examples("holdfast commit ID", "holdfast commit ID -m 'Fix the login'"))
    .action(run(async () => (await work()).commitWork));

  withServerOptions(holdfast.command("merge"))
    .summary("merge the branch of a session")
    .description(
      "Merges the branch of a session that has a worktree. If files conflict, it names them and changes nothing.",
    )
    .argument("<id>", ID)
    .option("--into <branch>", "branch (default: the one that is checked out in the repository)")
    .addHelpText(...examples("holdfast merge ID", "holdfast merge ID --into develop"))
    .action(run(async () => (await work()).mergeWork));

  withServerOptions(holdfast.command("rebase"))
    .summary("rebase the branch of a session")
    .description(
      "Makes the commits of a session that has a worktree anew after those of another branch. If files conflict, it names them and changes nothing.",
    )
    .argument("<id>", ID)
    .option("--onto <branch>", "branch (default: the one that is checked out in the repository)")
    .addHelpText(...examples("holdfast rebase ID"))
    .action(run(async () => (await work()).rebaseWork));

  withServerOptions(holdfast.command("push"))
    .summary("push the branch of a session")
    .description("Pushes the branch of a session to the configured remote repository.")
    .argument("<id>", ID)
    .addHelpText(...examples("holdfast push ID"))
    .action(run(async () => (await work()).pushWork));

  withServerOptions(holdfast.command("pull-request"))
    .summary("open a pull request for a session")
    .description(
      "Pushes the branch of a session, opens a pull request with the configured command, and prints its address.",
    )
    .argument("<id>", ID)
    .option("--title <text>", "title (default: made from the session)")
    .option("--body <text>", "text (default: made from the session)")
    .addHelpText(...examples("holdfast pull-request ID --title 'Fix the login'"))
    .action(run(async () => (await work()).openPullRequest));

  withServerOptions(holdfast.command("compare"))
    .summary("give several agents the same task")
    .description(
      "Gives several agents the same message, each in a new session with a worktree of its own, waits for all of them, and shows what they changed.",
    )
    .argument("<message>", "the message")
    .requiredOption("--agents <names>", "agents, separated by commas; see `holdfast providers`")
    .option("--repo <path>", "repository to work in (default: the one you are in)")
    .option("--base <commit>", "commit, branch or tag at which the worktrees begin")
    .option("--detach", "print the IDs of the sessions and do not wait")
    .addHelpText(...examples("holdfast compare --agents claude,codex 'Make the tests faster'"))
    .action(run(async () => (await import("./work/compare.ts")).compareAgents));
}

const work = () => import("./work/keep.ts");
const changes = () => import("./work/changes.ts");
