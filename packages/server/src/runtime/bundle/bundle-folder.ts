import { createHash } from "node:crypto";
import { mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";

const DAY_MS = 24 * 3_600_000;
/** Lines are collected up to this before they are written. */
const CHUNK_LENGTH = 256 * 1024;
const TEMPORARY = ".tmp";
/** `<session>-<date>.jsonl`, and `<session>-<date>.<n>.jsonl` for further ones of a day. */
const NAME = /-(\d{4}-\d{2}-\d{2})(?:\.\d+)?\.jsonl$/u;
/** A file system takes names of 255 bytes. */
const MAX_ID_LENGTH = 180;

/** Bundles of removed sessions, each a file that only its owner can read. */
export interface BundleFolder {
  /** Returns the file, which is whole and on the disk. When it throws, nothing is left of it. */
  write(bundle: {
    readonly sessionId: string;
    readonly at: number;
    readonly lines: AsyncIterable<string>;
  }): Promise<string>;
  /** The names of what was written survive a power cut when this resolves. */
  sync(): Promise<void>;
  remove(file: string): Promise<void>;
  /** Removes bundles whose date is more than `keptMs` ago, and what a crash left half written. */
  removeOld(query: { readonly now: number; readonly keptMs: number }): Promise<readonly string[]>;
}

export function bundleFolder(folder: string): BundleFolder {
  let count = 0;

  async function write({
    sessionId,
    at,
    lines,
  }: Parameters<BundleFolder["write"]>[0]): Promise<string> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    count += 1;
    const temporary = path.join(folder, `${process.pid}-${count}${TEMPORARY}`);
    try {
      await writeLines(temporary, lines);
      const file = await reserveName(folder, { sessionId, at });
      await rename(temporary, file);
      return file;
    } catch (error) {
      await unlink(temporary).catch(() => {}); // it may not even have been made
      throw error;
    }
  }

  async function removeOld({
    now,
    keptMs,
  }: {
    now: number;
    keptMs: number;
  }): Promise<readonly string[]> {
    const removed: string[] = [];
    for (const name of await namesIn(folder)) {
      const file = path.join(folder, name);
      const date = NAME.exec(name)?.[1];
      if (date !== undefined) {
        // The date is a day's beginning; the bundle may be of its end.
        if (now - Date.parse(date) < keptMs + DAY_MS) continue;
        await unlink(file);
        removed.push(file);
      } else if (name.endsWith(TEMPORARY) && now - (await stat(file)).mtimeMs > DAY_MS) {
        await unlink(file);
      }
    }
    return removed;
  }

  return { write, sync: () => syncFolder(folder), remove: (file) => unlink(file), removeOld };
}

async function writeLines(file: string, lines: AsyncIterable<string>): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    let waiting = "";
    for await (const line of lines) {
      waiting += `${line}\n`;
      if (waiting.length < CHUNK_LENGTH) continue;
      await handle.appendFile(waiting);
      waiting = "";
    }
    await handle.appendFile(waiting);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * An empty file of its own, to be replaced: a session that came back and went again on the same day does
 * not take the place of its earlier bundle.
 */
async function reserveName(
  folder: string,
  { sessionId, at }: { sessionId: string; at: number },
): Promise<string> {
  const date = new Date(at).toISOString().slice(0, 10);
  for (let n = 1; ; n += 1) {
    const suffix = n === 1 ? "" : `.${n}`;
    const file = path.join(folder, `${fileNameOf(sessionId)}-${date}${suffix}.jsonl`);
    try {
      await (await open(file, "wx", 0o600)).close();
      return file;
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    }
  }
}

/** Ids are UUIDs, except where a database was taken over that had others. */
function fileNameOf(sessionId: string): string {
  const name = encodeURIComponent(sessionId);
  if (name.length <= MAX_ID_LENGTH) return name;
  return createHash("sha256").update(sessionId).digest("hex");
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
