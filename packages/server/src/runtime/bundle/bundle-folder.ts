import { createHash } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { syncFolder } from "../../storage/sync-folder.ts";
import { nullOn } from "../error-codes.ts";
import { lineWriter, linesIn } from "./line-file.ts";

const DAY_MS = 24 * 3_600_000;
const TEMPORARY = ".tmp";
/** `<session>-<date>.jsonl`, and `<session>-<date>.<n>.jsonl` for later bundles of the same day. */
const NAME = /-(\d{4}-\d{2}-\d{2})(?:\.\d+)?\.jsonl$/u;
/** File systems limit names to 255 bytes. */
const MAX_ID_LENGTH = 180;

export interface BundleFile {
  readonly path: string;
  readonly bytes: number;
  readonly writtenAt: number;
}

export type BundleFolder = ReturnType<typeof bundleFolder>;

/** The bundles of removed sessions, in files that only their owner can read. */
export function bundleFolder(folder: string) {
  return {
    /** Returns the path of the complete, synced file. Leaves no file behind if it throws. */
    async write(sessionId: string, at: number, lines: AsyncIterable<string>): Promise<string> {
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
    },
    /** Makes the names of the written files survive a power failure. */
    sync: () => syncFolder(folder),
    remove,
    /** All bundles, or those of one session; newest first. */
    async list(sessionId?: string): Promise<readonly BundleFile[]> {
      const prefix = sessionId === undefined ? "" : `${fileNameOf(sessionId)}-`;
      const files: BundleFile[] = [];
      for (const name of await namesIn(folder)) {
        if (!name.startsWith(prefix) || Number.isNaN(dateOf(name))) continue;
        const file = path.join(folder, name);
        const stats = await stat(file).catch(nullOn("ENOENT"));
        if (stats !== null) files.push({ path: file, bytes: stats.size, writtenAt: stats.mtimeMs });
      }
      return files.toSorted((one, other) => other.writtenAt - one.writtenAt);
    },
    /** The lines without their newlines. */
    async *lines({ path: file }: BundleFile): AsyncGenerator<string> {
      const handle = await open(file);
      try {
        yield* linesIn(handle);
      } finally {
        await handle.close();
      }
    },
    /** Removes bundles older than `keptMs`, and temporary files that a crash left behind. */
    async removeOld(now: number, keptMs: number): Promise<readonly string[]> {
      const removed: string[] = [];
      for (const name of await namesIn(folder)) {
        const file = path.join(folder, name);
        // The date is the beginning of a day; the bundle may be from its end.
        const isOld = now - dateOf(name) >= keptMs + DAY_MS;
        if (isOld) removed.push(file);
        if (isOld || (await isAbandoned(file, now))) await remove(file);
      }
      return removed;
    },
  };
}

/** NaN for a file that is not a bundle. */
function dateOf(name: string): number {
  return Date.parse(NAME.exec(name)?.[1] ?? "");
}

async function writeLines(handle: FileHandle, lines: AsyncIterable<string>): Promise<void> {
  try {
    const writer = lineWriter(handle);
    for await (const line of lines) await writer.add(line);
    await writer.flush();
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isAbandoned(file: string, now: number): Promise<boolean> {
  if (!file.endsWith(TEMPORARY)) return false;
  const stats = await stat(file).catch(nullOn("ENOENT"));
  return stats !== null && now - stats.mtimeMs > DAY_MS;
}

function remove(file: string): Promise<void> {
  return rm(file, { force: true });
}

/** Reserves an unused name by its temporary file, so that a second bundle of the same day does not replace the first. */
async function reserve(name: string) {
  for (let n = 1; ; n += 1) {
    const file = `${name}${n === 1 ? "" : `.${n}`}.jsonl`;
    const temporary = `${file}${TEMPORARY}`;
    const handle = await open(temporary, "wx", 0o600).catch(nullOn("EEXIST"));
    if (handle === null) continue;
    if ((await stat(file).catch(nullOn("ENOENT"))) === null) return { file, temporary, handle };
    await handle.close();
    await remove(temporary);
  }
}

/** Ids are UUIDs, except in databases of the portal. */
function fileNameOf(sessionId: string): string {
  const name = encodeURIComponent(sessionId);
  if (name.length <= MAX_ID_LENGTH) return name;
  return createHash("sha256").update(sessionId).digest("hex");
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(nullOn("ENOENT"))) ?? [];
}
