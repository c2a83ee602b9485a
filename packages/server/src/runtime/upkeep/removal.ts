import { setImmediate } from "node:timers/promises";
import { errorText } from "../../domain/error-text.ts";
import type { Session } from "../../domain/session.ts";
import type { Store } from "../../storage/store.ts";
import type { BundleFolder } from "../bundle/bundle-folder.ts";
import { BUNDLE_LIMITS } from "../bundle/bundle-limits.ts";
import { exportBundle } from "../bundle/export-bundle.ts";
import type { Log } from "../log.ts";
import type { Executed, Execution } from "../execute-command.ts";

/** The dependencies of a removal. */
export interface Removing {
  readonly store: Store;
  readonly bundles: BundleFolder;
  readonly clock: () => number;
  readonly execute: (execution: Execution) => Promise<Executed>;
  /** Deletes the data of a deleted session outside the store. */
  readonly forgetSession: (sessionId: string) => Promise<void>;
  readonly log: Log;
}

export interface Removal {
  readonly removed: readonly { readonly sessionId: string; readonly bundle: string }[];
  /** Sessions that were not removed. */
  readonly kept: readonly { readonly sessionId: string; readonly reason: string }[];
}

/** Bundles written at the same time. */
const AT_ONCE = 8;

/**
 * Removes each session after its bundle is on the disk. A session that has changed since, or is no longer due, is kept. After
 * an abort, sessions that already have a bundle are still removed.
 */
export async function removeSessions(
  removing: Removing,
  {
    sessionIds,
    isDue,
    signal,
  }: {
    readonly sessionIds: readonly string[];
    readonly isDue: (session: Session) => boolean;
    readonly signal: AbortSignal;
  },
): Promise<Removal> {
  const written: Written[] = [];
  const removed: Removal["removed"][number][] = [];
  const kept: Kept[] = [];
  for (let start = 0; start < sessionIds.length && !signal.aborted; start += AT_ONCE) {
    const ids = sessionIds.slice(start, start + AT_ONCE);
    for (const one of await Promise.all(ids.map((sessionId) => write(removing, sessionId)))) {
      if (one === null) continue;
      if ("file" in one) written.push(one);
      else kept.push(one);
    }
    await setImmediate();
  }
  if (written.length > 0) await removing.bundles.sync();
  const outcomes = await Promise.all(written.map((one) => remove(removing, { ...one, isDue })));
  for (const outcome of outcomes) {
    if ("bundle" in outcome) removed.push(outcome);
    else kept.push(outcome);
  }
  return { removed, kept };
}

interface Written {
  readonly sessionId: string;
  readonly version: number;
  readonly file: string;
}

type Kept = Removal["kept"][number];

/** Null if the session no longer exists. */
async function write(
  { store, bundles, clock, log }: Removing,
  sessionId: string,
): Promise<Written | Kept | null> {
  try {
    const exported = await exportBundle({ store, clock }, sessionId);
    if (!exported.ok) return null;
    const lines = importable(exported.lines);
    const file = await bundles.write({ sessionId, at: clock(), lines });
    return { sessionId, version: exported.version, file };
  } catch (err) {
    log.error({ err, sessionId }, "a session is kept, because its bundle could not be written");
    return { sessionId, reason: errorText(err) };
  }
}

/** A bundle beyond the limits could not be imported again. */
async function* importable(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let total = 0;
  for await (const line of lines) {
    total += line.length;
    if (line.length > BUNDLE_LIMITS.lineLength || total > BUNDLE_LIMITS.totalLength)
      throw new Error("The bundle would be too long to import.");
    yield line;
  }
}

async function remove(
  { bundles, clock, execute, forgetSession, log }: Removing,
  { sessionId, version, file, isDue }: Written & { isDue: (session: Session) => boolean },
): Promise<Removal["removed"][number] | Kept> {
  try {
    const executed = await execute({
      sessionId,
      version,
      command: (session) =>
        session !== null && isDue(session) ? { type: "delete", at: clock() } : [],
    });
    if (!executed.ok || executed.events.length === 0) {
      await bundles.remove(file);
      return { sessionId, reason: "The session has changed since its export." };
    }
  } catch (err) {
    // The session may be deleted, so the bundle is kept.
    log.error({ err, sessionId }, "a session could not be removed");
    return { sessionId, reason: errorText(err) };
  }
  log.info({ sessionId, bundle: file }, "a session was removed; its bundle is kept for a while");
  await forgetSession(sessionId).catch((err: unknown) =>
    log.error({ err, sessionId }, "the files of a removed session could not be deleted"),
  );
  return { sessionId, bundle: file };
}
