import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const FILES_IN_FOLDER = 100;

/** Makes a repository with one commit of so many files. */
export function fillRepository(repo: string, files: number): void {
  const git = (...args: readonly string[]): void => {
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@y", ...args], { cwd: repo });
  };
  git("init", "--quiet");
  for (let at = 0; at < files; at += 1) {
    const file = fileAt(repo, at);
    if (at % FILES_IN_FOLDER === 0) mkdirSync(path.dirname(file), { recursive: true });
    // Few different files: Git needs much time to store many.
    writeFileSync(file, `content ${at % 50}\n`.repeat(10));
  }
  git("add", "-A");
  git("commit", "--quiet", "--message=first");
}

export function fileAt(repo: string, at: number): string {
  const folder = Math.floor(at / FILES_IN_FOLDER);
  return path.join(repo, `part-${folder % 30}`, `folder-${folder}`, `file-${at}.ts`);
}
