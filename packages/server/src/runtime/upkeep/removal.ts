import { setImmediate } from "node:timers/promises";
import type { Session } from "../../domain/session.ts";
import type { Store } from "../../storage/store.ts";
import type { BundleFolder } from "../bundle/bundle-folder.ts";
import { BUNDLE_LIMITS } from "../bundle/bundle-limits.ts";
import { exportBundle } from "../bundle/export-bundle.ts";
import type { Log } from "../log.ts";
import type { Executed, Execution } from "../execute-command.ts";

/** What sessions are removed with. */
export interface Removing {
  readonly store: Store;
  readonly bundles: BundleFolder;
  readonly clock: () => number;
  readonly execute: (execution: Execution) => Promise<Executed>;
  /** The session is gone for good: what was kept outside the store goes too. */
  readonly forgetSession: (sessionId: string) => Promise<void>;
  readonly log: Log;
}

export interface Removal {
  readonly removed: readonly { readonly sessionId: string; readonly bundle: string }[];
  /** Should have gone, and has not. */
  readonly kept: readonly { readonly sessionId: string; readonly reason: string }[];
}

/** Bundles written at the same time. */
const AT_ONCE = 8;

/**
 * Removes sessions, each after its bundle is on the disk, and only as they are in the bundle: what has
 * changed in between, or is no longer due, stays. What has a bundle when it is told to stop is removed.
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

/** Null when there is no such session any more. */
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
    return { sessionId, reason: err instanceof Error ? err.message : String(err) };
  }
}

/** What could not be imported again would be as good as gone. */
async function* importable(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let total = 0;
  for await (const line of lines) {
    total += line.length;
    if (line.length > BUNDLE_LIMITS.lineLength || total > BUNDLE_LIMITS.totalLength)
      throw new Error("The bundle would be too long to be imported.");
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
      return { sessionId, reason: "The session has changed since it was looked at." };
    }
  } catch (err) {
    // Whether it was deleted is not known: the bundle stays.
    log.error({ err, sessionId }, "a session could not be removed");
    return { sessionId, reason: err instanceof Error ? err.message : String(err) };
  }
  log.info({ sessionId, bundle: file }, "a session was removed; its bundle is kept for a while");
  await forgetSession(sessionId).catch((err: unknown) =>
    log.error({ err, sessionId }, "not everything of a removed session could be removed"),
  );
  return { sessionId, bundle: file };
}
