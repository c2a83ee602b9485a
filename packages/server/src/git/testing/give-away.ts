import { chownSync, readdirSync } from "node:fs";
import path from "node:path";
import { need } from "../../domain/testing/machine.ts";

/** Makes another user the owner of a folder and of everything in it. Skips the test where that is not allowed. */
export function giveAway(folder: string, owner: number): void {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  try {
    for (const name of ["", ...names]) chownSync(path.join(folder, name), owner, owner);
  } catch {
    need("this user cannot give files to another user; root can");
  }
}
