import { setImmediate } from "node:timers/promises";
import type { JsonObject } from "../domain/json.ts";
import type { Outcome } from "../domain/phase.ts";
import type { RunFigures, SessionFigures } from "../storage/figures.ts";
import { isObject } from "../storage/parse.ts";
import type { ListPosition, Store } from "../storage/store.ts";

/** Sessions looked at in one go; between two goes everything else has its turn. */
const PAGE = 250;

/**
 * Adds up what ended in the range: runs that were started, and sessions without any run that somebody
 * else's agent finalized, each of which counts as one run from its creation on.
 */
export async function readStats(
  store: Store,
  range: { readonly from?: number; readonly to?: number },
): Promise<Stats> {
  const adding = createStats();
  let after: ListPosition | null = null;
  do {
    const page: Awaited<ReturnType<Store["readFigures"]>> = await store.readFigures({
      ...range,
      limit: PAGE,
      ...(after !== null && { after }),
    });
    for (const session of page.sessions) adding.add(session);
    after = page.next;
    await setImmediate();
  } while (after !== null);
  return adding.read();
}

/** How sessions and their runs went in a range of time. */
export interface Stats {
  readonly sessions: number;
  /** Of sessions that were cut off, how many went on; null when none was. */
  readonly resumeRate: number | null;
  /** Of ended runs, how many completed; null when none ended. */
  readonly successRate: number | null;
  readonly byAgent: readonly StatsGroup[];
  readonly byProvider: readonly StatsGroup[];
}

export interface StatsGroup {
  /** The agent's name, or the provider's; null for runs without one. */
  readonly name: string | null;
  readonly sessions: number;
  readonly runs: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly interrupted: number;
  readonly successRate: number | null;
  /** From start to end of its runs. */
  readonly durationMs: {
    readonly median: number;
    readonly mean: number;
    readonly total: number;
  } | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By currency. */
  readonly cost: Readonly<Record<string, number>>;
}

function createStats() {
  const all = createGroup(null);
  const byAgent = new Map<string | null, Group>();
  const byProvider = new Map<string | null, Group>();
  let cutOff = 0;
  let wentOn = 0;

  function add({ agentName, createdAt, finalized, runs }: SessionFigures): void {
    all.sessions += 1;
    const ofAgent = groupIn(byAgent, agentName);
    ofAgent.sessions += 1;
    for (const provider of new Set(runs.map((run) => run.provider)))
      groupIn(byProvider, provider).sessions += 1;
    for (const run of runs)
      for (const group of [all, ofAgent, groupIn(byProvider, run.provider)]) addRun(group, run);
    if (runs.length === 0 && finalized !== null) {
      const { at: endedAt, outcome } = finalized;
      const tracked = { outcome: OUTCOME_OF[outcome], startedAt: createdAt, endedAt, usage: null };
      for (const group of [all, ofAgent]) addRun(group, tracked);
    }
    const lastCut = runs.findLast((run) => run.outcome === "interrupted");
    if (lastCut === undefined) return;
    cutOff += 1;
    if (lastCut.wentOn) wentOn += 1;
  }

  return {
    add,
    read: (): Stats => ({
      sessions: all.sessions,
      resumeRate: rateOf(wentOn, cutOff),
      successRate: toStatsGroup(all).successRate,
      byAgent: toGroups(byAgent),
      byProvider: toGroups(byProvider),
    }),
  };
}

const OUTCOME_OF = {
  completed: "completed",
  failed: "failed",
  abandoned: "cancelled",
} as const satisfies Record<Outcome, RunFigures["outcome"]>;

interface Group extends Record<RunFigures["outcome"], number> {
  readonly name: string | null;
  sessions: number;
  inputTokens: number;
  outputTokens: number;
  readonly durationsMs: number[];
  readonly cost: Map<string, number>;
}

function createGroup(name: string | null): Group {
  return {
    name,
    sessions: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    interrupted: 0,
    inputTokens: 0,
    outputTokens: 0,
    durationsMs: [],
    cost: new Map(),
  };
}

function groupIn(groups: Map<string | null, Group>, name: string | null): Group {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const added = createGroup(name);
  groups.set(name, added);
  return added;
}

function addRun(group: Group, run: Omit<RunFigures, "provider" | "wentOn">): void {
  group[run.outcome] += 1;
  group.durationsMs.push(Math.max(0, run.endedAt - run.startedAt));
  const usage = run.usage ?? {};
  group.inputTokens += amountIn(usage, "inputTokens");
  group.outputTokens += amountIn(usage, "outputTokens");
  const cost = usage["cost"] ?? null;
  if (!isObject(cost) || typeof cost["currency"] !== "string") return;
  const { currency } = cost;
  group.cost.set(currency, (group.cost.get(currency) ?? 0) + amountIn(cost, "amount"));
}

/** What an agent says it used is taken as it is, unless it is no amount at all. */
function amountIn(usage: JsonObject, key: string): number {
  const amount = usage[key];
  return typeof amount === "number" && amount >= 0 ? amount : 0;
}

/** Most used first. */
function toGroups(groups: ReadonlyMap<string | null, Group>): readonly StatsGroup[] {
  return [...groups.values()]
    .map(toStatsGroup)
    .toSorted(
      (left, right) =>
        right.runs - left.runs ||
        right.sessions - left.sessions ||
        (left.name ?? "").localeCompare(right.name ?? ""),
    );
}

function toStatsGroup({ durationsMs, cost, ...group }: Group): StatsGroup {
  const runs = group.completed + group.failed + group.cancelled + group.interrupted;
  return {
    ...group,
    runs,
    successRate: rateOf(group.completed, runs),
    durationMs: durationOf(durationsMs),
    cost: Object.fromEntries([...cost].map(([currency, amount]) => [currency, rounded(amount)])),
  };
}

function durationOf(durationsMs: readonly number[]): StatsGroup["durationMs"] {
  if (durationsMs.length === 0) return null;
  const sorted = Float64Array.from(durationsMs).sort();
  const total = sorted.reduce((sum, duration) => sum + duration, 0);
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return { median: (low + high) / 2, mean: total / sorted.length, total };
}

function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Sums of decimal fractions are a little off in their last digits, which mean nothing to anybody. */
function rounded(amount: number): number {
  return Number(amount.toFixed(9));
}
