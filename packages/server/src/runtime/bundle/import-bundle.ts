import { tmpdir } from "node:os";
import { asImported } from "../../domain/carry-over.ts";
import type { CommandContext } from "../execute-command.ts";
import { refuse, type Refused } from "../reply.ts";
import { snapshotOf, type SessionReply } from "../session-snapshot.ts";
import { BUNDLE_LIMITS, type BundleLimits } from "./bundle-limits.ts";
import { bundledSession } from "./bundled-session.ts";
import { BadBundle, readBundle } from "./read-bundle.ts";
import { openSpool } from "./spool.ts";
import { storeBundle } from "./store-bundle.ts";

export interface ImportContext extends CommandContext {
  readonly clock: () => number;
  readonly limits?: BundleLimits;
  /** Holds the bundle during the import; by default the system's temporary folder. */
  readonly spoolFolder?: string | undefined;
}

/**
 * Imports a session completely or not at all. The bundle is first read to its end, onto the disk, so that an invalid or
 * incomplete one never reaches the store.
 */
export async function importBundle(
  context: ImportContext,
  lines: AsyncIterable<string>,
): Promise<SessionReply> {
  const { store, clock, limits = BUNDLE_LIMITS } = context;
  // Requested before the first await, because sources such as readline drop lines that nobody waits for.
  const iterator = lines[Symbol.asyncIterator]();
  const spool = await openSpool(context.spoolFolder ?? tmpdir());
  try {
    const outline = await readBundle(
      { [Symbol.asyncIterator]: () => iterator },
      {
        limits,
        onSession: async (sessionId) => {
          const read = await store.readSession(sessionId);
          if (read.found !== "nothing") throw new SessionExists(sessionId);
        },
        onLine: spool.add,
      },
    );
    const at = clock();
    const exported = bundledSession(outline);
    const repo = (await store.listRepos()).find(({ path }) => path === outline.repoPath);
    const session = asImported(exported, { at, repoId: repo?.id ?? null });
    const stored = await storeBundle(context, { at, session, outline, spool });
    if (!stored.ok) return toRefused(session.id, stored.refused);
    const imported = await snapshotOf(store, session.id);
    return imported === null
      ? refuse("session_not_found", "The session was imported, but has been deleted since.")
      : { ok: true, session: imported };
  } catch (error) {
    if (error instanceof BadBundle) return refuse("bundle_invalid", error.message);
    if (error instanceof SessionExists) return toRefused(error.message, "session_exists");
    throw error;
  } finally {
    await spool.close();
  }
}

/** Ends the reading early: the bundle would be refused at its end. The message is the id of the session. */
class SessionExists extends Error {}

function toRefused(sessionId: string, refused: "session_exists" | "being_imported"): Refused {
  return refuse(
    "session_exists",
    refused === "session_exists"
      ? `Session ${sessionId} already exists here.`
      : `Session ${sessionId} is already being imported here.`,
  );
}
