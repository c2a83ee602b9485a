import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { MigrationOrder } from "./migrate-process.ts";

export interface MigrationEnd {
  readonly signal: NodeJS.Signals | null;
  readonly steps: unknown;
  readonly stderr: string;
}

/** A process that is ready to migrate and waits for the signal. */
export async function startMigration(order: MigrationOrder): Promise<() => Promise<MigrationEnd>> {
  const script = path.join(import.meta.dirname, "migrate-process.ts");
  const child = spawn(process.execPath, [script, JSON.stringify(order)], {
    stdio: "pipe",
    env: { ...process.env, NODE_COMPILE_CACHE: path.join(tmpdir(), "node-compile-cache") },
  });
  const closed = once(child, "close");
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ready = await lines.next();
  if (ready.value !== "ready") throw new Error(`the process did not get ready: ${stderr}`);
  return async () => {
    child.stdin.write("go\n");
    const said = await lines.next();
    await closed;
    return {
      signal: child.signalCode,
      steps: said.done === true ? null : JSON.parse(said.value),
      stderr,
    };
  };
}

/** Starts one process per failpoint in advance, because starting them one by one is slow. */
export async function startDying(
  order: Omit<MigrationOrder, "dieAt">,
  failpoints: readonly string[],
): Promise<(dieAt: string) => Promise<MigrationEnd>> {
  const started = await Promise.all(
    failpoints.map(async (dieAt) => [dieAt, await startMigration({ ...order, dieAt })] as const),
  );
  const ready = new Map(started);
  return async (dieAt) => {
    const go = ready.get(dieAt);
    if (go === undefined) throw new Error(`no process was started to die at ${dieAt}`);
    return go();
  };
}
