import { defined } from "../../domain/defined.ts";
import { nextAgent } from "../../domain/choose-agent.ts";
import {
  shouldResume,
  type ResumeDecision,
  type ResumePolicy,
  type Surroundings,
} from "../../domain/should-resume.ts";
import type { SessionRecord, Store } from "../../storage/store.ts";
import { budgetIn, overrunOf, spentOf, type Budget } from "../budget.ts";

/** Checks outside the store. A check without a probe counts as unknown. */
export interface ResumeProbes {
  /** Whether the folder still exists and is a repository. */
  readonly workspace?: (folder: string) => Promise<boolean>;
  /** Null is the default provider. */
  readonly provider?: (name: string | null) => Promise<NonNullable<Surroundings["provider"]>>;
}

/**
 * Decides whether to resume a session. Reads the session, its repository if there is a probe for it, its owner during a
 * run, and its runs if it has a budget.
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
      const surroundings = await surroundingsOf(store, read.record, probes);
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

async function surroundingsOf(
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
  return { ...defined({ workspace, provider }), lease, budget };
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
      // A session without an owner is about to be claimed.
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
    used: amountsText(budget, spent),
    of: amountsText(budget, budget),
  };
}

/** The amounts that the budget limits. */
function amountsText(
  budget: Budget,
  { tokens, cost }: { readonly tokens: number | null; readonly cost: number | null },
): string {
  return [
    ...(budget.tokens === null ? [] : [`${tokens} tokens`]),
    ...(budget.cost === null ? [] : [`${Number(cost?.toFixed(6))} ${budget.currency}`]),
  ].join(", ");
}
