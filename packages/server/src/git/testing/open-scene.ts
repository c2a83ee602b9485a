import { onTestFinished } from "vitest";
import { createFolderGit, type FolderGit } from "../folder-git.ts";
import type { GitOptions } from "../own-git-folder.ts";
import { openGitWorld, type GitWorld } from "./git-world.ts";
import { rawFiles, type RawFiles } from "./raw-files.ts";

export interface Scene {
  readonly world: GitWorld;
  readonly files: RawFiles;
  /** A new one each time, as in a new process. */
  engine(options?: Partial<GitOptions> & { readonly maxFolders?: number }): FolderGit;
  /** Takes a snapshot with a new engine, or this one, and waits until it is kept. Returns its tree. */
  snapshot(name: string, engine?: FolderGit): Promise<string>;
}

/** An empty repository that is removed after the test. */
export function openScene(): Scene {
  const world = openGitWorld();
  onTestFinished(() => world.remove());
  const engine: Scene["engine"] = (options = {}) =>
    createFolderGit({ dataFolder: world.data, environment: world.env, ...options });
  return {
    world,
    files: rawFiles(world.repo),
    engine,
    async snapshot(name, git = engine()) {
      const taken = await git.snapshot(world.repo, { sessionId: "s", name: [name] });
      if (!(await taken.isKept)) throw new Error(`the snapshot ${name} is not kept`);
      return taken.tree;
    },
  };
}
