import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const PROGRAMS = {
  keep: path.join(import.meta.dirname, "keep-program.ts"),
  worktree: path.join(import.meta.dirname, "worktree-program.ts"),
};

/** Starts a program of this folder, and kills it this long after it has begun. Returns whether it was done. */
export async function runKilled(
  program: keyof typeof PROGRAMS,
  args: readonly [act: string, request: object, options: object],
  afterMs: number,
): Promise<boolean> {
  const [act, request, options] = args;
  const server = spawn(
    process.execPath,
    [PROGRAMS[program], act, JSON.stringify(request), JSON.stringify(options)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let text = "";
  server.stdout.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
  });
  const closed = once(server, "close");
  await once(server.stdout, "data");
  await Promise.race([pause(afterMs), closed]);
  server.kill("SIGKILL");
  await closed;
  return text.includes("done");
}
