import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { GitWorld } from "./git-world.ts";
import type { Step } from "./random-history.ts";
import type { RawFiles } from "./raw-files.ts";

/** A step that changes files or the user's state in Git. */
export type WorldStep = Exclude<Step, { readonly do: "snapshot" | "restore" }>;

export function actStep(world: GitWorld, folder: string, files: RawFiles, step: WorldStep): void {
  switch (step.do) {
    case "write":
      return files.write(step.name, step.content);
    case "edit":
      return files.edit(step.name);
    case "remove":
      return files.remove(step.name);
    case "rename":
      return files.rename(step.name, step.to);
    case "toggle_exec":
      return files.toggleExec(step.name);
    case "link":
      return files.link(step.name, step.to);
    case "rules":
      return files.write(`${step.folder}.gitignore`, step.text);
    case "exclude":
      return writeFileSync(gitPath(world, folder, "info/exclude"), step.text, "latin1");
    case "attributes":
      files.write(`${step.folder}.gitattributes`, step.text);
      return files.touchAll();
    case "setting":
      world.git(["config", ...step.setting], { cwd: folder });
      return files.touchAll();
    case "nest": {
      // Without a commit it is only where nothing else is.
      if (step.commits === 0 && !step.folder.endsWith("nest")) return;
      if (!existsSync(path.join(folder, step.folder, ".git"))) {
        files.remove(step.folder);
        files.folder(step.folder);
      }
      const cwd = path.join(folder, step.folder);
      world.git(["init", "--quiet"], { cwd });
      for (let commit = 0; commit < step.commits; commit += 1)
        world.git(["commit", "--quiet", "--allow-empty", "--message=inner"], { cwd });
      return;
    }
    case "remove_nest":
      return files.remove(step.folder);
    case "user":
      return actUser(world, folder, step);
    default:
      step satisfies never;
  }
}

/** Commands that may fail, as those of users. */
function actUser(
  world: GitWorld,
  cwd: string,
  { command, name }: Extract<WorldStep, { readonly do: "user" }>,
): void {
  const input = Buffer.from(`${name}\0`, "latin1");
  const some = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  const run = (args: readonly string[]): void => {
    world.tryGit(args, { cwd, input });
  };
  switch (command) {
    case "add":
      return run(["add", "-A"]);
    case "add_some":
      return run(["--literal-pathspecs", "add", ...some]);
    case "force_add":
      return run(["--literal-pathspecs", "add", "--force", ...some]);
    case "intend":
      return run(["--literal-pathspecs", "add", "--intent-to-add", ...some]);
    case "commit":
      run(["add", "-A"]);
      return run(["commit", "--quiet", "--message=user"]);
    case "assume":
      return run(["update-index", "--assume-unchanged", "-z", "--stdin"]);
    case "skip":
      return run(["update-index", "--skip-worktree", "-z", "--stdin"]);
    case "unmerged": {
      const blob = world.line(["hash-object", "-w", "--stdin"], { cwd, input: "side\n" });
      // Git has no merge in which the file also has a plain entry.
      const none = `0 ${"0".repeat(blob.length)} 0\t${name}\0`;
      const stages = [1, 2, 3].map((stage) => `100644 ${blob} ${stage}\t${name}\0`);
      const lines = [none, ...stages].join("");
      world.tryGit(["update-index", "-z", "--index-info"], {
        cwd,
        input: Buffer.from(lines, "latin1"),
      });
      return;
    }
    case "detach":
      return run(["checkout", "--quiet", "--detach"]);
    case "reset":
      return run(["reset", "--quiet"]);
    case "uncache":
      return run(["--literal-pathspecs", "rm", "-r", "--cached", "--force", "--quiet", ...some]);
    case "stash":
      return run(["stash", "--quiet"]);
    case "status":
      return run(["-c", "core.fsmonitor=false", "status"]);
    default:
      command satisfies never;
  }
}

function gitPath(world: GitWorld, cwd: string, name: string): string {
  return world.line(["rev-parse", "--path-format=absolute", "--git-path", name], { cwd });
}
