import { randomUUID } from "node:crypto";
import { lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Session } from "@holdfast/protocol";
import { CommandFailure } from "../exit.ts";
import { errorText } from "../../domain/error-text.ts";
import type { JsonObject } from "../../domain/json.ts";
import { keptIn } from "./kept-state.ts";
import { readState, type ReadState } from "./read-state.ts";
import { digestOf, fromWire, toStateFile, type Tracked } from "./state-file.ts";
import { nameOf } from "./to-state.ts";

export interface StatesExport {
  /** Gets one folder per session; created if missing. */
  readonly folder: string;
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

export interface StatesExported {
  readonly written: number;
  /** Files that were already up to date. */
  readonly unchanged: number;
  /** Files that were not written, with the reason. */
  readonly refused: readonly { readonly sessionId: string; readonly reason: string }[];
}

/** Files written in parallel. */
const AT_ONCE = 32;

/** Writes each session as GAIA's `state.json`, atomically. */
export async function exportStates(
  sessions: AsyncIterable<Session>,
  { folder, onProgress = () => {}, signal }: StatesExport,
): Promise<StatesExported> {
  await makeFolder(folder);
  const counts = { written: 0, unchanged: 0 };
  const refused: StatesExported["refused"][number][] = [];
  let done = 0;
  const write = async (batch: readonly Session[]): Promise<void> => {
    const outcomes = await Promise.all(
      batch.map(async (session) => ({ session, outcome: await writeState(folder, session) })),
    );
    for (const { session, outcome } of outcomes) {
      if (typeof outcome === "string") counts[outcome] += 1;
      else refused.push({ sessionId: session.id, reason: outcome.refused });
    }
    done += batch.length;
    onProgress(done);
  };
  let batch: Session[] = [];
  for await (const session of sessions) {
    if (signal?.aborted === true) break;
    batch.push(session);
    if (batch.length < AT_ONCE) continue;
    await write(batch);
    batch = [];
  }
  if (batch.length > 0) await write(batch);
  return { ...counts, refused };
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    throw new CommandFailure(`${folder} cannot be made: ${errorText(cause)}`, undefined, { cause });
  }
}

type WriteResult = "written" | "unchanged" | { readonly refused: string };

async function writeState(parent: string, session: Session): Promise<WriteResult> {
  const name = nameOf(session);
  if (!PLAIN_NAME.test(name)) return { refused: `${name} cannot be the name of a folder.` };
  const folder = path.join(parent, name);
  const draft = path.join(folder, `.state.${randomUUID()}.json`);
  try {
    await mkdir(folder, { recursive: true });
    // A link could lead anywhere.
    if (!(await lstat(folder)).isDirectory())
      return { refused: `${folder} is not a folder of its own.` };
    const tracked = fromWire(session);
    const file = toStateFile(tracked);
    const verdict = judge(readState(parent, name), tracked, file);
    if (verdict !== "written") return verdict;
    await writeFile(draft, `${JSON.stringify(file, null, 2)}\n`, { flag: "wx" });
    await rename(draft, path.join(folder, "state.json"));
    return verdict;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    return { refused: errorText(error) };
  }
}

/** Does not overwrite a file that was changed after the session. */
function judge(before: ReadState, tracked: Tracked, file: JsonObject): WriteResult {
  if (!before.ok) {
    return before.isMissing === true
      ? "written"
      : { refused: `${before.file} ${before.reason}. Move it away first.` };
  }
  const { digest, contents, hasPythonTimes, session } = before.state;
  if (digest === digestOf(file) && contents["last_updated"] === file["last_updated"])
    return hasPythonTimes ? "unchanged" : "written";
  const isAsImported = digest === keptIn(tracked.metadata)?.digest;
  if (isAsImported || session.updatedAt <= tracked.updatedAt) return "written";
  return { refused: `${before.file} was changed after the session. Import it first.` };
}

/** Not a path, not hidden, and short enough for a folder name. */
const PLAIN_NAME = /^[A-Za-z0-9_][\w.:-]{0,199}$/u;
