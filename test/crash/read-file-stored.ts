import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { evolveAll } from "../../packages/server/src/domain/kernel/evolve.ts";
import { openStore } from "../../packages/server/src/storage/open-store.ts";
import type { Store } from "../../packages/server/src/storage/store.ts";
import type { Stored, StoredSession } from "../cluster/history.ts";
import { readTables } from "../cluster/read-stored.ts";
import type { CrashRig } from "./crash-rig.ts";

type Named = { readonly id: string; readonly repo: string };

/** What is in the file, past all our code, and what the server shows of it. */
export async function readFileStored(rig: CrashRig, sessions: readonly Named[]): Promise<Stored> {
  const store = await openStore({ engine: "sqlite", file: rig.database }, { clock: Date.now });
  const raw = new DatabaseSync(rig.database, { readOnly: true });
  try {
    const read: StoredSession[] = [];
    for (const { id, repo } of sessions) {
      read.push({
        ...(await readTables(async (statement) => raw.prepare(statement).all({ $1: id }))),
        id,
        repo,
        final: await rig.client.sessions.get(id),
        difference: await foldDifference(store, id),
      });
    }
    return { sessions: read };
  } finally {
    raw.close();
    await store.close();
  }
}

const WHOLE_LOG = 100_000;
/** A start puts away, in the background, what was merely open: row and log are to be of one moment. */
const TRIES = 50;

/** How the log, folded again, differs from the row; null when it does not. */
export async function foldDifference(store: Store, sessionId: string): Promise<string | null> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const loaded = await store.load(sessionId);
    const log = await store.readEvents({ sessionId, after: 0, limit: WHOLE_LOG });
    const again = await store.load(sessionId);
    if (!isDeepStrictEqual(loaded, again)) continue;
    if (loaded.found !== "session") return `it cannot be loaded: ${loaded.found}`;
    const folded = evolveAll(
      null,
      log.map((entry) =>
        entry.kind === "event" ? entry.event : { type: "output.appended", at: entry.at },
      ),
    );
    const { session } = loaded.stored;
    // What a crash adds to the transcript is in the log of messages, and no activity of the session.
    const expected = folded === null ? null : { ...folded, lastActiveAt: session.lastActiveAt };
    if (isDeepStrictEqual(expected, session)) return null;
    const differing = Object.entries(session).flatMap(([key, value]) => {
      const other: unknown = expected === null ? null : Reflect.get(expected, key);
      const [row, made] = [JSON.stringify(value), JSON.stringify(other)];
      return row === made ? [] : [`${key} is ${row}, by the log ${made}`];
    });
    return differing.join("; ");
  }
  return "it changes all the time";
}

/** Runs that are said to be under way. */
export function runsUnderWay(rig: CrashRig): ReadonlySet<string> {
  const raw = new DatabaseSync(rig.database, { readOnly: true });
  try {
    const rows = raw.prepare(`select "id" from "Run" where "status" = 'running'`).all();
    return new Set(rows.map(({ id }) => String(id)));
  } finally {
    raw.close();
  }
}

/** What SQLite itself finds wrong. */
export function checkIntegrity(file: string): readonly string[] {
  const raw = new DatabaseSync(file, { readOnly: true });
  try {
    return ["integrity_check", "foreign_key_check"]
      .flatMap((check) => raw.prepare(`pragma ${check}`).all())
      .map((row) => JSON.stringify(row))
      .filter((row) => row !== '{"integrity_check":"ok"}');
  } finally {
    raw.close();
  }
}
