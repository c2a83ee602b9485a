import { createHash } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { syncFolder } from "../../storage/sync-folder.ts";

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
  /** Newest first; of one session when that is named. */
  list(query?: { readonly sessionId: string }): Promise<readonly BundleFile[]>;
  /** Each without its newline. */
  lines(file: BundleFile): AsyncIterable<string>;
  /** Removes bundles whose date is more than `keptMs` ago, and what a crash left half written. */
  removeOld(query: { readonly now: number; readonly keptMs: number }): Promise<readonly string[]>;
}

export interface BundleFile {
  readonly path: string;
  readonly bytes: number;
  readonly writtenAt: number;
}

export function bundleFolder(folder: string): BundleFolder {
  async function write({
    sessionId,
    at,
    lines,
  }: Parameters<BundleFolder["write"]>[0]): Promise<string> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = `${fileNameOf(sessionId)}-${new Date(at).toISOString().slice(0, 10)}`;
    const { file, temporary, handle } = await reserve(path.join(folder, name));
    try {
      await writeLines(handle, lines);
      await rename(temporary, file);
      return file;
    } catch (error) {
      await remove(temporary);
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
      // The date is a day's beginning; the bundle may be of its end.
      const isOld = date !== undefined && now - Date.parse(date) >= keptMs + DAY_MS;
      if (isOld) removed.push(file);
      if (isOld || (await isLeftOver(file, now))) await remove(file);
    }
    return removed;
  }

  async function list(query?: { readonly sessionId: string }): Promise<readonly BundleFile[]> {
    const prefix = query === undefined ? "" : `${fileNameOf(query.sessionId)}-`;
    const names = (await namesIn(folder)).filter(
      (name) => isDated(name) && name.startsWith(prefix),
    );
    const files: BundleFile[] = [];
    for (const name of names) {
      const file = path.join(folder, name);
      const found = await stat(file).catch(nullIf("ENOENT"));
      if (found !== null) files.push({ path: file, bytes: found.size, writtenAt: found.mtimeMs });
    }
    return files.toSorted((one, other) => other.writtenAt - one.writtenAt);
  }

  return { write, sync: () => syncFolder(folder), remove, removeOld, list, lines: linesOf };
}

function isDated(name: string): boolean {
  const date = NAME.exec(name)?.[1];
  return date !== undefined && !Number.isNaN(Date.parse(date));
}

async function* linesOf({ path: file }: BundleFile): AsyncGenerator<string> {
  const handle = await open(file);
  try {
    yield* handle.readLines({ encoding: "utf8" });
  } finally {
    await handle.close();
  }
}

async function writeLines(handle: FileHandle, lines: AsyncIterable<string>): Promise<void> {
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

async function isLeftOver(file: string, now: number): Promise<boolean> {
  if (!file.endsWith(TEMPORARY)) return false;
  const found = await stat(file).catch(nullIf("ENOENT"));
  return found !== null && now - found.mtimeMs > DAY_MS;
}

function remove(file: string): Promise<void> {
  return rm(file, { force: true });
}

interface Reserved {
  readonly file: string;
  readonly temporary: string;
  readonly handle: FileHandle;
}

/**
 * A name that nobody has and, for as long as the temporary file is there, nobody else gets: a session that
 * came back and went again on the same day does not take the place of its earlier bundle.
 */
async function reserve(name: string): Promise<Reserved> {
  for (let n = 1; ; n += 1) {
    const file = `${name}${n === 1 ? "" : `.${n}`}.jsonl`;
    const temporary = `${file}${TEMPORARY}`;
    const handle = await open(temporary, "wx", 0o600).catch(nullIf("EEXIST"));
    if (handle === null) continue;
    if ((await stat(file).catch(nullIf("ENOENT"))) === null) return { file, temporary, handle };
    await handle.close();
    await remove(temporary);
  }
}

/** Ids are UUIDs, except where a database was taken over that had others. */
function fileNameOf(sessionId: string): string {
  const name = encodeURIComponent(sessionId);
  if (name.length <= MAX_ID_LENGTH) return name;
  return createHash("sha256").update(sessionId).digest("hex");
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(nullIf("ENOENT"))) ?? [];
}

function nullIf(code: string): (error: unknown) => null {
  return (error) => {
    if (error instanceof Error && "code" in error && error.code === code) return null;
    throw error;
  };
}
