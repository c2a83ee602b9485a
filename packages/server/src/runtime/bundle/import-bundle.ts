import { tmpdir } from "node:os";
import { asImported } from "../../domain/carry-over.ts";
import type { Session } from "../../domain/session.ts";
import type { Store } from "../../storage/store.ts";
import { refuse, type Refused, type Reply } from "../reply.ts";
import { type SessionSnapshot, snapshotOf } from "../session-snapshot.ts";
import { BUNDLE_LIMITS, type BundleLimits } from "./bundle-limits.ts";
import { bundledSession } from "./bundled-session.ts";
import { BadBundle, readBundle, type BundleOutline } from "./read-bundle.ts";
import { openSpool, type Spool } from "./spool.ts";
import { storeBundle } from "./store-bundle.ts";

export interface ImportContext {
  readonly store: Store;
  readonly newId: () => string;
  readonly clock: () => number;
  readonly limits?: BundleLimits;
  /** Where a bundle is kept while it arrives; the system's temporary folder, unless told. */
  readonly spoolFolder?: string;
}

/**
 * Takes a session in with everything its bundle has, or nothing of it. The bundle is read to its end
 * first, onto the disk: what is not in order, or breaks off, never reaches the store.
 */
export async function importBundle(
  context: ImportContext,
  lines: AsyncIterable<string>,
): Promise<Reply<{ readonly session: SessionSnapshot }>> {
  const { store, clock } = context;
  // Begun before anything is waited for: some sources, such as readline's, do not wait either.
  const begun = lines[Symbol.asyncIterator]();
  const spool = await openSpool(context.spoolFolder ?? tmpdir());
  try {
    const outline = await receive(context, {
      lines: { [Symbol.asyncIterator]: () => begun },
      spool,
    });
    const at = clock();
    const session = await arriving(store, { at, exported: bundledSession(outline), outline });
    const stored = await storeBundle(context, { at, session, outline, spool });
    if (!stored.ok) return toRefused(session.id, stored.refused);
    return await replyWith(store, session.id);
  } catch (error) {
    if (error instanceof BadBundle) return refuse("bundle_invalid", error.message);
    if (error instanceof AlreadyHere) return toRefused(error.sessionId, "session_exists");
    throw error;
  } finally {
    await spool.close();
  }
}

/** Ends the reading of a bundle that would be refused at its end. */
class AlreadyHere extends Error {
  readonly sessionId: string;

  constructor(sessionId: string) {
    super();
    this.sessionId = sessionId;
  }
}

async function receive(
  { store, limits = BUNDLE_LIMITS }: ImportContext,
  { lines, spool }: { readonly lines: AsyncIterable<string>; readonly spool: Spool },
): Promise<BundleOutline> {
  return readBundle(lines, {
    limits,
    onSession: async (sessionId) => {
      const read = await store.readSession(sessionId);
      if (read.found !== "nothing") throw new AlreadyHere(sessionId);
    },
    onLine: (line) => spool.add(line),
  });
}

/** The bundle's session as it is to be here. */
async function arriving(
  store: Store,
  { at, exported, outline }: { at: number; exported: Session; outline: BundleOutline },
): Promise<Session> {
  const repos = await store.listRepos();
  const repo = repos.find(({ path }) => path === outline.repoPath);
  return asImported(exported, { at, repoId: repo?.id ?? null });
}

function toRefused(sessionId: string, refused: "session_exists" | "being_imported"): Refused {
  return refuse(
    "session_exists",
    refused === "session_exists"
      ? `There is a session ${sessionId} here already.`
      : `The session ${sessionId} is being imported here at this moment.`,
  );
}

async function replyWith(
  store: Store,
  sessionId: string,
): Promise<Reply<{ readonly session: SessionSnapshot }>> {
  const session = await snapshotOf(store, sessionId);
  return session === null
    ? refuse("session_not_found", "The session was imported, and deleted since.")
    : { ok: true, session };
}
