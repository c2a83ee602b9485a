import { sameJson, type Json } from "../../domain/json.ts";
import { isResumable, PHASES, type Phase } from "../../domain/phase.ts";
import { shouldResume, type ResumePolicy } from "../../domain/should-resume.ts";
import { isInside } from "../../providers/sandbox/path-inside.ts";
import { judgeResume, type ResumeProbes } from "../../runtime/requests/judge-resume.ts";
import type { SessionRecord, Store } from "../../storage/store.ts";

export interface ResumeQuery {
  readonly agentName: string;
  /** Null or undefined matches any value. */
  readonly purpose: string | null;
  readonly taskId: Json | undefined;
  /** The folder of the agent; excludes sessions of other repositories. */
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
  query: ResumeQuery,
  { now, policy, probes }: Judgement,
): Promise<SessionRecord | null> {
  const open = await openSessionsOf(store, query.agentName, RESUMABLE);
  // First the checks that need only the session.
  const alone = { now, policy: { ...policy, require: [] } };
  const candidates = open
    .filter((session) => matches(session, query) && shouldResume(session, alone).shouldResume)
    .toSorted((left, right) => right.lastActiveAt - left.lastActiveAt);
  for (const session of candidates) {
    if (!(await isInRepository(store, session, query.folder))) continue;
    const { id: sessionId } = session;
    const decision = await judgeResume(store, { sessionId, now, policy, probes });
    if (decision.shouldResume) return session;
  }
  return null;
}

function matches({ purpose, metadata }: SessionRecord, query: ResumeQuery): boolean {
  if (query.purpose !== null && query.purpose !== purpose) return false;
  return query.taskId === undefined || sameJson(metadata["task_id"] ?? null, query.taskId);
}

async function isInRepository(
  store: Store,
  { repoId }: SessionRecord,
  folder: string | null,
): Promise<boolean> {
  if (repoId === null || folder === null) return true;
  const repo = await store.readRepo(repoId);
  return repo === null || isInside(folder, repo.path);
}

/** Sessions read per phase; older ones are ignored. */
export const MAX_READ = 1_000;

/** An agent's sessions in one of these phases, unordered. */
export async function openSessionsOf(
  store: Store,
  agentName: string,
  phases: readonly Phase[],
): Promise<readonly SessionRecord[]> {
  const sessions: SessionRecord[] = [];
  for (const phase of phases) sessions.push(...(await newestIn(store, agentName, phase)));
  return sessions.filter((session) => session.agentName === agentName);
}

/**
 * Usually few sessions of all agents are in such a phase, while one agent may have had very many. So the phase alone is
 * read first, and the agent's sessions only when that finds too many.
 */
async function newestIn(
  store: Store,
  agentName: string,
  phase: Phase,
): Promise<readonly SessionRecord[]> {
  const all = await store.listSessions({ phase, limit: MAX_READ });
  if (all.next === null) return all.sessions;
  return (await store.listSessions({ phase, agentName, limit: MAX_READ })).sessions;
}
