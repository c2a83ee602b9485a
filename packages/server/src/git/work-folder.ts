import { lstat, mkdir, open, rm } from "node:fs/promises";
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
  await endMaking(folder, options);
}

/**
 * Notes that a worktree is being made in the folder, until `endMaking`. What is found there meanwhile may be removed, so the note
 * is where no agent can write it.
 */
export async function beginMaking(folder: string, options: GitOptions): Promise<void> {
  await mkdir(workData(options), { recursive: true, mode: 0o700 });
  const file = await open(makingFile(folder, options), "w", 0o600);
  try {
    await file.writeFile(`${folder}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function endMaking(folder: string, options: GitOptions): Promise<void> {
  await rm(makingFile(folder, options), { force: true });
}

export async function isMaking(folder: string, options: GitOptions): Promise<boolean> {
  return (await lstat(makingFile(folder, options)).catch(() => null)) !== null;
}

function makingFile(folder: string, options: GitOptions): string {
  return `${ownFolderOf(folder, workData(options))}.making`;
}

function workData({ dataFolder }: GitOptions): string {
  return path.join(dataFolder, "work");
}
