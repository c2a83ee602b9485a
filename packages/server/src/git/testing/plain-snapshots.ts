import { copyFileSync, existsSync, rmSync, statSync, utimesSync } from "node:fs";
import path from "node:path";
import type { GitWorld } from "./git-world.ts";

/** What plain Git finds: the tree of `git add -A` with an index of its own, which lives as long as the engine's. */
export interface PlainSnapshots {
  /** `without`: repositories without a commit, with which `git add` fails. */
  tree(without: readonly string[]): string;
  /** The files have been changed to a tree. */
  setTree(tree: string): void;
}

export function plainSnapshots(world: GitWorld, folder: string): PlainSnapshots {
  const index = path.join(world.root, "plain-index");
  const options = { cwd: folder, index };
  const seed = (): void => {
    const source = world.line(["rev-parse", "--path-format=absolute", "--git-path", "index"], {
      cwd: folder,
    });
    if (existsSync(source)) {
      copyFileSync(source, index);
      // A copy that looks newer would hide changes in the second in which the index was written.
      const { atimeMs, mtimeMs } = statSync(source);
      utimesSync(index, atimeMs / 1_000, Math.floor(mtimeMs / 1_000));
      const marked = world.git(["ls-files", "-v", "-z"], options).toString("latin1").split("\0");
      if (marked.every((line) => line === "" || line.startsWith("H "))) return;
      rmSync(index);
    }
    const hasHead = world.tryGit(["rev-parse", "--verify", "--quiet", "HEAD"], options) === 0;
    world.git(["read-tree", ...(hasHead ? ["HEAD"] : ["--empty"])], options);
  };
  return {
    tree(without) {
      if (!existsSync(index)) seed();
      const excluded = without.map((each) => `:(exclude,literal)${each}`);
      // Where files are replaced by a repository, Git needs two turns.
      for (let turn = 0; turn < 2; turn += 1)
        world.git(["add", "-A", "--", ".", ...excluded], options);
      return world.line(["write-tree"], options);
    },
    setTree: (tree) => {
      // Files that were not changed are not read again, even if the rules for line ends have changed since.
      world.git(["read-tree", "-m", "-i", tree], options);
    },
  };
}
