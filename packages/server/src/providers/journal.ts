import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Redactor } from "./secrets/redactor.ts";

/** Records the traffic on an agent's pipes for debugging. Nothing else depends on it. */
export interface Journal {
  /** Returns at once and never throws. Entries that cannot be written are dropped and counted. */
  write(direction: JournalDirection, line: string): void;
  /** Resolves when all entries that were not dropped are in the file. */
  close(): Promise<void>;
  readonly dropped: number;
}

export type JournalDirection = "in" | "out" | "noise" | "stderr" | "note";

export interface JournalOptions {
  readonly folder: string;
  readonly sessionId: string;
  /** The size of one file. A full file is kept as `.1`, and a new one begins. */
  readonly maxBytes?: number;
  /** Removes secrets. */
  readonly redactor: Pick<Redactor, "line" | "longest">;
  readonly clock?: () => number;
}

export function openJournal({
  folder,
  sessionId,
  maxBytes = 5 * 1024 * 1024,
  redactor,
  clock = Date.now,
}: JournalOptions): Journal {
  const file = fileOf(folder, sessionId);
  const pending: string[] = [];
  let pendingBytes = 0;
  let writing: Promise<void> | null = null;
  let dropped = 0;
  /** Dropped entries that the file does not mention yet. */
  let unreported = 0;
  /** Whether the last write may have left half a line. */
  let isTorn = false;
  let isClosed = false;
  const closing = new AbortController();

  const entryOf = (direction: JournalDirection, line: string): string => {
    // Longer than the limit at first, so that a secret across the limit is found whole.
    const clean = redactor.line(line.slice(0, MAX_ENTRY + redactor.longest)).slice(0, MAX_ENTRY);
    const cut = line.length > MAX_ENTRY ? `,"length":${line.length}` : "";
    return `{"t":${clock()},"direction":"${direction}","line":${JSON.stringify(clean)}${cut}}\n`;
  };

  const drop = (count: number): void => {
    dropped += count;
    unreported += count;
  };

  const enqueue = (entry: string): void => {
    pending.push(entry);
    pendingBytes += entry.length;
  };

  const flush = async (): Promise<void> => {
    await pause(BATCH_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    while (pending.length > 0) {
      const entries = pending.splice(0, countWithin(pending, maxBytes / 2));
      const text = entries.join("");
      try {
        await append(file, isTorn ? `\n${text}` : text, maxBytes);
        isTorn = false;
      } catch {
        isTorn = true;
        drop(entries.length);
      }
      pendingBytes -= text.length;
    }
    writing = null;
  };

  return {
    write: (direction, line) => {
      if (isClosed || pendingBytes > MAX_PENDING) return drop(1);
      if (unreported > 0) {
        enqueue(entryOf("note", `${unreported} entries were dropped here`));
        unreported = 0;
      }
      enqueue(entryOf(direction, line));
      writing ??= flush();
    },
    close: async () => {
      isClosed = true;
      closing.abort();
      await writing;
    },
    get dropped() {
      return dropped;
    },
  };
}

export async function removeJournal(folder: string, sessionId: string): Promise<void> {
  const file = fileOf(folder, sessionId);
  await Promise.all([rm(file, { force: true }), rm(`${file}.1`, { force: true })]);
}

/** Reads the folder once, because most sessions have no journal. */
export async function removeJournals(folder: string, sessionIds: readonly string[]): Promise<void> {
  const names = new Set(await readdir(folder).catch(() => []));
  const recorded = sessionIds.filter((sessionId) => names.has(`${sessionId}.jsonl`));
  await Promise.all(recorded.map((sessionId) => removeJournal(folder, sessionId)));
}

/** How long a line waits for others, so that the file is not opened for each. */
const BATCH_MS = 20;
/** Characters of one entry. */
const MAX_ENTRY = 64 * 1024;
/** Characters that may wait to be written. */
const MAX_PENDING = 1024 * 1024;

/** The number of first entries that fit into this many characters, at least one. */
function countWithin(entries: readonly string[], characters: number): number {
  let sum = 0;
  const index = entries.findIndex((entry) => (sum += entry.length) > characters);
  return index === -1 ? entries.length : Math.max(1, index);
}

function fileOf(folder: string, sessionId: string): string {
  if (!/^[\w-]+$/.test(sessionId)) throw new Error("unreachable: a session ID is a plain name");
  return path.join(folder, `${sessionId}.jsonl`);
}

async function append(file: string, text: string, maxBytes: number): Promise<void> {
  let handle = await openPrivate(file);
  try {
    const { size } = await handle.stat();
    if (size > 0 && size + Buffer.byteLength(text) > maxBytes) {
      await handle.close();
      await rename(file, `${file}.1`);
      handle = await openPrivate(file);
    }
    await handle.appendFile(text);
  } finally {
    await handle.close();
  }
}

async function openPrivate(file: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  try {
    return await open(file, flags, 0o600);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "ENOENT") throw error;
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    return open(file, flags, 0o600);
  }
}
