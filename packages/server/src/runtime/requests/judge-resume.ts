import { nextAgent } from "../../domain/choose-agent.ts";
import {
  shouldResume,
  type ResumeDecision,
  type ResumePolicy,
  type Surroundings,
} from "../../domain/should-resume.ts";
import type { SessionRecord, Store } from "../../storage/store.ts";
import { budgetIn, overrunOf, spentOf, type Budget } from "../budget.ts";

/** How to look at what no store knows. What there is no probe for counts as unknown. */
export interface ResumeProbes {
  /** Whether a repository's folder is still there, and one. */
  readonly workspace?: (folder: string) => Promise<boolean>;
  /** Of the provider with this name, or of the default. */
  readonly provider?: (name: string | null) => Promise<NonNullable<Surroundings["provider"]>>;
}

/**
 * Whether to take a stored session up again. Reads the session's row, its repository where there is a
 * probe for it, its owner while a run is on, and its runs only when it has a budget.
 */
export async function judgeResume(
  store: Store,
  {
    sessionId,
    now,
    policy,
    probes = {},
  }: { sessionId: string; now: number; policy: ResumePolicy; probes?: ResumeProbes },
): Promise<ResumeDecision> {
  const read = await store.readSession(sessionId);
  switch (read.found) {
    case "session": {
      const surroundings = await lookAround(store, read.record, probes);
      return shouldResume(read.record, { now, policy, surroundings });
    }
    case "nothing":
      return shouldResume("missing", { now, policy });
    case "unreadable":
      return shouldResume("invalid", { now, policy });
    default:
      return read satisfies never;
  }
}

async function lookAround(
  store: Store,
  session: SessionRecord,
  probes: ResumeProbes,
): Promise<Surroundings> {
  const [workspace, provider, lease, budget] = await Promise.all([
    workspaceOf(store, session, probes),
    probes.provider?.(nextAgent(session).provider),
    leaseOf(store, session),
    budgetOf(store, session),
  ]);
  return {
    ...(workspace !== undefined && { workspace }),
    ...(provider !== undefined && { provider }),
    lease,
    budget,
  };
}

async function workspaceOf(
  store: Store,
  { repoId }: SessionRecord,
  { workspace: isThere }: ResumeProbes,
): Promise<Surroundings["workspace"]> {
  if (repoId === null) return "none";
  if (isThere === undefined) return undefined;
  const repo = await store.readRepo(repoId);
  return repo !== null && (await isThere(repo.path)) ? "there" : "missing";
}

async function leaseOf(
  store: Store,
  { id, state }: SessionRecord,
): Promise<NonNullable<Surroundings["lease"]>> {
  switch (state) {
    case "idle":
      return "idle";
    case "suspended":
      return "waiting";
    case "running": {
      // Without an owner it is just about to be claimed.
      const owner = await store.ownerOf(id);
      return owner?.alive === false ? "cut_off" : "running";
    }
    default:
      return state satisfies never;
  }
}

async function budgetOf(
  store: Store,
  { id, metadata }: SessionRecord,
): Promise<NonNullable<Surroundings["budget"]>> {
  const budget = budgetIn(metadata);
  if (budget === null) return "none";
  const spent = spentOf(budget, await store.readRuns(id));
  return {
    isLeft: overrunOf(budget, spent) === null,
    used: inWords(budget, spent),
    of: inWords(budget, budget),
  };
}

/** Only what the budget is about. */
function inWords(
  budget: Budget,
  { tokens, cost }: { readonly tokens: number | null; readonly cost: number | null },
): string {
  return [
    ...(budget.tokens === null ? [] : [`${tokens} tokens`]),
    ...(budget.cost === null ? [] : [`${Number(cost?.toFixed(6))} ${budget.currency}`]),
  ].join(", ");
}
