import { isObject, type JsonObject } from "../../domain/json.ts";
import type { RunFigures } from "../../storage/ports/stats-store.ts";

/** Outcomes and usage of ended runs, as they are reported. */
export interface RunTotals extends Readonly<Record<RunFigures["outcome"], number>> {
  /** Share of ended runs that completed; null if none ended. */
  readonly successRate: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By currency. */
  readonly cost: Readonly<Record<string, number>>;
}

/** Outcomes and usage of ended runs, as they are counted. */
export interface Tally extends Record<RunFigures["outcome"], number> {
  inputTokens: number;
  outputTokens: number;
  readonly cost: Map<string, number>;
}

/** An ended run with its parsed usage, or a finalized session that counts as one. */
export interface EndedRun extends Pick<RunFigures, "outcome" | "endedAt"> {
  readonly durationMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: { readonly currency: string; readonly amount: number } | null;
}

export function createTally(): Tally {
  return {
    completed: 0,
    failed: 0,
    cancelled: 0,
    interrupted: 0,
    inputTokens: 0,
    outputTokens: 0,
    cost: new Map(),
  };
}

export function addToTally(tally: Tally, run: EndedRun): void {
  const { outcome, inputTokens, outputTokens, cost } = run;
  tally[outcome] += 1;
  tally.inputTokens += inputTokens;
  tally.outputTokens += outputTokens;
  if (cost === null) return;
  tally.cost.set(cost.currency, (tally.cost.get(cost.currency) ?? 0) + cost.amount);
}

export function endedIn(tally: Omit<Tally, "cost">): number {
  return tally.completed + tally.failed + tally.cancelled + tally.interrupted;
}

export function toEndedRun(run: Omit<RunFigures, "provider" | "wentOn">): EndedRun {
  const { outcome, startedAt, endedAt } = run;
  const usage = run.usage ?? {};
  return {
    outcome,
    endedAt,
    durationMs: Math.max(0, endedAt - startedAt),
    inputTokens: amountIn(usage, "inputTokens"),
    outputTokens: amountIn(usage, "outputTokens"),
    cost: costIn(usage),
  };
}

function costIn(usage: JsonObject): EndedRun["cost"] {
  const cost = usage["cost"] ?? null;
  if (!isObject(cost) || typeof cost["currency"] !== "string") return null;
  return { currency: cost["currency"], amount: amountIn(cost, "amount") };
}

/** An agent's reported amount; 0 if it is not a valid amount. */
function amountIn(usage: JsonObject, key: string): number {
  const amount = usage[key];
  return typeof amount === "number" && amount >= 0 ? amount : 0;
}

/** Rounds away the floating-point error of the costs. */
export function totalsOf<Counts extends Tally>({ cost, ...counts }: Counts) {
  const rounded = [...cost].map(([currency, amount]) => [currency, Number(amount.toFixed(9))]);
  const totals: Pick<RunTotals, "cost" | "successRate"> = {
    cost: Object.fromEntries(rounded),
    successRate: rateOf(counts.completed, endedIn(counts)),
  };
  return { ...counts, ...totals };
}

export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Statistics of several durations, in milliseconds. */
export interface Durations {
  readonly median: number;
  readonly mean: number;
  readonly total: number;
}

/** Null for an empty list. */
export function durationsOf(lengthsMs: readonly number[]): Durations | null {
  if (lengthsMs.length === 0) return null;
  const sorted = Float64Array.from(lengthsMs).sort();
  const total = sorted.reduce((sum, length) => sum + length, 0);
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return { median: (low + high) / 2, mean: total / sorted.length, total };
}
