import path from "node:path";
import { sameJson, type Json } from "../../domain/json.ts";
import { isResumable, PHASES } from "../../domain/phase.ts";
import { shouldResume, type ResumePolicy } from "../../domain/should-resume.ts";
import { judgeResume, type ResumeProbes } from "../../runtime/requests/judge-resume.ts";
import type { SessionRecord, Store } from "../../storage/store.ts";
import { openSessionsOf } from "./open-sessions.ts";

export interface ResumeWish {
  readonly agentName: string;
  /** What is null or undefined may be anything. */
  readonly purpose: string | null;
  readonly taskId: Json | undefined;
  /** Where the agent works: a session of another repository is not meant. */
  readonly folder: string | null;
}

export interface Judgement {
  readonly now: number;
  readonly policy: ResumePolicy;
  readonly probes: ResumeProbes;
}

const RESUMABLE = PHASES.filter(isResumable);

/** The most recently active session that should be resumed; null when there is none. */
export async function findResumable(
  store: Store,
  wish: ResumeWish,
  { now, policy, probes }: Judgement,
): Promise<SessionRecord | null> {
  const open = await openSessionsOf(store, { agentName: wish.agentName, phases: RESUMABLE });
  // First by the session alone, which costs nothing.
  const alone = { now, policy: { ...policy, require: [] } };
  const candidates = open
    .filter((session) => isMeant(session, wish) && shouldResume(session, alone).shouldResume)
    .toSorted((left, right) => right.lastActiveAt - left.lastActiveAt);
  for (const session of candidates) {
    if (!(await isNearby(store, session, wish.folder))) continue;
    const { id: sessionId } = session;
    const decision = await judgeResume(store, { sessionId, now, policy, probes });
    if (decision.shouldResume) return session;
  }
  return null;
}

function isMeant({ purpose, metadata }: SessionRecord, wish: ResumeWish): boolean {
  if (wish.purpose !== null && wish.purpose !== purpose) return false;
  return wish.taskId === undefined || sameJson(metadata["task_id"] ?? null, wish.taskId);
}

async function isNearby(
  store: Store,
  { repoId }: SessionRecord,
  folder: string | null,
): Promise<boolean> {
  if (repoId === null || folder === null) return true;
  const repo = await store.readRepo(repoId);
  if (repo === null) return true;
  const way = path.relative(repo.path, folder);
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}
