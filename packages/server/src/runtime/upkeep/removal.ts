import { setImmediate } from "node:timers/promises";
import { errorText } from "../../domain/error-text.ts";
import type { Session } from "../../domain/session.ts";
import type { BundleFolder } from "../bundle/bundle-folder.ts";
import { BUNDLE_LIMITS } from "../bundle/bundle-limits.ts";
import { exportBundle } from "../bundle/export-bundle.ts";
import type { RuntimeContext } from "../context.ts";

/** The dependencies of a removal. */
export interface Removing extends Pick<
  RuntimeContext,
  "store" | "clock" | "execute" | "forgetSession" | "log"
> {
  readonly bundles: BundleFolder;
}

/** A session that could not be removed. */
export interface RemovalFailure {
  readonly sessionId: string;
  readonly reason: string;
}

/** Bundles written at the same time. */
const AT_ONCE = 8;

/**
 * Removes each session after its bundle is on the disk. A session that has changed since, or is no longer due, is kept. After
 * an abort, sessions that already have a bundle are still removed.
 */
export async function removeSessions(
  removing: Removing,
  sessionIds: readonly string[],
  isDue: (session: Session) => boolean,
  signal?: AbortSignal,
): Promise<{ readonly removed: readonly string[]; readonly failures: readonly RemovalFailure[] }> {
  const written: WrittenBundle[] = [];
  const failures: RemovalFailure[] = [];
  for (let start = 0; start < sessionIds.length && signal?.aborted !== true; start += AT_ONCE) {
    const ids = sessionIds.slice(start, start + AT_ONCE);
    for (const one of await Promise.all(ids.map((sessionId) => write(removing, sessionId)))) {
      if (one === null) continue;
      if ("file" in one) written.push(one);
      else failures.push(one);
    }
    await setImmediate();
  }
  if (written.length > 0) await removing.bundles.sync();
  const outcomes = await Promise.all(written.map((one) => remove(removing, one, isDue)));
  failures.push(...outcomes.filter((outcome) => outcome !== null));
  const removed = written.filter((_, index) => outcomes[index] === null);
  return { removed: removed.map(({ sessionId }) => sessionId), failures };
}

interface WrittenBundle {
  readonly sessionId: string;
  readonly version: number;
  readonly file: string;
}

/** Null if the session no longer exists. */
async function write(
  { store, bundles, clock, log }: Removing,
  sessionId: string,
): Promise<WrittenBundle | RemovalFailure | null> {
  try {
    const exported = await exportBundle({ store, clock }, sessionId);
    if (!exported.ok) return null;
    const lines = importable(exported.lines);
    const file = await bundles.write(sessionId, clock(), lines);
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

/** Null if the session was removed. */
async function remove(
  { bundles, clock, execute, forgetSession, log }: Removing,
  { sessionId, version, file }: WrittenBundle,
  isDue: (session: Session) => boolean,
): Promise<RemovalFailure | null> {
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
  return null;
}
