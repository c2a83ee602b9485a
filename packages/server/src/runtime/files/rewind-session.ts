import { setTimeout as pause } from "node:timers/promises";
import { stateOf, statusOf, type Session } from "../../domain/session.ts";
import type { Rewind, RewindRequest } from "../../domain/files/working-files.ts";
import { GitFault } from "../../git/git-fault.ts";
import { shownPath } from "../../git/raw-path.ts";
import type { KeptFile, RestorePlan } from "../../git/restore/plan-restore.ts";
import type { Run } from "../../storage/store.ts";
import { toRefused } from "../command-reply.ts";
import type { RuntimeContext } from "../context.ts";
import type { OnSession } from "../requests/request-types.ts";
import { noSuchSession, refuse, type Refused, type Reply } from "../reply.ts";
import { unreadable } from "../session-snapshot.ts";
import { findRun, stepsOf } from "./file-range.ts";
import { changesUnknown, listed, type ListedFile } from "./read-changes.ts";

export interface RewindSession extends OnSession {
  /** The run before which the session goes back, or the rewind that is taken back. */
  readonly to: { readonly run: string } | { readonly undo: string };
  readonly files: boolean;
  readonly conversation: boolean;
  /** Also restores files that somebody else has changed since. */
  readonly force: boolean;
  readonly dryRun: boolean;
}

export interface Rewound {
  /** Null for a dry run. */
  readonly rewind: Rewind | null;
  readonly runs: readonly string[];
  readonly files: readonly Omit<ListedFile, "by">[];
  readonly kept: readonly { readonly path: string; readonly reason: KeptFile["reason"] }[];
}

/** What a rewind goes back to. */
interface Target {
  readonly runId: string;
  readonly runIds: readonly string[];
  /** The tree to restore, and the steps in which others changed files, given the tree of the files now. */
  readonly files: {
    readonly tree: string;
    readonly gaps: (now: string) => readonly (readonly [string, string])[];
  } | null;
  readonly undoes: string | null;
}

/** How often the plan is made again, because the session has changed meanwhile. */
const TRIES = 3;

/** Takes runs and their changes of files back. Nothing is deleted: the files are kept as a snapshot first. */
export async function rewindSession(
  context: RuntimeContext,
  request: RewindSession,
): Promise<Reply<Rewound>> {
  for (let tries = 1; ; tries += 1) {
    const rewound = await tryRewind(context, request);
    const hasChanged = !rewound.ok && rewound.refusal.code === "version_mismatch";
    if (!hasChanged || request.version !== undefined || tries === TRIES) return rewound;
  }
}

async function tryRewind(context: RuntimeContext, request: RewindSession): Promise<Reply<Rewound>> {
  const { sessionId, dryRun } = request;
  await context.files.settle(sessionId);
  const loaded = await context.store.load(sessionId);
  if (loaded.found === "unreadable") throw unreadable(sessionId, loaded.reason);
  if (loaded.found === "nothing") return noSuchSession();
  const { session, version } = loaded.stored;
  if (stateOf(session) !== "idle")
    return refuse("session_not_idle", "A run is in progress.", {
      status: statusOf(session),
      state: stateOf(session),
    });
  const runs = await context.store.readRuns(sessionId);
  const target =
    "run" in request.to
      ? targetOfRun(request, runs, request.to.run)
      : targetOfUndo(request, session, request.to.undo);
  if ("refusal" in target) return target;
  const id = context.newId();
  try {
    const plan = await planFiles(context, session, target, { id, ...request });
    if (plan !== null && "refusal" in plan) return plan;
    const reply = { runs: target.runIds, ...shownPlan(plan) };
    if (dryRun) return { ok: true, rewind: null, ...reply };
    const { runId, runIds, undoes } = target;
    const files = plan === null ? null : { now: plan.now, result: plan.result };
    const rewind: RewindRequest = { id, runId, runIds, files, undoes };
    const executed = await context.execute({
      sessionId,
      command: { type: "rewind", at: context.clock(), rewind },
      version: request.version ?? version,
    });
    if (!executed.ok) return toRefused(executed);
    return { ok: true, rewind: await untilEnded(context, sessionId, id), ...reply };
  } catch (error) {
    if (error instanceof GitFault) return changesUnknown({ unknown: error.message });
    throw error;
  }
}

