import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { evolveAll } from "../../packages/server/src/domain/kernel/evolve.ts";
import { openStore } from "../../packages/server/src/storage/open-store.ts";
import type { Store } from "../../packages/server/src/storage/store.ts";
import type { Stored, StoredSession } from "../cluster/history.ts";
import { readTables } from "../cluster/read-stored.ts";
import type { CrashRig } from "./crash-rig.ts";

type SessionKey = { readonly id: string; readonly repo: string };

/** Reads the file without the server's code, and the same sessions through the server. */
export async function readFileStored(
  rig: CrashRig,
  sessions: readonly SessionKey[],
): Promise<Stored> {
  const store = await openStore({ engine: "sqlite", file: rig.database }, { clock: Date.now });
  const raw = new DatabaseSync(rig.database, { readOnly: true });
  try {
    const stored: StoredSession[] = [];
    for (const { id, repo } of sessions) {
      stored.push({
        ...(await readTables(async (statement) => raw.prepare(statement).all({ $1: id }))),
        id,
        repo,
        final: await rig.client.sessions.get(id),
        difference: await replayDifference(store, id),
      });
    }
    return { sessions: stored };
  } finally {
    raw.close();
    await store.close();
  }
}

const WHOLE_LOG = 100_000;
/** A starting server suspends open sessions in the background, so row and log are read until nothing changes between. */
const TRIES = 50;

/** How the log, replayed again, differs from the row; null when it does not. */
export async function replayDifference(store: Store, sessionId: string): Promise<string | null> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const loaded = await store.load(sessionId);
    const log = await store.readEvents({ sessionId, after: 0, limit: WHOLE_LOG });
    const again = await store.load(sessionId);
    if (!isDeepStrictEqual(loaded, again)) continue;
    if (loaded.found !== "session") return `the session cannot be loaded: ${loaded.found}`;
    const replayed = evolveAll(
      null,
      log.map((entry) =>
        entry.kind === "event" ? entry.event : { type: "output.appended", at: entry.at },
      ),
    );
    const { session } = loaded.stored;
    // The notice after a crash is in the log of messages, but does not count as activity of the session.
    const expected = replayed === null ? null : { ...replayed, lastActiveAt: session.lastActiveAt };
    if (isDeepStrictEqual(expected, session)) return null;
    const differing = Object.entries(session).flatMap(([key, value]) => {
      const other: unknown = expected === null ? null : Reflect.get(expected, key);
      const [inRow, inLog] = [JSON.stringify(value), JSON.stringify(other)];
      return inRow === inLog ? [] : [`${key} is ${inRow} in the row and ${inLog} in the log`];
    });
    return differing.join("; ");
  }
  return "the session keeps changing";
}

/** Runs whose status is `running`. */
export function activeRuns(rig: CrashRig): ReadonlySet<string> {
  const raw = new DatabaseSync(rig.database, { readOnly: true });
  try {
    const rows = raw.prepare(`select "id" from "Run" where "status" = 'running'`).all();
    return new Set(rows.map(({ id }) => String(id)));
  } finally {
    raw.close();
  }
}

/** The errors that SQLite itself finds. */
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
