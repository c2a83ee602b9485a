import { rm } from "node:fs/promises";
import path from "node:path";
import {
  openOwnGitFolder,
  ownFolderOf,
  type GitOptions,
  type OwnGitFolder,
} from "./own-git-folder.ts";

/**
 * A Git folder of our own for commands that are not snapshots of runs. Those remember what is in the index of theirs, so it must
 * be another one.
 */
export function openWorkFolder(folder: string, options: GitOptions): Promise<OwnGitFolder> {
  return openOwnGitFolder(folder, { ...options, dataFolder: workData(options) });
}

/** Removes all that is kept about a folder that is gone. */
export async function forgetFolder(folder: string, options: GitOptions): Promise<void> {
  for (const data of [options.dataFolder, workData(options)])
    await rm(ownFolderOf(folder, data), { recursive: true, force: true });
}

function workData({ dataFolder }: GitOptions): string {
  return path.join(dataFolder, "work");
}
