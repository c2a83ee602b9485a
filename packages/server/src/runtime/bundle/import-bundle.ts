import { asImported } from "../../domain/carry-over.ts";
import type { Session } from "../../domain/session.ts";
import type { ImportedSession, NewMessage, Store } from "../../storage/store.ts";
import { refuse } from "../replies.ts";
import type { Reply, SessionSnapshot } from "../runtime.ts";
import { snapshotOf } from "../session-snapshot.ts";
import { BUNDLE_LIMITS, type BundleLimits } from "./bundle-limits.ts";
import { bundledSession } from "./bundled-session.ts";
import { BadBundle, readBundle, type Bundle } from "./read-bundle.ts";
import { renamed } from "./renamed.ts";

export interface ImportContext {
  readonly store: Store;
  readonly newId: () => string;
  readonly clock: () => number;
  readonly limits?: BundleLimits;
}

/** New ids are unique; that they were taken again and again would be something else. */
const MAX_TRIES = 3;

/** Takes a session in with everything its bundle has, or nothing of it. */
export async function importBundle(
  context: ImportContext,
  lines: AsyncIterable<string>,
): Promise<Reply<{ readonly session: SessionSnapshot }>> {
  try {
    const bundle = await readBundle(lines, context.limits ?? BUNDLE_LIMITS);
    return await takeIn(context, await arriving(context, bundle));
  } catch (error) {
    if (error instanceof BadBundle) return refuse("bundle_invalid", error.message);
    throw error;
  }
}

/** The bundle's session as it is to be here. */
async function arriving(
  { store, newId, clock }: ImportContext,
  bundle: Bundle,
): Promise<ImportedSession> {
  const at = clock();
  const exported = bundledSession(bundle);
  const repos = await store.listRepos();
  const repo = repos.find(({ path }) => path === bundle.repoPath) ?? null;
  const session = asImported(exported, { at, repoId: repo?.id ?? null });
  const notices = noticesOf(session, bundle).map((text): NewMessage => ({
    id: newId(),
    runId: null,
    role: "system",
    content: { type: "text", text, notice: "session_imported" },
  }));
  return {
    at,
    session,
    lastSeq: Math.max(bundle.session.lastSeq, 1),
    messages: bundle.messages,
    runs: [...bundle.runs.values()],
    suspensions: [...bundle.suspensions.values()],
    queued: [...bundle.queued.values()].map(({ entry, content, queuedAt }) => ({
      messageId: entry.messageId,
      content,
      queuedAt,
    })),
    notices,
  };
}

/** What is not as it was where the session came from, in its transcript. */
function noticesOf(session: Session, { repoPath }: Bundle): readonly string[] {
  const notices: string[] = [];
  const canWork = "activity" in session.standing;
  if (canWork && repoPath !== null && session.repoId === null) {
    notices.push(
      `Imported without its repository: ${repoPath} is not registered here. ` +
        "The session can be read, and no agent can work in it. To go on with it, delete it, add the repository, and import the bundle again.",
    );
  }
  if (session.queue.length > 0) {
    notices.push(
      `Imported with ${session.queue.length} queued ${session.queue.length === 1 ? "message" : "messages"}, ` +
        'which may have been delivered where the session came from. They are held until the delivery is set to "open".',
    );
  }
  return notices;
}

async function takeIn(
  { store, newId }: ImportContext,
  given: ImportedSession,
): Promise<Reply<{ readonly session: SessionSnapshot }>> {
  let imported = given;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const done = await store.importSession(imported);
    if (done.ok) return reply(store, imported.session.id);
    if (done.refused === "session_exists")
      return refuse("session_exists", `There is a session ${imported.session.id} here already.`);
    imported = renamed(imported, new Map(done.taken.map((id) => [id, newId()])));
  }
  throw new Error(
    `unreachable: new ids for session ${given.session.id} were taken again and again`,
  );
}

async function reply(
  store: Store,
  sessionId: string,
): Promise<Reply<{ readonly session: SessionSnapshot }>> {
  const session = await snapshotOf(store, sessionId);
  return session === null
    ? refuse("session_not_found", "The session was imported, and deleted since.")
    : { ok: true, session };
}
