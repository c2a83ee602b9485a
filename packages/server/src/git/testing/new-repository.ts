import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { needProgram } from "../../domain/testing/machine.ts";

/** Runs Git as a user would. Returns its output. */
export function userGit(folder: string, ...args: readonly string[]): string {
  const names = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  return execFileSync("git", [...names, ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Makes a repository with one commit of these files. */
export function newRepository(folder: string, files: Readonly<Record<string, string>>): void {
  needProgram("git");
  mkdirSync(folder, { recursive: true });
  userGit(folder, "init", "--quiet", "--initial-branch=main");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  userGit(folder, "add", "--all");
  userGit(folder, "commit", "--quiet", "--allow-empty", "--message", "first");
}