function targetOfRun(
  { files, conversation }: RewindSession,
  runs: readonly Run[],
  name: string,
): Target | Refused {
  const at = findRun(runs, name);
  const run = runs[at];
  if (run === undefined) return refuse("run_not_found", "The session has no such run.");
  if (run.startedAt === null)
    return refuse("run_not_found", "The run has not started, so there is nothing to take back.");
  if (run.rewoundAt !== null && conversation)
    return refuse("run_not_found", "The run was taken back already.");
  const later = runs.slice(at).filter(({ startedAt }) => startedAt !== null);
  const { filesBefore } = run;
  if (files && filesBefore === null)
    return changesUnknown({
      unknown: "The files before this run are not known, so only the conversation can be rewound.",
    });
  return {
    runId: run.id,
    runIds: conversation
      ? later.filter(({ rewoundAt }) => rewoundAt === null).map(({ id }) => id)
      : [],
    files:
      files && filesBefore !== null
        ? { tree: filesBefore.tree, gaps: (now) => stepsOf(later, now).gaps }
        : null,
    undoes: null,
  };
}

function targetOfUndo(
  { files, conversation }: RewindSession,
  { rewind }: Session,
  id: string,
): Target | Refused {
  if (rewind?.id !== id || rewind.undoes !== null)
    return refuse(
      "rewind_not_found",
      "There is no such rewind that can be undone: only the last one can, once.",
    );
  const before = rewind.files;
  return {
    runId: rewind.runId,
    runIds: conversation ? rewind.runIds : [],
    files:
      files && before !== null ? { tree: before.now, gaps: (now) => [[before.result, now]] } : null,
    undoes: id,
  };
}

/** Null if no files are restored. */
async function planFiles(
  { files }: RuntimeContext,
  session: Session,
  target: Target,
  { id, force, dryRun }: Pick<RewindSession, "force" | "dryRun"> & { readonly id: string },
): Promise<RestorePlan | Refused | null> {
  if (target.files === null) return null;
  const found = await files.folderOf(session);
  if (found === null) return changesUnknown({ unknown: "The session has no repository." });
  if (!found.ok) return found;
  const { folder } = found;
  const sessionId = session.id;
  const name = dryRun ? ["now"] : ["rewind", id, "before"];
  const { tree: now, isKept } = await files.git.snapshot(folder, { sessionId, name });
  const { tree, gaps } = target.files;
  const plan = await files.git.planRestore(folder, { now, target: tree, gaps: gaps(now), force });
  if (dryRun) return plan;
  if (!(await isKept))
    throw new GitFault("The files as they are now could not be kept, so nothing was changed.");
  await files.git.keep(folder, { sessionId, name: ["rewind", id, "after"] }, plan.result);
  return plan;
}

function shownPlan(plan: RestorePlan | null): Pick<Rewound, "files" | "kept"> {
  return {
    files: (plan?.files ?? []).map((file) => listed(file, "session")),
    kept: (plan?.kept ?? []).map(({ path, reason }) => ({ path: shownPath(path), reason })),
  };
}

const LOOK_MS = 20;
const MAX_LOOKS = 3_000;

/** The worker of the session carries the rewind out. Without workers it is done here. */
async function untilEnded(
  context: RuntimeContext,
  sessionId: string,
  id: string,
): Promise<Rewind | null> {
  const { store, files, nudge, execute } = context;
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const loaded = await store.load(sessionId);
    const session = loaded.found === "session" ? loaded.stored.session : null;
    const rewind = session?.rewind ?? null;
    if (session === null || rewind?.id !== id || rewind.status !== "restoring") return rewind;
    if (context.startsAgents) nudge(sessionId);
    else await execute({ sessionId, command: await files.carryOut(session, rewind) });
    await pause(LOOK_MS);
  }
  return null;
}
