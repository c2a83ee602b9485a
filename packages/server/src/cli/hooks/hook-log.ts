import { appendFileSync, closeSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { makeFolder } from "../settings/data-folder.ts";

/** One call of a hook. IDs and reasons only, since the input may be secret. */
export interface HookLogEntry {
  readonly at: number;
  readonly hook: string;
  /** The event it was called for, where the caller names one. */
  readonly event: string | null;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  /** True for "resume" or "finalized". */
  readonly decision: boolean;
  readonly reason: string;
  readonly tookMs: number;
}

/** Two files of about this size, the older one with `.1` at its end. */
export const LOG_BYTES = 1024 * 1024;
const STALE_LOCK_MS = 10_000;
const MAX_ID = 200;

export function hookLogFile(dataFolder: string): string {
  return path.join(dataFolder, "logs", "hooks.log");
}

/**
 * Appends a line with one write, which the system does not interleave with writes of other processes. Failures are
 * ignored: a hook must not fail because of its log.
 */
export function appendHookLog(dataFolder: string, entry: HookLogEntry): void {
  try {
    const file = hookLogFile(dataFolder);
    makeFolder(path.dirname(file));
    appendLine(file, Buffer.from(toLine(entry)));
  } catch {
    // See above.
  }
}

function toLine({ at, agentId, sessionId, tookMs, ...rest }: HookLogEntry): string {
  const line = {
    at: new Date(at).toISOString(),
    ...rest,
    agentId: agentId?.slice(0, MAX_ID) ?? null,
    sessionId,
    tookMs: Math.round(tookMs),
    pid: process.pid,
  };
  return `${JSON.stringify(line)}\n`;
}

function appendLine(file: string, line: Uint8Array): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size + line.byteLength > LOG_BYTES) rotate(file);
  appendFileSync(file, line, { mode: 0o600 });
}

/** Rotates under a lock, and only if the file is still too large: a second rotation would discard lines. */
function rotate(file: string): void {
  const lock = `${file}.lock`;
  if (!takeLock(lock)) return;
  try {
    // The file may be missing: another process has rotated it, and nothing was written since.
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size >= LOG_BYTES / 2) renameSync(file, `${file}.1`);
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, "wx", 0o600));
    return true;
  } catch {
    const held = statSync(lock, { throwIfNoEntry: false });
    // Its owner was killed; the next call takes the lock.
    if (held !== undefined && Date.now() - held.mtimeMs > STALE_LOCK_MS)
      rmSync(lock, { force: true });
    return false;
  }
}
